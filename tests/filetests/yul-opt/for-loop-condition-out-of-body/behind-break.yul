// What stands behind the `break` is never reached.
//! run: yul-opt --steps O
{
    for { } 1 { } { if calldataload(0) { break sstore(0, 1) } sstore(1, 1) }
}
// ---- yul-opt --steps O
// {
//     for { } iszero(calldataload(0)) { }
//     { sstore(1, 1) }
// }
