// In the suite the name of what was removed is free for what is left.
//! run: yul-opt --suite u:
{
    sstore(0, value_1(calldataload(0)))
    function value_1(a) -> b
    {
        for { } a { a := sload(a) } { b := add(b, a) }
    }
    function unused(value) -> r
    { r := value }
}
// ---- yul-opt --suite u:
// {
//     {
//         sstore(0, value(calldataload(0)))
//     }
//     function value(a) -> b
//     {
//         for { } a { a := sload(a) }
//         { b := add(b, a) }
//     }
// }
