// Nothing moves where a function with moved variables can call itself.
//! run: yul-opt --steps {StackLimitEvader:m}
{
    mstore(64, memoryguard(128))
    f(1)
    function f(m) { if m { f(sub(m, 1)) } }
}
// ---- yul-opt --steps {StackLimitEvader:m}
// {
//     mstore(64, memoryguard(128))
//     f(1)
//     function f(m)
//     { if m { f(sub(m, 1)) } }
// }
