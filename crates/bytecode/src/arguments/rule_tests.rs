//! Each rule about calldata, with the shortest code that only this rule tells the type of.

use super::{Arguments, find_arguments};
use cairn_evm::Fork;

/// A mask of 20 bytes, pushed.
const ADDRESS: &str = "73ffffffffffffffffffffffffffffffffffffffff";
/// PUSH1 4 CALLDATALOAD PUSH1 4 ADD: the place behind the first argument, which is an offset.
const PLACE: &str = "600435 600401";

/// The arguments of a function whose code begins at offset 17; spaces may stand in it.
fn of(body: &str) -> String {
    let code = format!("5f3560e01c63aabbccdd1460105700005b{}", body.replace(' ', ""));
    let code = cairn_evm::hex::decode(code).expect("digits");
    find_arguments(&code, Fork::default()).first().and_then(Arguments::text).expect("it was looked at")
}

#[test]
fn what_is_done_to_a_word_tells_its_type() {
    for (body, expected) in [
        // In another block only an address is cleaned without a check.
        (format!("600435 5b {ADDRESS} 16 5000"), "address"),
        // BYTE, SDIV, SAR
        ("600435 5f1a 5000".to_owned(), "bytes32"),
        ("6003 600435 05 5000".to_owned(), "int256"),
        ("600435 6001 1d 5000".to_owned(), "int256"),
        // SLT with another word, and with zero
        ("602435 600435 12 5000".to_owned(), "int256,int256"),
        ("5f 600435 12 5000".to_owned(), "uint256"),
        // SHR, SHL; SHL, SAR; MUL, DIV by 2 ** 96
        ("600435 60e01c 60e01b 5000".to_owned(), "bytes4"),
        ("600435 60801b 60801d 5000".to_owned(), "int128"),
        (format!("6c01{} 80 600435 02 04 5000", "00".repeat(12)), "address"),
        // AND 1; SHR 1 and a branch
        ("600435 6001 16 5000".to_owned(), "bool"),
        ("600435 6001 1c 6017 57 00".to_owned(), "bool"),
        // CALLVALUE, what lies above an address and below four bytes are joined for one branch; packed, they are no checks.
        ("34 600435 60a01c 17 602435 60201b 17 6017 57 00".to_owned(), "address,bytes4"),
        ("600435 60a01c 602435 60201b 17 5f52 00".to_owned(), "uint256,uint256"),
        // What is cleaned twice is compared with the word; so is what is tested four times.
        ("600435 5b 80 60ff16 60ff16 81 14 5000".to_owned(), "uint8"),
        ("600435 5b 80 15151515 81 14 5000".to_owned(), "bool"),
        // Words begin at multiples of 32 bytes behind the selector.
        ("600635 5000".to_owned(), ""),
        // An offset that nothing is read behind is a number.
        (format!("{PLACE} 5000"), "uint256"),
    ] {
        assert_eq!(of(&body), expected, "{body}");
    }
}

#[test]
fn sizes_that_are_demanded_tell_how_many_there_are() {
    for (body, expected) in [
        // CALLDATASIZE < 44, then < 64: the first counts.
        ("6044 36 10 50 6064 36 10 50 00", "uint256,uint256"),
        // 43 < CALLDATASIZE
        ("36 6043 10 50 00", "uint256,uint256"),
        // CALLDATASIZE + ~3 < 40, signed
        ("6040 6003 19 36 01 12 50 00", "uint256,uint256"),
        // The same with a number that is the difference of two places.
        ("600435 600401 80 80 604401 03 36 10 5000", "uint256,uint256"),
        // CALLDATASIZE < 64, and CALLDATASIZE - 24 < 40: a struct behind the first
        ("6064 36 10 50 6040 6024 36 03 12 50 00", "uint256,(uint256,uint256)"),
        // Begins below the end, ends at 44: an array of fixed length
        ("6044 36 10 50 36 6023 12 50 36 6044 11 50 00", "uint256[2]"),
        // Words that are copied at once: an array; not more than there are, and whole words only
        ("6044 36 10 50 6040 6004 5f 37 00", "uint256[2]"),
        ("6024 36 10 50 6040 6004 5f 37 00", "uint256"),
        ("6044 36 10 50 6021 6004 5f 37 00", "uint256,uint256"),
        // CALLDATASIZE - offset - 4 < 40: a struct behind an offset
        ("6040 6004 600435 36 03 03 12 50 600435 600401 35 5000", "(uint256,uint256)"),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
}

#[test]
fn what_lies_behind_an_offset_tells_arrays_and_bytes() {
    for (body, expected) in [
        // The length times 40, and two words of an item; the same with an index
        (format!("80 35 6040 02 50 80 602001 35 50 604001 35 {ADDRESS} 16 5000"), "(uint256,address)[]"),
        (
            format!("602435 6040 02 01 80 602001 35 50 604001 35 {ADDRESS} 16 5000"),
            "(uint256,address)[],uint256",
        ),
        // An item further on tells the type.
        (format!("80 35 50 80 602001 35 50 604001 35 {ADDRESS} 16 5000"), "address[]"),
        // The place of the length is compared with the end, or as many bytes as the length says are copied: bytes
        ("36 81 601f01 12 50 80 35 50 602001 35 5000".to_owned(), "bytes"),
        ("80 35 81 602001 5f 37 602001 35 5000".to_owned(), "bytes"),
        ("80 35 50 602001 35 5000".to_owned(), "uint256[]"),
        // A place of a length has no struct behind it, whatever must be there.
        ("36 81 601f01 12 50 6040 81 36 03 12 50 35 5000".to_owned(), "bytes"),
        // The end of what is as long as its length says is compared with that of calldata.
        ("36 81 80 35 01 602001 11 50 602001 35 5000".to_owned(), "bytes"),
        // One byte of the first word
        ("80 35 50 602001 35 60ff60f81b 16 5000".to_owned(), "bytes"),
        // A number of an item, and what 4 more leads to
        ("80 35 50 602001 35 600401 35 5000".to_owned(), "uint256[]"),
    ] {
        assert_eq!(of(&format!("{PLACE} {body}")), expected, "{body}");
    }
}

#[test]
fn a_function_is_walked_for_each_way_of_being_called() {
    // f(4), f(24); f: CALLDATALOAD, a mask of 20 bytes
    let body = format!("6018 6004 6022 56 5b 6020 6024 6022 56 5b 00 5b 35 {ADDRESS} 16 50 56");
    assert_eq!(of(&body), "address,address");
}

#[test]
fn a_loop_is_walked_twice() {
    // What one round loads is cleaned in the next.
    assert_eq!(of(&format!("5f 5b {ADDRESS} 16 50 600435 6012 56")), "address");
}

#[test]
fn a_branch_on_a_constant_has_one_way() {
    // PUSH1 1 PUSH1 1b JUMPI; the second argument, or the first
    assert_eq!(of("6001 601b 57 602435 5000 5b 600435 5000"), "uint256");
}
