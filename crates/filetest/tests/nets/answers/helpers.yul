function allocate(size) -> p {
    p := mload(0x40)
    finalize(p, size)
}
function finalize(p, size) {
    let next := add(p, and(add(size, 31), not(31)))
    if or(gt(next, 0xffffffffffffffff), lt(next, p)) { revert(0, 0) }
    mstore(0x40, next)
}
function forward() {
    let p := mload(0x40)
    returndatacopy(p, 0, returndatasize())
    revert(p, returndatasize())
}
function forward_to(p) {
    returndatacopy(p, 0, returndatasize())
    revert(p, returndatasize())
}
function forward_sized(p, size) {
    returndatacopy(p, 0, size)
    revert(p, size)
}
function word_at(p) -> v { v := mload(p) }
function answer_at(p) -> v {
    if lt(returndatasize(), 0x20) { revert(0, 0) }
    v := mload(p)
}
function decode(start, end) -> v {
    if slt(sub(end, start), 0x20) { revert(0, 0) }
    v := mload(start)
}
function decode_bool(start, end) -> v {
    if slt(sub(end, start), 0x20) { revert(0, 0) }
    v := mload(start)
    if iszero(eq(v, iszero(iszero(v)))) { v := and(v, 1) }
}
function key(slot, k) -> h {
    mstore(0, k)
    mstore(0x20, slot)
    h := keccak256(0, 0x40)
}
function ask(p, selector, argument, size) -> ok {
    mstore(p, shl(224, selector))
    mstore(add(p, 4), argument)
    ok := call(gas(), 0xe9, 0, p, 0x24, p, size)
}
