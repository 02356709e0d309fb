// The step changes this program.
//! run: yul-opt --steps gj
{
    let a := mload(0)
    let b := mload(a)
    sstore(b, 1)
}
// ---- yul-opt --steps gj
// {
//     { sstore(mload(mload(0)), 1) }
// }
