// A program that observes the size of memory keeps its loads from memory.
//! run: yul-opt --steps {LoadResolver}
{
    let k := calldataload(0)
    let v := calldataload(64)
    mstore(k, v)
    let a := mload(k)
    sstore(a, msize())
}
// ---- yul-opt --steps {LoadResolver}
// {
//     let k := calldataload(0)
//     let v := calldataload(64)
//     mstore(k, v)
//     let a := mload(k)
//     sstore(a, msize())
// }
