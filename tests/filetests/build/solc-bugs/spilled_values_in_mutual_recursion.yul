// More values than the stack reaches are live over calls of functions that call each other.
//! exec: calldata=word(3) => return word(6400)
{
    function odd(n, m) -> r {
        if n { r := even(sub(n, 1), m) }
    }
    function even(n, m) -> r {
        let a := add(n, 1) let b := add(m, 2) let c := add(n, 3) let d := add(m, 4)
        let e := add(n, 5) let f := add(m, 6) let g := add(n, 7) let h := add(m, 8)
        let i := add(n, 9) let j := add(m, 10) let k := add(n, 11) let l := add(m, 12)
        let o := add(n, 13) let p := add(m, 14) let q := add(n, 15) let s := add(m, 16)
        let t := 0
        if n { t := odd(n, add(m, 1)) }
        sstore(n, t)
        r := add(mul(t, 3), add(a, add(b, add(c, add(d, add(e, add(f, add(g, add(h, i)))))))))
        r := add(r, add(j, add(k, add(l, add(o, add(p, add(q, s)))))))
    }
    mstore(0, 0)
    mstore(memoryguard(0x80), 0)
    let result := even(calldataload(0), 0)
    mstore(0, result)
    return(0, 32)
}
