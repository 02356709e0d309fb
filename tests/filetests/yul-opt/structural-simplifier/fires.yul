// The step changes this program.
// Shows S002-40, S002-127.
//! run: yul-opt --steps ohTt
{
    if 1 { sstore(0, 1) }
    if 0 { sstore(0, 2) }
}
// ---- yul-opt --steps ohTt
// { sstore(0, 1) }
