// A constant that a rule only moves stays as it is written; a computed one is written anew.
//! run: yul-opt --steps s
{
    let x := calldataload(0)
    let y := calldataload(0x0020)
    let sum := add(x, 0x0100)
    sstore(0, add(sum, y))
    sstore(1, add(sum, 0x0200))
    let masked := and(x, 0x00ff)
    sstore(2, shl(0x0008, masked))
}
// ---- yul-opt --steps s
// {
//     let x := calldataload(0)
//     let y := calldataload(0x0020)
//     let sum := add(x, 0x0100)
//     sstore(0, add(add(x, y), 0x0100))
//     sstore(1, add(x, 768))
//     let masked := and(x, 0x00ff)
//     sstore(2, and(shl(8, x), 65280))
// }
