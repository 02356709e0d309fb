// At the end of its scope an assignment that nobody read is unused, but to a return variable it is used,
// also where the function is left early.
// Shows S002-93, S002-94.
//! run: yul-opt --steps or
{
    sstore(0, f(calldataload(0)))
    function f(x) -> r {
        let a := 1
        if x { a := 2 }
        r := 3
        if gt(x, 7) { leave }
        r := 4
        { let b b := 5 }
    }
}
// ---- yul-opt --steps or
// {
//     sstore(0, f(calldataload(0)))
//     function f(x) -> r
//     {
//         let a := 1
//         if x { }
//         r := 3
//         if gt(x, 7) { leave }
//         r := 4
//         { let b }
//     }
// }
