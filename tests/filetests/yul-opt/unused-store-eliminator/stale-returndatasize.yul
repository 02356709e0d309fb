// A copy of returned data stays when its size is from before the last call.
//! run: yul-opt --steps xaS
{
    let size := returndatasize()
    pop(call(gas(), 1, 0, 0, 0, 0, 0))
    returndatacopy(0, 0, size)
}
// ---- yul-opt --steps xaS
// {
//     let size := returndatasize()
//     let _1 := 0
//     let _2 := 0
//     let _3 := 0
//     let _4 := 0
//     let _5 := 0
//     let _6 := 1
//     let _7 := gas()
//     let _8 := call(_7, _6, _5, _4, _3, _2, _1)
//     pop(_8)
//     let _9 := 0
//     let _10 := 0
//     returndatacopy(_10, _9, size)
// }
