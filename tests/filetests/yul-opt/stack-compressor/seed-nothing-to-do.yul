// Only functions in which a variable is out of reach are touched: the same values in another function stay.
// Shows S002-151, S002-153.
//! run: yul-opt --steps {StackCompressor}
{
    f()
    g()
    function f() {
        let a := calldataload(0)
        let b := calldataload(1)
        sstore(0, a) sstore(1, b)
    }
    function g() {
        let a := calldataload(0) let b := calldataload(1) let c := calldataload(2) let d := calldataload(3)
        let e := calldataload(4) let h := calldataload(5) let i := calldataload(6) let j := calldataload(7)
        let k := calldataload(8) let l := calldataload(9) let m := calldataload(10) let n := mload(11)
        let o := calldataload(12) let p := calldataload(13) let q := calldataload(14) let r := calldataload(15)
        let s := calldataload(16) let t := mload(17)
        sstore(a, b) sstore(c, d) sstore(e, h) sstore(i, j) sstore(k, l) sstore(m, n) sstore(o, p) sstore(q, r)
        sstore(s, t)
        sstore(0, a)
    }
}
// ---- yul-opt --steps {StackCompressor}
// {
//     {
//         f()
//         g()
//     }
//     function f()
//     {
//         let a := calldataload(0)
//         let b := calldataload(1)
//         sstore(0, a)
//         sstore(1, b)
//     }
//     function g()
//     {
//         let a_1 := calldataload(0)
//         let b_2 := calldataload(1)
//         let h := calldataload(5)
//         let i := calldataload(6)
//         let j := calldataload(7)
//         let k := calldataload(8)
//         let l := calldataload(9)
//         let m := calldataload(10)
//         let n := mload(11)
//         let o := calldataload(12)
//         let p := calldataload(13)
//         let q := calldataload(14)
//         let r := calldataload(15)
//         let s := calldataload(16)
//         let t := mload(17)
//         sstore(a_1, b_2)
//         sstore(calldataload(2), calldataload(3))
//         sstore(calldataload(4), h)
//         sstore(i, j)
//         sstore(k, l)
//         sstore(m, n)
//         sstore(o, p)
//         sstore(q, r)
//         sstore(s, t)
//         sstore(0, a_1)
//     }
// }
