function panic(code) { mstore(0, shl(224, 0x4e487b71)) mstore(4, code) revert(0, 0x24) }
function allocate(size) -> p { p := mload(64) finalize(p, size) }
function allocate_zeroed(size) -> p { p := allocate(size) calldatacopy(p, calldatasize(), size) }
function allocate_filled(x) -> p {
    p := allocate(0x80)
    for { let i := 0 } lt(i, 0x80) { i := add(i, 0x20) } { mstore(add(p, i), add(x, i)) }
}
function fail_a(p, n) { mstore(p, xor(mload(p), n)) revert(p, 0x44) }
function fail_b(p, n) { mstore(add(p, 0x20), n) revert(p, 0x64) }
function fail_c(p, n) { if gt(n, 0xff) { revert(p, 0x40) } sstore(n, 7) invalid() }
function fail_d(p, n) { if and(n, 1) { revert(p, 0x20) } return(p, 0x40) }
function fail_text(p, x, n) {
    let q := mload(0x40)
    mstore(q, shl(229, 0x461bcd))
    mstore(add(q, 4), n)
    let i := 0
    for { } lt(i, 0x80) { i := add(i, 0x20) } { mstore(add(add(q, 0x24), i), mload(add(p, i))) }
    mstore(add(q, 0xa4), x)
    revert(q, 0xc4)
}
function fail_far(p, x) {
    switch and(x, 3)
    case 0 { fail_a(p, x) }
    case 1 { log1(p, 0x40, x) revert(p, 0x60) }
    default { fail_text(p, x, 9) }
}
function endless(x) { endless(add(x, 1)) }
function sum(p, size) -> r {
    for { let end := add(p, size) } lt(p, end) { p := add(p, 0x20) } { r := add(mul(r, 31), mload(p)) }
}
function driver() {
    let acc := 0
    for { let i := 0 } lt(i, 8) { i := add(i, 1) } {
        let p := allocate(0x60)
        mstore(0x20, i)
        for { let j := 0 } lt(j, 0x60) { j := add(j, 0x20) } {
            mstore(0, calldataload(j))
            mstore(add(p, j), keccak256(0, 0x40))
        }
        let ok
        switch i
        case 3 { ok := staticcall(1200000, address(), p, 0x60, 0, 0) }
        case 5 { ok := delegatecall(1200000, address(), p, 0x60, 0, 0) }
        default { ok := call(1200000, address(), 0, p, 0x60, 0, 0) }
        let n := and(returndatasize(), 0xfff)
        let q := allocate(add(n, 0x60))
        mstore(q, acc)
        mstore(add(q, 0x20), ok)
        mstore(add(q, 0x40), n)
        returndatacopy(add(q, 0x60), 0, n)
        acc := keccak256(q, add(0x60, n))
        sstore(add(100, i), acc)
    }
    mstore(0, acc)
    return(0, 0x20)
}
