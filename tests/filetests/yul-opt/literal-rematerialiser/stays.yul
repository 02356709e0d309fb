// What the step needs is missing here, so it leaves the program alone.
// Shows S002-33, S002-103.
//! run: yul-opt --steps oT
{
    let a := 7
    if calldataload(0) { a := 8 }
    sstore(0, a)
}
// ---- yul-opt --steps oT
// {
//     let a := 7
//     if calldataload(0) { a := 8 }
//     sstore(0, a)
// }
