// Nothing is known after a store to what may be the same slot, after a call, and in another branch.
// Shows S002-24.
//! run: yul-opt --steps {LoadResolver}
{
    let k := calldataload(0)
    let o := calldataload(32)
    let v := calldataload(64)
    sstore(k, v)
    sstore(o, k)
    let a := sload(k)
    mstore(k, v)
    let c := call(v, o, o, o, o, o, o)
    let b := mload(k)
    if a { sstore(b, v) }
    let d := sload(b)
    sstore(c, d)
}
// ---- yul-opt --steps {LoadResolver}
// {
//     let k := calldataload(0)
//     let o := calldataload(32)
//     let v := calldataload(64)
//     sstore(k, v)
//     sstore(o, k)
//     let a := sload(k)
//     mstore(k, v)
//     let c := call(v, o, o, o, o, o, o)
//     let b := mload(k)
//     if a { sstore(b, v) }
//     let d := sload(b)
//     sstore(c, d)
// }
