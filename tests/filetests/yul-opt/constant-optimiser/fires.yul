// The step changes this program.
//! run: yul-opt --steps {ConstantOptimiser}
{
    sstore(0, 0x1000000000000000000000000000000000000000)
}
// ---- yul-opt --steps {ConstantOptimiser}
// { sstore(0, shl(156, 1)) }
