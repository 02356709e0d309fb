// Large numbers become expressions where that is cheaper.
//! run: yul-opt --steps {ConstantOptimiser}
{ sstore(0x1000000000000000000000000000000000000, 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000) }
// ---- yul-opt --steps {ConstantOptimiser}
// {
//     sstore(shl(144, 1), not(65535))
// }
