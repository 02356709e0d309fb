// The step changes this program.
// Shows S002-29.
//! run: yul-opt --steps {NameDisplacer:a,f}
{
    let a := 1
    sstore(a, f())
    function f() -> x
    { x := 2 }
}
// ---- yul-opt --steps {NameDisplacer:a,f}
// {
//     let a_1 := 1
//     sstore(a_1, f_2())
//     function f_2() -> x
//     { x := 2 }
// }
