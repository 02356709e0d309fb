// A call is not movable where its function has effects or reads memory; where all that the function does is movable,
// the call is.
// Shows S002-97.
//! run: yul-opt --steps ohc
{
    let x := calldataload(0)
    let a := writes(x)
    let b := writes(x)
    let c := reads(x)
    mstore(c, b)
    let d := reads(x)
    let e := pure(x)
    mstore(d, e)
    let f := pure(x)
    sstore(add(a, b), add(d, f))
    function writes(v) -> r { sstore(v, 1) r := v }
    function reads(v) -> r { r := mload(v) }
    function pure(v) -> r { r := mul(v, 3) }
}
// ---- yul-opt --steps ohc
// {
//     let x := calldataload(0)
//     let a := writes(x)
//     let b := writes(x)
//     let c := reads(x)
//     mstore(c, b)
//     let d := reads(x)
//     let e := pure(x)
//     mstore(d, e)
//     let f := e
//     sstore(add(a, b), add(d, e))
//     function writes(v) -> r
//     {
//         sstore(v, 1)
//         r := v
//     }
//     function reads(v_1) -> r_2
//     { r_2 := mload(v_1) }
//     function pure(v_3) -> r_4
//     { r_4 := mul(v_3, 3) }
// }
