// The step changes this program.
// Shows S002-14, S002-144.
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
