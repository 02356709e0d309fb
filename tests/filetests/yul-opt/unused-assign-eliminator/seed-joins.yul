// What one of two branches reads is used: unused in both goes, unused in one stays, and so does what no branch
// reads but code behind them does. With a `default` no way leads around a switch.
// Shows S002-86, S002-88, S002-89, S002-92.
//! run: yul-opt --steps or
{
    let c := calldataload(0)
    let a := 1
    a := 2
    switch c case 0 { a := 3 } default { a := 4 }
    sstore(0, a)
    let b
    b := 5
    switch c case 0 { b := 6 }
    sstore(1, b)
    let d
    d := 7
    if c { sstore(2, d) }
    d := 8
    if c { d := 9 }
    d := 10
    sstore(3, d)
}
// ---- yul-opt --steps or
// {
//     let c := calldataload(0)
//     let a := 1
//     switch c
//     case 0 { a := 3 }
//     default { a := 4 }
//     sstore(0, a)
//     let b
//     b := 5
//     switch c
//     case 0 { b := 6 }
//     sstore(1, b)
//     let d
//     d := 7
//     if c { sstore(2, d) }
//     if c { }
//     d := 10
//     sstore(3, d)
// }
