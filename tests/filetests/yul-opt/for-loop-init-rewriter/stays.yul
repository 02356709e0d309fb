// What the step needs is missing here, so it leaves the program alone.
// Shows S002-18.
//! run: yul-opt --steps o
{
    let i := 0
    for { } lt(i, 9) { i := add(i, 1) }
    { mstore(i, 1) }
}
// ---- yul-opt --steps o
// {
//     let i := 0
//     for { } lt(i, 9) { i := add(i, 1) }
//     { mstore(i, 1) }
// }
