// What the step needs is missing here, so it leaves the program alone.
// Shows S002-31.
//! run: yul-opt --steps or
{
    let a
    a := f()
    a := 2
    sstore(0, a)
    function f() -> x
    { x := 1 }
}
// ---- yul-opt --steps or
// {
//     let a
//     a := f()
//     a := 2
//     sstore(0, a)
//     function f() -> x
//     { x := 1 }
// }
