function panic(code) { mstore(0, shl(224, 0x4e487b71)) mstore(4, code) revert(0, 0x24) }
function mix(x, y) -> z { z := add(mul(x, 31), add(y, 1)) }
function allocate(size) -> p {
    p := mload(64)
    let next := add(p, and(add(size, 31), not(31)))
    if or(gt(next, 0xffffffffffffffff), lt(next, p)) { panic(0x41) }
    mstore(64, next)
}
function new_array(n) -> a {
    if gt(n, 0xffffffffffffffff) { panic(0x41) }
    a := allocate(add(32, shl(5, n)))
    mstore(a, n)
    calldatacopy(add(a, 32), calldatasize(), shl(5, n))
}
function at(a, i) -> p {
    if iszero(lt(i, mload(a))) { panic(0x32) }
    p := add(add(a, 32), shl(5, i))
}
function checked_add(x, y) -> z { z := add(x, y) if gt(x, z) { panic(0x11) } }
function checked_sub(x, y) -> z { z := sub(x, y) if gt(z, x) { panic(0x11) } }
function checked_mul(x, y) -> z {
    z := mul(x, y)
    if iszero(or(iszero(x), eq(y, div(z, x)))) { panic(0x11) }
}
function inc(x) -> y { if eq(x, not(0)) { panic(0x11) } y := add(x, 1) }
function step(x) -> y { y := add(x, 1) }
function pass(x) -> y { y := x }
function min(x, y) -> z { z := x if lt(y, x) { z := y } }
function max(x, y) -> z { z := x if gt(y, x) { z := y } }
function count(x, n, by) -> y {
    y := x
    if iszero(n) { leave }
    let next := add(x, by)
    if lt(next, x) { leave }
    y := count(next, sub(n, 1), by)
}
function write(a, i, x) { mstore(add(a, shl(5, i)), x) }
function mapped(key, slot) -> at_key { mstore(0, key) mstore(32, slot) at_key := keccak256(0, 64) }
function listed(slot) -> first { mstore(0, slot) first := keccak256(0, 32) }
function copy(to, from, size) {
    for { let i := 0 } lt(i, size) { i := add(i, 32) } { mstore(add(to, i), mload(add(from, i))) }
}
function copy_data(to, from, size) {
    let end := add(to, size)
    for { } lt(to, end) { to := add(to, 32) } { mstore(to, calldataload(from)) from := add(from, 32) }
}
