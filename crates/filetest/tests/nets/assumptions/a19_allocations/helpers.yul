function panic() { mstore(0, shl(224, 0x4e487b71)) mstore(4, 0x41) revert(0, 0x24) }
function free_memory() -> p { p := mload(0x40) }
function allocate(size) -> p { p := mload(0x40) finalize(p, size) }
function allocate_filled(n, value) -> p {
    p := allocate(mul(n, 0x20))
    fill(p, mul(n, 0x20), value)
}
function encode(head, value) -> tail { mstore(head, value) tail := add(head, 0x20) }
function encode_words(head, from, n) -> tail {
    tail := head
    for { let i := 0 } lt(i, n) { i := add(i, 1) } { tail := encode(tail, mload(add(from, mul(i, 0x20)))) }
}
function decode(head, tail) -> value {
    if slt(sub(tail, head), 0x20) { revert(0, 0) }
    value := mload(head)
}
function fill(p, size, value) {
    for { let i := 0 } lt(i, size) { i := add(i, 0x20) } { mstore(add(p, i), add(value, mul(i, 0x10001))) }
}
function sum(p, size) -> r {
    for { let i := 0 } lt(i, size) { i := add(i, 0x20) } { r := add(mul(r, 3), mload(add(p, i))) }
}
function hash(a, b) -> r {
    let p := mload(0x40)
    mstore(p, a)
    mstore(add(p, 0x20), b)
    r := keccak256(p, 0x40)
}
function hash_kept(a, b) -> r {
    let p := mload(0x40)
    mstore(add(p, 0x20), a)
    mstore(add(p, 0x40), b)
    mstore(p, sub(add(p, 0x60), add(p, 0x20)))
    finalize(p, 0x60)
    r := keccak256(add(p, 0x20), mload(p))
}
function identity(a, b) -> r {
    let p := mload(0x40)
    mstore(p, shl(224, 0xa1b2c3d4))
    mstore(add(p, 4), a)
    mstore(add(p, 0x24), b)
    let ok := staticcall(gas(), 4, p, 0x44, p, 0x40)
    if iszero(ok) {
        let q := mload(0x40)
        returndatacopy(q, 0, returndatasize())
        revert(q, returndatasize())
    }
    let size := 0x40
    if gt(size, returndatasize()) { size := returndatasize() }
    finalize(p, size)
    r := add(decode(p, add(p, size)), mload(add(p, 0x20)))
}
function array_new(n, value) -> p {
    if gt(n, 0xffffffffffffffff) { panic() }
    p := allocate(add(mul(n, 0x20), 0x20))
    mstore(p, n)
    fill(add(p, 0x20), mul(n, 0x20), value)
}
function array_sum(p) -> r { r := sum(add(p, 0x20), mul(mload(p), 0x20)) }
function array_hash(p) -> r { r := keccak256(p, add(mul(mload(p), 0x20), 0x20)) }
function array_set(p, i, value) { if lt(i, mload(p)) { mstore(add(p, add(mul(i, 0x20), 0x20)), value) } }
function array_copy(from) -> p {
    let n := mload(from)
    p := mload(0x40)
    mstore(p, n)
    let tail := encode_words(add(p, 0x20), add(from, 0x20), n)
    finalize(p, sub(tail, p))
}
function bytes_given(offset, length) -> p {
    p := mload(0x40)
    mstore(0x40, add(p, and(add(length, 63), not(31))))
    mstore(p, length)
    calldatacopy(add(p, 0x20), offset, length)
}
function bytes_returned() -> p {
    let size := returndatasize()
    if gt(size, 0x80) { size := 0x80 }
    p := mload(0x40)
    finalize(p, add(size, 0x20))
    mstore(p, size)
    returndatacopy(add(p, 0x20), 0, size)
}
function bytes_hash(p) -> r { r := keccak256(add(p, 0x20), mload(p)) }
function concat(a, b) -> p {
    p := mload(0x40)
    let n := mload(a)
    mcopy(add(p, 0x20), add(a, 0x20), n)
    mcopy(add(add(p, 0x20), n), add(b, 0x20), mload(b))
    n := add(n, mload(b))
    mstore(p, n)
    finalize(p, add(n, 0x20))
}
function push(list, value) -> node {
    node := allocate(0x40)
    mstore(node, list)
    mstore(add(node, 0x20), value)
}
function walk(list) -> r {
    for { } list { list := mload(list) } { r := add(mul(r, 5), mload(add(list, 0x20))) }
}
function keep(slot, p) { mstore(slot, p) }
function step(from, value) -> p {
    p := mload(0x40)
    mstore(p, add(mload(from), value))
    mstore(0x40, add(p, 0x40))
    mstore(add(p, 0x20), mload(add(from, 0x20)))
}
