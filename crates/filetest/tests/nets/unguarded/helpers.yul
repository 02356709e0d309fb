function panic() { mstore(0, shl(224, 0x4e487b71)) mstore(4, 0x41) revert(0, 0x24) }
function allocate_unbounded() -> p { p := mload(64) }
function allocate(size) -> p { p := allocate_unbounded() finalize(p, size) }
function allocate_touched(size) -> p {
    if gt(size, 0xffffffffffffffff) { panic() }
    p := allocate(size)
    mstore(add(p, size), 1)
    mstore(p, size)
}
function zeroed(n) -> p {
    p := allocate(mul(n, 0x20))
    calldatacopy(p, calldatasize(), mul(n, 0x20))
}
function array(n, x) -> p {
    if gt(n, 0xffffffffffffffff) { panic() }
    p := allocate(add(mul(n, 0x20), 0x20))
    mstore(p, n)
    for { let i := 0 } lt(i, n) { i := add(i, 1) } { mstore(add(add(p, 0x20), mul(i, 0x20)), add(x, i)) }
}
function array_item(p, i) -> r { if lt(i, mload(p)) { r := mload(add(add(p, 0x20), mul(i, 0x20))) } }
function array_hash(p) -> r { r := keccak256(p, add(0x20, and(mul(mload(p), 0x20), 0xff))) }
function bytes_of_calldata(at, n) -> p {
    p := mload(0x40)
    mstore(0x40, add(p, and(add(n, 63), not(31))))
    mstore(p, n)
    calldatacopy(add(p, 0x20), at, n)
}
function bytes_of_returndata() -> p {
    switch returndatasize() case 0 { p := allocate(0x20) mstore(p, 0) } default {
        p := allocate(and(add(returndatasize(), 0x3f), not(0x1f)))
        mstore(p, returndatasize())
        returndatacopy(add(p, 0x20), 0, returndatasize())
    }
}
function struct(one, two, inner) -> p {
    p := allocate(0x60)
    mstore(p, inner)
    mstore(add(p, 0x20), one)
    mstore(add(p, 0x40), two)
}
function encode(head, a, b) -> tail {
    mstore(head, a)
    mstore(add(head, 0x20), b)
    tail := add(head, 0x40)
}
function ask(account, a, b) -> r {
    let p := mload(64)
    mstore(p, shl(224, 0xa2b3c4d5))
    let tail := encode(add(p, 4), a, b)
    let ok := call(300000, account, 0, p, sub(tail, p), p, 0x40)
    if iszero(ok) {
        let q := mload(64)
        returndatacopy(q, 0, returndatasize())
        revert(q, returndatasize())
    }
    let size := 0x40
    if gt(size, returndatasize()) { size := returndatasize() }
    finalize(p, size)
    if slt(sub(add(p, size), p), 0x20) { revert(0, 0) }
    r := mload(p)
}
function hash_pair(a, b) -> r {
    let p := mload(0x40)
    mstore(add(p, 0x20), a)
    mstore(add(p, 0x40), b)
    mstore(p, 0x40)
    mstore(0x40, add(p, 0x60))
    r := keccak256(add(p, 0x20), mload(p))
}
function hash_scratch(a, b) -> r { mstore(0, a) mstore(0x20, b) r := keccak256(0, 0x40) }
function recurse(n, x) -> r {
    let p := allocate(0x40)
    mstore(p, x)
    mstore(add(p, 0x20), n)
    if n { r := recurse(sub(n, 1), add(x, mload(p))) }
    r := add(mul(r, 3), keccak256(p, 0x40))
}
function low(x) -> r { r := and(x, 0x60) }
function put(place, x) { mstore(place, x) }
function get(place) -> x { x := mload(place) }
function look() -> x { x := mload(0x40) }
function fill(x) { mstore(0x40, x) }
function same(x) -> y { y := x if calldataload(0x40) { sstore(4, 1) } }
