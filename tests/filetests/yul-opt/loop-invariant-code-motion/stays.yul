// What the step needs is missing here, so it leaves the program alone.
// Shows S002-38.
//! run: yul-opt --steps ohM
{
    let i
    for { } lt(i, 9) { i := add(i, 1) }
    {
        let c := mul(i, 3)
        mstore(i, c)
    }
}
// ---- yul-opt --steps ohM
// {
//     let i
//     for { } lt(i, 9) { i := add(i, 1) }
//     {
//         let c := mul(i, 3)
//         mstore(i, c)
//     }
// }
