// The step changes this program.
// Shows S002-17.
//! run: yul-opt --steps I
{
    for { let i := 0 } lt(i, 9) { i := add(i, 1) }
    { mstore(i, 1) }
}
// ---- yul-opt --steps I
// {
//     for { let i := 0 } true { i := add(i, 1) }
//     {
//         if iszero(lt(i, 9)) { break }
//         mstore(i, 1)
//     }
// }
