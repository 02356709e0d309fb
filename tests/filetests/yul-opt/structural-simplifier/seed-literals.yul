// A branch by a literal is decided: `if`, `switch` with the case that matches or the default, and a loop that
// never runs.
// Shows S002-121, S002-122, S002-125, S002-126.
//! run: yul-opt --steps ot
{
    if 1 { sstore(0, 1) }
    if 0 { sstore(0, 2) }
    switch 3 case 2 { sstore(1, 2) } case 3 { sstore(1, 3) } default { sstore(1, 4) }
    switch 5 case 2 { sstore(2, 2) } default { sstore(2, 4) }
    switch 6 case 2 { sstore(3, 2) }
    for { let i := f() } 0 { i := 1 } { sstore(4, i) }
    function f() -> r { sstore(5, 5) }
}
// ---- yul-opt --steps ot
// {
//     sstore(0, 1)
//     { sstore(1, 3) }
//     { sstore(2, 4) }
//     let i := f()
//     function f() -> r
//     { sstore(5, 5) }
// }
