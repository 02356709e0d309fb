// Constants wait on the stack only before Tangerine Whistle: behind sixteen of them a variable is out of reach.
//! run: yul-opt --steps ohg{StackCompressor} --evm-version homestead
//! run: yul-opt --steps ohg{StackCompressor} --evm-version cancun
{
    let y := calldataload(calldataload(9))
    sstore(y, add(add(add(add(add(add(add(add(add(add(add(add(add(add(add(add(y, 0), 1), 2), 3), 4), 5), 6), 7), 8), 9), 10), 11), 12), 13), 14), 15))
    sstore(1, y)
}
// ---- yul-opt --steps ohg{StackCompressor} --evm-version homestead
// {
//     {
//         sstore(calldataload(calldataload(9)), add(add(add(add(add(add(add(add(add(add(add(add(add(add(add(add(calldataload(calldataload(9)), 0), 1), 2), 3), 4), 5), 6), 7), 8), 9), 10), 11), 12), 13), 14), 15))
//         sstore(1, calldataload(calldataload(9)))
//     }
// }
// ---- yul-opt --steps ohg{StackCompressor} --evm-version cancun
// {
//     {
//         let y := calldataload(calldataload(9))
//         sstore(y, add(add(add(add(add(add(add(add(add(add(add(add(add(add(add(add(y, 0), 1), 2), 3), 4), 5), 6), 7), 8), 9), 10), 11), 12), 13), 14), 15))
//         sstore(1, y)
//     }
// }
