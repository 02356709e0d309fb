function leaf() {
    let word := calldataload(0)
    let key := and(shr(8, word), 3)
    let value := calldataload(0x20)
    switch and(word, 7)
    case 0 { sstore(key, value) stop() }
    case 1 { sstore(key, add(sload(key), 1)) mstore(0, value) revert(0, 0x20) }
    case 2 { mstore(0, sload(key)) mstore(0x20, value) return(0, 0x40) }
    case 3 { mstore(0, not(word)) mstore(0x20, key) return(0, 0x21) }
    case 4 { log2(0, 0, key, value) mstore(0, caller()) return(0xc, 0x14) }
    case 5 { sstore(key, xor(sload(and(value, 3)), word)) mstore(0x60, key) return(0x60, 0x60) }
    case 6 { if and(value, 1) { selfdestruct(0xe3) } revert(0, 0) }
    default { sstore(sload(key), value) }
    stop()
}
function reenter(to, kind, key, value) -> ok {
    mstore(0, or(kind, shl(8, key)))
    mstore(0x20, value)
    ok := call(150000, to, 0, 0, 0x40, 0, 0x20)
}
function panic(code) {
    mstore(0, shl(224, 0x4e487b71))
    mstore(4, code)
    revert(0, 0x24)
}
function finalize(p, size) {
    let next := add(p, and(add(size, 31), not(31)))
    if or(gt(next, 0xffffffffffffffff), lt(next, p)) { panic(0x41) }
    mstore(0x40, next)
}
function allocate(size) -> p {
    p := mload(0x40)
    finalize(p, size)
}
function hash(key, slot) -> h {
    mstore(0, key)
    mstore(0x20, slot)
    h := keccak256(0, 0x40)
}
function salt() -> s {
    s := add(sload(90), 1)
    sstore(90, s)
}
function last_word() -> w {
    let size := returndatasize()
    if lt(size, 0x20) { leave }
    returndatacopy(0, sub(size, 0x20), 0x20)
    w := mload(0)
}
function split(x) -> a, b, c {
    if iszero(x) { leave }
    a := and(x, 0xff)
    switch gt(x, 0xff)
    case 0 { b := 1 leave }
    default { b := shr(8, x) }
    for { } 1 { c := add(c, 1) } { if gt(c, 2) { leave } if and(a, 1) { a := shr(1, a) continue } b := xor(b, c) }
}
function never(kind) -> r {
    if eq(kind, 1) { stop() }
    if eq(kind, 2) { mstore(0, kind) return(0, 0x20) }
    if eq(kind, 3) { selfdestruct(0xe1) }
    r := kind
    revert(0, 0)
}
function maybe_ends(x) -> r {
    r := add(x, 1)
    switch and(x, 15)
    case 11 { stop() }
    case 12 { mstore(0, r) return(0, 0x20) }
    case 13 { r := never(and(shr(4, x), 3)) }
    case 14 { mstore(0, r) revert(0x1f, 1) }
    default { r := shl(1, r) }
}
function down(n, x) -> r {
    if iszero(n) { r := xor(x, mload(0x60)) leave }
    r := add(down(sub(n, 1), xor(x, n)), n)
}
