// Places whose distance is known are different: a store to one does not touch what is known of the other.
// A store to a place that may be anywhere does.
// Shows S002-23.
//! run: yul-opt --steps {LoadResolver}
{
    let k := calldataload(0)
    let v := calldataload(32)
    let next := add(k, 1)
    let other := calldataload(64)
    sstore(k, v)
    sstore(next, other)
    let a := sload(k)
    sstore(other, k)
    let b := sload(k)
    mstore(a, b)
}
// ---- yul-opt --steps {LoadResolver}
// {
//     let k := calldataload(0)
//     let v := calldataload(32)
//     let next := add(k, 1)
//     let other := calldataload(64)
//     sstore(k, v)
//     sstore(next, other)
//     let a := v
//     sstore(other, k)
//     let b := sload(k)
//     mstore(a, b)
// }
