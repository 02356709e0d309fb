//! Slots, fields and variables of short programs.

use super::{find_touched, find_variables, path_text};
use crate::analyze::analyze;
use cairn_evm::{Word, keccak256};

/// Accesses of a program: offset, slot and path, offset in the word and type.
fn accesses(digits: &str) -> Vec<String> {
    let code = cairn_evm::hex::decode(digits).expect("digits");
    let touched = find_touched(&analyze(&code));
    let text = |found: &super::StorageAccess| {
        let slot = found.slot.map_or_else(|| "?".to_owned(), |slot| slot.to_string());
        let path = path_text(&found.steps);
        format!("{} {} {slot}{path}.{} {}", found.pc, found.access.name(), found.offset, found.kind)
    };
    touched.storage.iter().map(text).collect()
}

/// Variables of a program: slot, offset and type.
fn variables(digits: &str) -> Vec<String> {
    let code = cairn_evm::hex::decode(digits).expect("digits");
    let analysis = analyze(&code);
    let found = find_variables(&analysis, &find_touched(&analysis).storage);
    found.iter().map(|found| format!("{}.{} {}", found.slot, found.offset, found.kind)).collect()
}

#[test]
fn a_slot_comes_from_both_ways() {
    // PUSH1 7, CALLVALUE, PUSH1 9, JUMPI, POP, PUSH1 9; JUMPDEST, SLOAD, STOP
    let expected = ["10 load 7.0 uint256", "10 load 9.0 uint256"];
    assert_eq!(accesses("6007346009575060095b5400"), expected);
}

#[test]
fn arithmetic_on_constants_is_done() {
    assert_eq!(accesses("34545f5ff3"), ["1 load ?.0 uint256"]);
    // PUSH1 2 PUSH1 3 ADD SLOAD
    assert_eq!(accesses("6002600301545f5ff3"), ["5 load 5.0 uint256"]);
}

#[test]
fn a_word_below_a_call_is_found() {
    // PUSH1 6, PUSH1 back, PUSH1 5, PUSH1 f, JUMP; back: POP, SLOAD, STOP; f: PUSH1 1, ADD, SWAP1, JUMP
    assert_eq!(accesses("600660096005600d565b5054005b600101905600"), ["11 load 6.0 uint256"]);
}

#[test]
fn a_function_gives_back_what_its_caller_gave_it() {
    // PUSH1 b1, PUSH1 5, PUSH1 f, JUMP; b1: SLOAD POP, PUSH1 b2, PUSH1 6, PUSH1 f, JUMP; b2: SLOAD STOP; f: SWAP1 JUMP
    let code = "600760056014565b5450601160066014565b54005b9056";
    assert_eq!(accesses(code), ["8 load 5.0 uint256", "18 load 6.0 uint256"]);
}

#[test]
fn mappings_of_mappings_are_keyed_twice() {
    // MSTORE(0, CALLER) MSTORE(32, 1) KECCAK256(0, 64) MSTORE(32, it) MSTORE(0, CALLDATALOAD(4)) SLOAD(KECCAK256(0, 64))
    let code = "335f52600160205260405f206020526004355f5260405f205400";
    assert_eq!(accesses(code), ["24 load 1[address][uint256].0 uint256"]);
    assert_eq!(variables(code), ["1.0 mapping(address => mapping(uint256 => uint256))"]);
}

#[test]
fn scratch_memory_is_known_behind_a_jump() {
    // MSTORE(32, 3), PUSH1 8, JUMP; JUMPDEST MSTORE(0, CALLER) SLOAD(KECCAK256(0, 64))
    assert_eq!(variables("60036020526008565b335f5260405f205400"), ["3.0 mapping(address => uint256)"]);
}

#[test]
fn places_of_memory_may_come_from_before_the_block() {
    // PUSH1 32, PUSH1 6, JUMP; JUMPDEST PUSH1 3 DUP2 MSTORE CALLER PUSH0 MSTORE PUSH1 64 PUSH0 KECCAK256 SLOAD
    assert_eq!(variables("60206005565b60038152335f5260405f205400"), ["3.0 mapping(address => uint256)"]);
}

/// Sets the free pointer, as Solidity's programs begin.
const FREE_POINTER: &str = "6080604052";

#[test]
fn the_slot_may_be_hashed_before_the_key() {
    // MSTORE(0, 3) MSTORE(32, MLOAD(64)) SLOAD(KECCAK256(0, 64))
    assert_eq!(variables("60035f5260405160205260405f205400"), ["3.0 mapping(uint256 => uint256)"]);
    // CALLER, PUSH1 to, JUMP; to: JUMPDEST MSTORE(0, 3), the word to 32, SLOAD(KECCAK256(0, 64))
    let code = |to: &str| format!("3360{to}565b60035f5260205260405f205400");
    assert_eq!(variables(&code("04")), ["3.0 mapping(uint256 => uint256)"]);
    assert_eq!(
        variables(&format!("{FREE_POINTER}{}", code("09"))),
        [""; 0],
        "a key, and a slot that is given"
    );
}

#[test]
fn the_index_of_an_array_may_come_from_before_the_block() {
    // CALLDATALOAD(4), PUSH1 to, JUMP; to: JUMPDEST, PUSH1 5 ADD SLOAD
    let code = |to: &str| format!("60043560{to}565b6005015400");
    assert_eq!(variables(&code("06")), ["5.0 uint256[?]"]);
    // With a free pointer it may be a member of what a function is given.
    assert_eq!(variables(&format!("{FREE_POINTER}{}", code("0b"))), [""; 0]);
}

#[test]
fn what_is_compared_with_an_address_is_one() {
    // PUSH0 SLOAD CALLER EQ; and with CALLVALUE
    assert_eq!(variables("5f5433145000"), ["0.0 address"]);
    assert_eq!(variables("5f5434145000"), ["0.0 uint256"]);
}

#[test]
fn a_byte_that_is_cleaned_as_a_truth_value_is_one() {
    // PUSH1 back, PUSH1 f, JUMP; back: JUMPDEST and what is done; f: JUMPDEST PUSH0 SLOAD PUSH1 ff AND SWAP1 JUMP
    let code = |end: &str| format!("60056009565b{end}005b5f5460ff169056");
    assert_eq!(variables(&code("1515")), ["0.0 bool"]);
    assert_eq!(variables(&code("1550")), ["0.0 uint8"], "one test alone");
    // A whole word that is compared with zero is none.
    assert_eq!(variables("5f5415156006565b00"), ["0.0 uint256"]);
}

#[test]
fn a_byte_that_is_compared_with_a_number_is_no_truth_value() {
    // PUSH0 SLOAD PUSH1 ff AND, DUP1 ISZERO POP; then POP, or a comparison with 1, with 0, for order
    let code = |end: &str| format!("5f5460ff16801550{end}00");
    assert_eq!(variables(&code("50")), ["0.0 bool"]);
    assert_eq!(variables(&code("600114")), ["0.0 uint8"]);
    assert_eq!(variables(&code("5f14")), ["0.0 bool"]);
    assert_eq!(variables(&code("3310")), ["0.0 uint8"]);
    // Elsewhere a bit is stored in its place.
    let stored = "5f5460ff191660011 75f55".replace(' ', "");
    assert_eq!(variables(&format!("{stored}5f5460ff1660011400")), ["0.0 uint8"]);
}

#[test]
fn items_of_an_array_lie_behind_the_hash_of_its_slot() {
    // SLOAD(KECCAK256 of 4 + CALLDATALOAD(4))
    let computed = "60045f5260205f20600435015400".to_owned();
    let hash = keccak256(Word::from(4).to_be_bytes::<32>());
    let known = format!("7f{}600435015400", cairn_evm::hex::encode(hash));
    for code in [computed, known] {
        assert_eq!(variables(&code), ["4.0 uint256[]"]);
    }
    // SLOAD(CALLDATALOAD(4) + 9): an array of fixed length
    assert_eq!(variables("6004356009015400"), ["9.0 uint256[?]"]);
}

#[test]
fn a_word_of_the_code_is_a_slot() {
    // CODECOPY(0, 10, 32) MLOAD(0) SLOAD STOP; the word
    let code = format!("6020600a5f395f515400{:064x}", 11);
    assert_eq!(accesses(&code), ["8 load 11.0 uint256"]);
}

#[test]
fn fields_of_a_packed_slot_are_told_apart() {
    // SLOAD(0): AND of 20 bytes; SHR 160, AND ff, ISZERO; SHR 168, AND ffff
    let mask = "ff".repeat(20);
    let code = format!("5f548073{mask}16508060a01c60ff16155060a81c61ffff1600");
    assert_eq!(variables(&code), ["0.0 address", "0.20 bool", "0.21 uint16"]);
}

#[test]
fn a_field_is_taken_in_another_function() {
    // PUSH1 back, SLOAD(2), PUSH1 f, JUMP; back: STOP; f: SHR 64, AND ffffffff, SWAP1 JUMP
    let code = "6008600254600a565b005b60401c63ffffffff169056";
    assert_eq!(variables(code), ["2.8 uint32"]);
}

#[test]
fn a_store_changes_one_field() {
    // SSTORE(1, AND(SLOAD(1), NOT(ff << 160)) OR CALLVALUE != 0 << 160)
    let clear = format!("{}00{}", "ff".repeat(11), "ff".repeat(20));
    let code = format!("6001547f{clear}1634151560a01b1760015500");
    let found = accesses(&code);
    assert_eq!(found, ["2 load 1.20 uint8", "46 store 1.20 uint8"]);
}

#[test]
fn the_length_bit_tells_bytes() {
    // AND(SLOAD(5), 1), SLOAD(KECCAK256 of 5)
    assert_eq!(variables("6005546001165060055f5260205f205400"), ["5.0 bytes"]);
}

#[test]
fn the_first_topic_of_an_event_is_found() {
    // PUSH1 9 (topic), PUSH0, PUSH0, LOG1; LOG0
    let code = cairn_evm::hex::decode("60095f5fa15f5fa000").expect("digits");
    let events = find_touched(&analyze(&code)).events;
    let found: Vec<_> = events.iter().map(|event| (event.pc, event.topics, event.topic)).collect();
    assert_eq!(found, [(4, 1, Some(Word::from(9))), (7, 0, None)]);
}

#[test]
fn functions_that_reach_an_access_are_its_users() {
    // A dispatcher of one case that stores 7 to slot 1.
    let code = cairn_evm::hex::decode("5f3560e01c63aabbccdd1460105700005b600760015500");
    let code = code.expect("digits");
    let analysis = analyze(&code);
    let found = find_variables(&analysis, &find_touched(&analysis).storage);
    assert_eq!((&found[0].readers[..], &found[0].writers[..]), (&[][..], &[0xaabb_ccdd][..]));
}

#[test]
fn a_hash_behind_the_free_pointer_is_no_mapping() {
    // MSTORE(0, 7), [MSTORE(64, e0),] SLOAD(KECCAK256(0, CALLDATASIZE))
    let code = |store: &str| format!("60075f52{store}365f205400");
    assert_eq!(variables(&code("")), ["7.0 mapping(bytes => uint256)"]);
    assert_eq!(variables(&code("60e0604052")), [""; 0], "bytes that were put together in memory");
}

#[test]
fn of_two_words_that_are_added_the_slot_is_the_constant() {
    // PUSH1 5; PUSH0 SLOAD or, with value, 0; PUSH1 ff AND; PUSH1 to JUMP; to: ADD SLOAD STOP
    let code = "60055f5434600a57505f5b60ff166011565b015400";
    assert_eq!(accesses(code), ["3 load 0.0 uint8", "19 load 5+?.0 uint256"]);
}

#[test]
fn items_of_several_slots_are_of_the_slot_that_their_index_is_added_to() {
    // PUSH1 5 CALLDATALOAD(4), PUSH1 to JUMP; to: PUSH1 2 MUL ADD PUSH1 1 ADD SLOAD STOP
    assert_eq!(accesses("60056004356008565b600202016001015400"), ["16 load 5+?.0 uint256"]);
    // The same in one block: CALLDATALOAD(4) PUSH1 2 MUL PUSH1 5 ADD SLOAD STOP
    assert_eq!(accesses("6004356002026005015400"), ["9 load 5+?.0 uint256"]);
}

#[test]
fn of_calls_that_are_prepared_at_once_the_last_comes_back_first() {
    // CALLVALUE PUSH0 SLOAD, PUSH1 back PUSH1 g PUSH1 1 PUSH1 f JUMP;
    // back: POP PUSH0 MSTORE PUSH1 ff AND PUSH0 MSTORE STOP; f: SWAP1 JUMP; g: CALLVALUE ADD SWAP1 JUMP
    let code = "345f54600c601960016016565b505f5260ff165f52005b90565b34019056";
    assert_eq!(accesses(code), ["2 load 0.0 uint256"], "the word below it is cut");
}

#[test]
fn what_is_added_to_an_address_to_return_to_is_no_slot() {
    // PUSH2 0102, PUSH1 to JUMP; to: PUSH1 2 ADD SLOAD STOP; at 0102 a JUMPDEST, or none
    let zeros = "00".repeat(0x102 - 17);
    let code = |at: &str| format!("{FREE_POINTER}610102600b565b6002015400{zeros}{at}");
    assert_eq!(accesses(&code("5b")), ["15 load ?.0 uint256"]);
    assert_eq!(accesses(&code("00")), ["15 load 260.0 uint256"]);
}

#[test]
fn one_of_several_slots_or_others_is_no_variable_on_its_own() {
    // f(2), f(3), f(SLOAD(CALLDATASIZE)), SLOAD(2); f: SLOAD POP JUMP
    let code = "60076002601c565b600f6003601c565b60173654601c565b600254005b545056";
    let given = ["29 load ?.0 uint256", "29 load 2.0 uint256", "29 load 3.0 uint256"];
    assert_eq!(&accesses(code)[2..], given);
    assert_eq!(variables(code), ["2.0 uint256"]);
    // Where all is known that it is given, it is told: the third call gives 4.
    let known = code.replace("3654", "6004");
    assert_eq!(variables(&known), ["2.0 uint256", "3.0 uint256", "4.0 uint256"]);
}
