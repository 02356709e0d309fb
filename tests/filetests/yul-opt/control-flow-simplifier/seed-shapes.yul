// An `if` without statements and a switch with a default alone drop their condition; a switch with one case
// becomes an `if`.
// Shows S002-30, S002-120, S002-123, S002-124.
//! run: yul-opt --steps on
{
    if mload(0) { }
    switch calldataload(0) case 7 { sstore(0, 1) }
    switch mload(1) default { sstore(1, 1) }
    switch mload(2) case 0 { } case 1 { sstore(2, 1) }
}
// ---- yul-opt --steps on
// {
//     pop(mload(0))
//     if eq(7, calldataload(0)) { sstore(0, 1) }
//     pop(mload(1))
//     { sstore(1, 1) }
//     if eq(1, mload(2)) { sstore(2, 1) }
// }
