// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps {StackLimitEvader:$}
{
    let $x := calldataload(0)
    sstore($x, $x)
}
// ---- yul-opt --steps {StackLimitEvader:$}
// {
//     let $x := calldataload(0)
//     sstore($x, $x)
// }
