// Inlined is `function f(...) -> r { r := E }` where `E` does not mention `r` or `f`, with movable arguments: each may
// be copied, dropped or moved by it.
// Shows S002-22, S002-41, S002-133, S002-134, S002-135.
//! run: yul-opt --steps e
{
    let x := calldataload(0)
    sstore(0, twice(x))
    sstore(1, second(x, 2))
    sstore(2, twice(mload(0)))
    sstore(3, itself(x))
    sstore(4, own(x))
    sstore(5, longer(x))
    function twice(a) -> r { r := add(a, a) }
    function second(a, b) -> r { r := sub(b, a) }
    function itself(a) -> r { r := itself(a) }
    function own(a) -> r { r := add(r, a) }
    function longer(a) -> r { let b := mul(a, 3) r := b }
}
// ---- yul-opt --steps e
// {
//     let x := calldataload(0)
//     sstore(0, add(x, x))
//     sstore(1, sub(2, x))
//     sstore(2, twice(mload(0)))
//     sstore(3, itself(x))
//     sstore(4, own(x))
//     sstore(5, longer(x))
//     function twice(a) -> r
//     { r := add(a, a) }
//     function second(a_1, b) -> r_2
//     { r_2 := sub(b, a_1) }
//     function itself(a_3) -> r_4
//     { r_4 := itself(a_3) }
//     function own(a_5) -> r_6
//     { r_6 := add(r_6, a_5) }
//     function longer(a_7) -> r_8
//     {
//         let b_9 := mul(a_7, 3)
//         r_8 := b_9
//     }
// }
