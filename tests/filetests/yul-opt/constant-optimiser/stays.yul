// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps {ConstantOptimiser}
{ sstore(0, 0x1000) }
// ---- yul-opt --steps {ConstantOptimiser}
// { sstore(0, 0x1000) }
