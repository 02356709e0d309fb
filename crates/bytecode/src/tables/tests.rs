//! Tests of tables in the code.

use super::{Fuel, Source, Tables, read_tables};
use crate::optable::table_of;
use cairn_evm::{Fork, Word};

/// A block, written with spaces, and a table right behind it; `@` stands for the table's offset.
fn code_of(block: &str, table: &str) -> Vec<u8> {
    let digits = block.replace(' ', "");
    let at = digits.replace('@', "00").len() / 2;
    let digits = digits.replace('@', &format!("{at:02x}")) + table;
    cairn_evm::hex::decode(digits).expect("digits")
}

fn tables_of(code: &[u8], start: u32, placeholders: &[u32]) -> Tables {
    let source = Source { code, table: &table_of(Fork::default()), placeholders };
    let mut fuel = Fuel::for_code(code.len());
    read_tables(source, (start, code.len() as u32), 0, &mut fuel)
}

/// The words of each load, in the cases in order.
fn loads_of(block: &str, table: &str) -> Vec<Vec<u64>> {
    let found = tables_of(&code_of(block, table), 0, &[]);
    let words = |words: &[Word]| words.iter().map(|word| word.to::<u64>()).collect();
    found.loads.iter().map(|load| words(&load.words)).collect()
}

/// Copies two bytes of the table, at twice the word on the stack, to 30; loads the word at 0 and jumps.
const BY_TWO: &str = "6001 1b 60@ 01 6002 90 601e 39 5f51 56";
const TABLE: &str = "1111222233334444";

#[test]
fn a_remainder_chooses_an_entry() {
    // PUSH1 3 CALLER MOD
    assert_eq!(loads_of(&format!("6003 33 06 {BY_TWO}"), TABLE), [[0x1111, 0x2222, 0x3333]]);
}

#[test]
fn a_mask_a_shift_and_a_byte_choose_entries() {
    // CALLER PUSH1 2 AND; CALLER PUSH1 254 SHR
    assert_eq!(loads_of(&format!("33 6002 16 {BY_TWO}"), TABLE), [[0x3333, 0x1111]]);
    assert_eq!(loads_of(&format!("33 60fe 1c {BY_TWO}"), TABLE), [[0x1111, 0x2222, 0x3333, 0x4444]]);
    // CALLER PUSH0 BYTE may be 255: behind the code
    assert_eq!(loads_of(&format!("33 5f 1a {BY_TWO}"), TABLE), [[0; 0]; 0]);
    // CALLER alone may be anything.
    assert_eq!(loads_of(&format!("33 {BY_TWO}"), TABLE), [[0; 0]; 0]);
}

#[test]
fn what_is_stored_over_a_copied_word_counts() {
    // Copies two words to 0; both are loaded, without and with MSTORE8 of aa at 31 before.
    let table = format!("{:064x}{:064x}", 0x11, 0x22);
    let (copy, loads) = ("6040 60@ 5f 39", "5f 51 50 6020 51 00");
    assert_eq!(loads_of(&format!("{copy} {loads}"), &table), [[0x11], [0x22]]);
    assert_eq!(loads_of(&format!("{copy} 60aa 601f 53 {loads}"), &table), [[0xaa], [0x22]]);
}

#[test]
fn what_follows_the_code_is_not_known() {
    // PUSH1 5 CALLER MOD: the last entry is behind the table.
    assert_eq!(loads_of(&format!("6005 33 06 {BY_TWO}"), TABLE), [[0; 0]; 0]);
}

#[test]
fn words_of_one_case_stay_together() {
    // Rows (length, place): CALLER AND 1 chooses one, CALLDATASIZE MOD length an entry at its place.
    let table = "0105" /* 1 entry */
        .to_owned()
        + "0206"
        + "00"
        + "aabbcc";
    // PUSH1 1 CALLER AND PUSH1 1 SHL PUSH1 @ ADD, two bytes to 30, MLOAD; DUP1 PUSH1 8 SHR CALLDATASIZE MOD,
    // SWAP1 PUSH1 ff AND ADD PUSH1 @ ADD; PUSH0 PUSH1 30 MSTORE8; a byte to 31, MLOAD
    let row = "6001 33 16 6001 1b 60@ 01 6002 90 601e 39 5f51";
    let place = "80 6008 1c 36 06 90 60ff 16 01 60@ 01";
    let block = format!("{row} {place} 5f 601e 53 6001 90 601f 39 5f51 00");
    let found = loads_of(&block, &table);
    // The first word in the cases of both choices, and the entry that goes with it.
    assert_eq!(found, [vec![0x0206, 0x0206, 0x0105], vec![0xbb, 0xcc, 0xaa]]);
}

#[test]
fn memory_is_zero_at_the_beginning_only() {
    let block = format!("5b 6003 33 06 {BY_TWO}");
    assert_eq!(loads_of(&block, TABLE), [[0; 0]; 0]);
    // Behind a `STOP` it is not known either.
    let code = code_of(&format!("00 5b 6003 33 06 {BY_TWO}"), TABLE);
    assert_eq!(tables_of(&code, 1, &[]).loads, []);
    // Of 31 bytes a word is not known, of 32 it is.
    let code = code_of("00 5b 601f 60@ 5f 39 5f51 00", &"7f".repeat(32));
    assert_eq!(tables_of(&code, 1, &[]).loads, []);
    let code = code_of("00 5b 6020 60@ 5f 39 5f51 00", &"7f".repeat(32));
    let found = tables_of(&code, 1, &[]);
    assert_eq!(found.loads[0].words, [Word::from_be_slice(&[0x7f; 32])]);
}

#[test]
fn a_table_that_is_copied_as_a_whole() {
    // PUSH1 96 PUSH1 @ PUSH0 CODECOPY, PUSH1 3 CALLER MOD PUSH1 5 SHL MLOAD JUMP
    let table = format!("{:064x}{:064x}{:064x}", 7, 8, 9);
    assert_eq!(loads_of("6060 60@ 5f 39 6003 33 06 6005 1b 51 56", &table), [[7, 8, 9]]);
    // A store to an entry, and one to nobody knows where.
    let store = |at: &str| format!("6060 60@ 5f 39 6005 {at} 52 6003 33 06 6005 1b 51 56");
    assert_eq!(loads_of(&store("6020"), &table), [[7, 5, 9]]);
    assert_eq!(loads_of(&store("33"), &table), [[0; 0]; 0]);
    // A copy of calldata over the second, and a call that writes memory.
    let copy = "6060 60@ 5f 39 6001 5f 6020 37 6003 33 06 6005 1b 51 56";
    assert_eq!(loads_of(copy, &table), [[0; 0]; 0]);
    let call =
        "6060 60@ 5f 39 5f5f5f5f5f33 5a fa 50 6003 33 06 6005 1b 51 56".replace("5f5f5f5f5f33", "5f5f5f5f33");
    assert_eq!(loads_of(&call, &table), [[0; 0]; 0]);
}

#[test]
fn what_is_filled_in_later_is_not_known() {
    let code = code_of(&format!("6003 33 06 {BY_TWO}"), TABLE);
    assert_eq!(tables_of(&code, 0, &[]).loads.len(), 1);
    // The push of the modulus; a push that the table's bytes are part of.
    assert_eq!(tables_of(&code, 0, &[0]).loads, []);
    assert_eq!(tables_of(&code, 0, &[code.len() as u32 - 8]).loads, []);
}

#[test]
fn copies_say_which_part_they_read() {
    let code = code_of(&format!("6003 33 06 {BY_TWO}"), TABLE);
    let copies = tables_of(&code, 0, &[]).copies;
    let end = code.len() as u32 - 2;
    assert_eq!(copies.len(), 1);
    assert_eq!((copies[0].pc, copies[0].range.clone()), (15, end - 6..end));
}

#[test]
fn too_many_cases_are_none() {
    // PUSH2 2049 CALLER MOD; PUSH1 63 CALLER MOD, twice multiplied with another of the kind
    assert_eq!(loads_of(&format!("610801 33 06 {BY_TWO}"), TABLE), [[0; 0]; 0]);
    let block = format!("603f 33 06 603f 32 06 02 603f 34 06 02 5f 02 {BY_TWO}");
    assert_eq!(loads_of(&block, TABLE), [[0; 0]; 0]);
}

#[test]
fn a_stored_word_in_cases_is_loaded_in_cases() {
    // Copies a word to 0; CALLER PUSH1 1 AND goes over its last byte, by MSTORE8, and over all of it.
    let table = format!("{:064x}", 0x1111);
    let (copy, bit) = ("6020 60@ 5f 39", "33 6001 16");
    assert_eq!(loads_of(&format!("{copy} {bit} 601f 53 5f51 00"), &table), [[0x1101, 0x1100]]);
    assert_eq!(loads_of(&format!("{copy} {bit} 5f 52 5f51 00"), &table), [[1, 0]]);
    // A place in cases: byte 30 or 31.
    let store = "60ff 33 6001 16 601e 01 53";
    assert_eq!(loads_of(&format!("{copy} {store} 5f51 00"), &table), [[0x11ff, 0xff11]]);
}

#[test]
fn cases_that_no_access_depends_on_cost_nothing() {
    // CALLER PUSH0 BYTE, which is stored elsewhere.
    let block = "6020 60@ 5f 39 33 5f 1a 6020 53 5f51 00";
    let code = code_of(block, &format!("{:064x}", 7));
    let source = Source { code: &code, table: &table_of(Fork::default()), placeholders: &[] };
    let mut fuel = Fuel::for_code(code.len());
    for _ in 0..1000 {
        let found = read_tables(source, (0, code.len() as u32), 0, &mut fuel);
        assert_eq!(found.loads[0].words, [Word::from(7)]);
    }
}
