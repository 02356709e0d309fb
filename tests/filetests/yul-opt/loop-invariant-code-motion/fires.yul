// The step changes this program.
// Shows S002-38.
//! run: yul-opt --steps ohM
{
    let b := calldatasize()
    let i
    for { } lt(i, 9) { i := add(i, 1) }
    {
        let c := mul(b, 3)
        mstore(i, c)
    }
}
// ---- yul-opt --steps ohM
// {
//     let b := calldatasize()
//     let i
//     let c := mul(b, 3)
//     for { } lt(i, 9) { i := add(i, 1) }
//     { mstore(i, c) }
// }
