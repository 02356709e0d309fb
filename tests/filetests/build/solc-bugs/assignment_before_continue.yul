// An assignment that is read only after `continue` or `break` is not redundant.
//! exec: calldata=word(5) => return word(22),word(3)
{
    let n := calldataload(0)
    let sum := 0
    let last := 0
    for { let i := 0 let x := 10 } lt(i, n) { i := add(i, 1) } {
        sum := add(sum, x)
        if eq(i, 0) {
            x := 4
            continue
        }
        x := 4
        if eq(i, 3) {
            last := i
            break
        }
        last := 99
    }
    mstore(0, sum)
    mstore(32, last)
    return(0, 64)
}
