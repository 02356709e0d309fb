// Variables move to the memory that the guard reserves.
//! run: yul-opt --steps {StackLimitEvader:m}
{
    mstore(64, memoryguard(128))
    let m := f(1)
    sstore(0, m)
    function f(x) -> m1 { m1 := add(x, 1) }
}
// ---- yul-opt --steps {StackLimitEvader:m}
// {
//     mstore(64, memoryguard(0xc0))
//     mstore(0x80, f(1))
//     sstore(0, mload(0x80))
//     function f(x_2) -> m1
//     {
//         mstore(0xa0, 0)
//         f_1(x_2)
//         m1 := mload(0xa0)
//     }
//     function f_1(x)
//     { mstore(0xa0, add(x, 1)) }
// }
