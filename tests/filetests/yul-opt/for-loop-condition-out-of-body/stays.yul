// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps O
{
    for { let i := 0 } 1 { i := add(i, 1) }
    {
        if iszero(mload(i)) { break }
        mstore(i, 1)
    }
}
// ---- yul-opt --steps O
// {
//     for { let i := 0 } 1 { i := add(i, 1) }
//     {
//         if iszero(mload(i)) { break }
//         mstore(i, 1)
//     }
// }
