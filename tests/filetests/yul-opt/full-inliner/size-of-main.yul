// What is put into the code outside of functions makes it larger by its size, and the call still counts: so there is
// room for one `s` only.
//! run: yul-opt --steps i
{
    {
        t() t() t() t()
        pop(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(0)))))))))))))))))))))))))))))))))
        s() s()
    }
    function t() { sstore(0, 0) }
    function s() { sstore(0, sload(sload(0))) }
}
// ---- yul-opt --steps i
// {
//     {
//         sstore(0, 0)
//         sstore(0, 0)
//         sstore(0, 0)
//         sstore(0, 0)
//         pop(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(sload(0)))))))))))))))))))))))))))))))))
//         sstore(0, sload(sload(0)))
//         s()
//     }
//     function t()
//     { sstore(0, 0) }
//     function s()
//     { sstore(0, sload(sload(0))) }
// }
