// Stores that a call, a hash, a return or a later part of the program may read stay.
//! run: yul-opt --steps {UnusedStoreEliminator}
{
    let k := calldataload(0)
    let z := 0
    let w := 32
    sstore(k, 1)
    let s := staticcall(k, k, z, z, z, z)
    sstore(k, 2)
    mstore(z, k)
    let h := keccak256(z, w)
    mstore(z, h)
    if s { mstore(z, s) }
    return(z, w)
}
// ---- yul-opt --steps {UnusedStoreEliminator}
// {
//     let k := calldataload(0)
//     let z := 0
//     let w := 32
//     sstore(k, 1)
//     let s := staticcall(k, k, z, z, z, z)
//     sstore(k, 2)
//     mstore(z, k)
//     let h := keccak256(z, w)
//     mstore(z, h)
//     if s { mstore(z, s) }
//     return(z, w)
// }
