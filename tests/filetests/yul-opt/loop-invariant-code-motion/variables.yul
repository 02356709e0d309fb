// Neither parameters nor results of a call that gives several are known; logs change nothing that can be read.
//! run: yul-opt --steps M
{
    let a, b := pair(1)
    for { } calldataload(0) { }
    {
        let x := add(a, 1)
        let y := balance(7)
        log0(x, y)
    }
    function pair(p) -> r, s
    {
        for { } calldataload(0) { }
        {
            let x := add(p, 1)
            sstore(x, 1)
        }
        r := 1
    }
}
// ---- yul-opt --steps M
// {
//     let a, b := pair(1)
//     let y := balance(7)
//     for { } calldataload(0) { }
//     {
//         let x := add(a, 1)
//         log0(x, y)
//     }
//     function pair(p) -> r, s
//     {
//         for { } calldataload(0) { }
//         {
//             let x_1 := add(p, 1)
//             sstore(x_1, 1)
//         }
//         r := 1
//     }
// }
