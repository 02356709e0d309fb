// Movable values are written again where the variable is used; calls, what has effects, what reads memory, storage
// or the state outside, and what depends on the size of memory or of returned data are not.
// Shows S002-34, S002-96, S002-98, S002-99, S002-100, S002-156, S002-159.
//! run: yul-opt --steps {Rematerialiser}
{
    let m := caller()
    let f1 := f()
    let sent := call(0, 0, 0, 0, 0, 0, 0)
    let read := mload(0)
    let kept := sload(0)
    let other := extcodesize(1)
    let size := msize()
    let back := returndatasize()
    let left := gas()
    sstore(add(m, 1), add(f1, add(sent, add(read, add(kept, add(other, add(size, add(back, left))))))))
    function f() -> r { r := 1 }
}
// ---- yul-opt --steps {Rematerialiser}
// {
//     let m := caller()
//     let f1 := f()
//     let sent := call(0, 0, 0, 0, 0, 0, 0)
//     let read := mload(0)
//     let kept := sload(0)
//     let other := extcodesize(1)
//     let size := msize()
//     let back := returndatasize()
//     let left := gas()
//     sstore(add(caller(), 1), add(f1, add(sent, add(read, add(kept, add(other, add(size, add(back, left))))))))
//     function f() -> r
//     { r := 1 }
// }
