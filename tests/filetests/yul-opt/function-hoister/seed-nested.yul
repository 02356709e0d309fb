// Functions of blocks and of functions move to the end of the outermost block, whose other statements keep
// their order.
// Shows S002-55, S002-56.
//! run: yul-opt --steps h
{
    sstore(0, f(1))
    function f(a) -> r { function g(b) -> s { s := add(b, 1) } r := g(a) }
    if callvalue() { function h() { sstore(2, 2) } h() }
    sstore(1, 1)
}
// ---- yul-opt --steps h
// {
//     sstore(0, f(1))
//     if callvalue() { h() }
//     sstore(1, 1)
//     function g(b) -> s
//     { s := add(b, 1) }
//     function f(a) -> r
//     { r := g(a) }
//     function h()
//     { sstore(2, 2) }
// }
