// The code becomes a function.
// Shows S002-162.
//! run: yul-opt --step main-function
{ sstore(0, 1) function f() { } }
// ---- yul-opt --step main-function
// {
//     function main()
//     { sstore(0, 1) }
//     function f()
//     { }
// }
