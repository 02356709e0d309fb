// A store is overwritten where the same variable says where; that two variables are equal is seen in memory
// alone, and where both are constant.
//! run: yul-opt --steps S
{
    let p := calldataload(0)
    let q := add(p, 32)
    let r := add(p, 32)
    let c := 64
    let d := 64
    sstore(c, 1)
    sstore(d, 2)
    sstore(p, 3)
    sstore(p, 4)
    mstore(q, 5)
    mstore(r, 6)
    mstore(c, 7)
    mstore(d, 8)
    log0(p, p)
}
// ---- yul-opt --steps S
// {
//     let p := calldataload(0)
//     let q := add(p, 32)
//     let r := add(p, 32)
//     let c := 64
//     let d := 64
//     sstore(c, 1)
//     sstore(d, 2)
//     sstore(p, 4)
//     mstore(q, 5)
//     mstore(r, 6)
//     mstore(d, 8)
//     log0(p, p)
// }
