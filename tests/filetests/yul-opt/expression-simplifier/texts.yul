// Texts and truth values are no numbers for the rules; two of them are equal if their words are.
//! run: yul-opt --steps s
{
    sstore(0, add(255, false))
    sstore(1, and("abc", 7))
    sstore(2, not(true))
    sstore(3, add(255, 0))
}
// ---- yul-opt --steps s
// {
//     sstore(0, add(255, false))
//     sstore(1, and("abc", 7))
//     sstore(2, not(true))
//     sstore(3, 255)
// }
