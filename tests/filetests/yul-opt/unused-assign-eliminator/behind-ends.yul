// Arguments are evaluated from the last to the first: what stands before a call that does not come back is not read.
//! run: yul-opt --steps r
{
    let a := 1
    if calldataload(0) {
        a := 2
        sstore(a, fail())
    }
    sstore(0, a)
    function fail() -> x { revert(0, 0) }
}
// ---- yul-opt --steps r
// {
//     let a := 1
//     if calldataload(0) { sstore(a, fail()) }
//     sstore(0, a)
//     function fail() -> x
//     { revert(0, 0) }
// }
