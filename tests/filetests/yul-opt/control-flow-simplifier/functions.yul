// That a function never comes back does not make a loop run once, here; an opcode that ends the run does.
//! run: yul-opt --steps n
{
    for { } calldataload(0) { } { sstore(0, 0) fail() }
    for { } calldataload(1) { } { sstore(0, 0) revert(0, 0) }
    function fail() { revert(0, 0) }
}
// ---- yul-opt --steps n
// {
//     for { } calldataload(0) { }
//     {
//         sstore(0, 0)
//         fail()
//     }
//     if calldataload(1)
//     {
//         sstore(0, 0)
//         revert(0, 0)
//     }
//     function fail()
//     { revert(0, 0) }
// }
