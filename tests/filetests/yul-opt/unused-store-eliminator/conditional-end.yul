// A store before a call that may end the execution stays.
//! run: yul-opt --steps oxaSju
{
    sstore(0, 1)
    f()
    sstore(0, 2)
    function f() { if calldataload(0) { stop() } }
}
// ---- yul-opt --steps oxaSju
// {
//     {
//         sstore(0, 1)
//         f()
//         sstore(0, 2)
//     }
//     function f()
//     { if calldataload(0) { stop() } }
// }
