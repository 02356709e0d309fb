// The step changes this program.
//! run: yul-opt --steps {StackLimitEvader:$}
{
    mstore(64, memoryguard(128))
    let $x := calldataload(0)
    sstore($x, $x)
}
// ---- yul-opt --steps {StackLimitEvader:$}
// {
//     mstore(64, memoryguard(0xa0))
//     mstore(0x80, calldataload(0))
//     sstore(mload(0x80), mload(0x80))
// }
