// What the step needs is missing here, so it leaves the program alone.
// Shows S002-17.
//! run: yul-opt --steps I
{
    for { let i := 0 } 1 { i := add(i, 1) }
    { if gt(i, 9) { break } }
}
// ---- yul-opt --steps I
// {
//     for { let i := 0 } 1 { i := add(i, 1) }
//     { if gt(i, 9) { break } }
// }
