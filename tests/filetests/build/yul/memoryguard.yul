// With `memoryguard` more values can live at once than the stack reaches; memory of the program is
// left alone.
//! exec: calldata=word(1) => return word(211),word(99)
{
    let free := memoryguard(0x80)
    mstore(0x60, 99)
    mstore(free, 98)
    let a := calldataload(0)
    let b := add(a, 1) let c := add(b, 1) let d := add(c, 1) let e := add(d, 1) let f := add(e, 1)
    let g := add(f, 1) let h := add(g, 1) let i := add(h, 1) let j := add(i, 1) let k := add(j, 1)
    let l := add(k, 1) let m := add(l, 1) let n := add(m, 1) let o := add(n, 1) let p := add(o, 1)
    let q := add(p, 1) let r := add(q, 1) let s := add(r, 1) let t := add(s, 1)
    if iszero(eq(mload(free), 98)) { revert(0, 0) }
    let sum := add(a, add(b, add(c, add(d, add(e, add(f, add(g, add(h, add(i, j)))))))))
    sum := add(sum, add(k, add(l, add(m, add(n, add(o, add(p, add(q, add(r, add(s, t))))))))))
    mstore(free, add(sum, a))
    mstore(add(free, 32), mload(0x60))
    return(free, 64)
}
