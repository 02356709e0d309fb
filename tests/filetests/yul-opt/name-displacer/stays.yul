// What the step needs is missing here, so it leaves the program alone.
// Shows S002-29.
//! run: yul-opt --steps {NameDisplacer:a,f}
{
    let b := 1
    sstore(b, g())
    function g() -> x
    { x := 2 }
}
// ---- yul-opt --steps {NameDisplacer:a,f}
// {
//     let b := 1
//     sstore(b, g())
//     function g() -> x
//     { x := 2 }
// }
