// `continue` runs the post block, `break` does not; the init block's variables live in all parts.
//! exec: => return word(24)
{
    let sum
    for { let i := 0 let step := 1 } lt(i, 10) { i := add(i, step) sum := add(sum, 1) } {
        if eq(i, 2) { continue }
        if eq(i, 6) { break }
        sum := add(sum, i)
        if eq(i, 4) { step := 2 }
    }
    // i = 0, 1, 2, 3, 4, 6: 0 + 1 + 3 + 4, and 5 posts; 8 + 5 = 13, and 11 from the next loop.
    for { let i := 0 } 1 { i := add(i, 1) } {
        if eq(i, 11) { sum := add(sum, i) break }
    }
    mstore(0, sum)
    return(0, 32)
}
