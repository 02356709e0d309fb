// The step changes this program.
// Shows S002-09.
//! run: yul-opt --steps oD
{
    sstore(0, 1)
    return(0, 0)
    sstore(0, 2)
}
// ---- yul-opt --steps oD
// {
//     sstore(0, 1)
//     return(0, 0)
// }
