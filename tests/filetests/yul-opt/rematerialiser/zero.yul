// Zero costs nothing where `PUSH0` exists, so it is written again however often it is used.
// Shows S002-156.
//! run: yul-opt --steps {Rematerialiser}
//! run: yul-opt --evm-version london --steps {Rematerialiser}
{
    let z := 0
    let o := 1
    mstore(z, o)
    mstore(z, o)
    mstore(z, o)
    mstore(z, o)
    mstore(z, o)
    return(z, o)
}
// ---- yul-opt --steps {Rematerialiser}
// {
//     let z := 0
//     let o := 1
//     mstore(0, o)
//     mstore(0, o)
//     mstore(0, o)
//     mstore(0, o)
//     mstore(0, o)
//     return(0, o)
// }
// ---- yul-opt --evm-version london --steps {Rematerialiser}
// {
//     let z := 0
//     let o := 1
//     mstore(z, o)
//     mstore(z, o)
//     mstore(z, o)
//     mstore(z, o)
//     mstore(z, o)
//     return(z, o)
// }
