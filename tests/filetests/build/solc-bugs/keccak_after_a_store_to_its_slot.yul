// A hash used as a storage place is computed again when memory has changed.
//! exec: calldata=word(1),word(2) => return word(11),word(22)
{
    function slot_of(key) -> slot {
        mstore(0, key)
        mstore(32, 0)
        slot := keccak256(0, 64)
    }
    sstore(slot_of(calldataload(0)), 11)
    sstore(slot_of(calldataload(32)), 22)
    let a := sload(slot_of(calldataload(0)))
    let b := sload(slot_of(calldataload(32)))
    mstore(0, a)
    mstore(32, b)
    return(0, 64)
}
