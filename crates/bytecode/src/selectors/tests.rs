//! Tests of external functions in dispatchers of several kinds.

use super::*;

fn cases_of(digits: &str) -> Vec<(u32, u32)> {
    let code = cairn_evm::hex::decode(digits).expect("digits");
    find_cases(&code, Fork::default()).iter().map(|case| (case.selector, case.entry)).collect()
}

#[test]
fn selectors_with_leading_zeros_are_selectors() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR, DUP1 PUSH3 010203 EQ PUSH1 18 JUMPI, ISZERO PUSH1 19 JUMPI
    assert_eq!(cases_of("5f3560e01c806201020314601257156013575b5b"), [(0, 19), (0x010203, 18)]);
    // The word is not the selector: DUP1 PUSH3 … EQ
    assert_eq!(cases_of("5f54806201020314600b57005b"), []);
}

#[test]
fn differing_goes_on_and_falling_through_is_the_case() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR PUSH4 … XOR PUSH1 10 JUMPI STOP JUMPDEST STOP
    assert_eq!(cases_of("5f3560e01c63aabbccdd18600f57005b00"), [(0xaabb_ccdd, 14)]);
}

#[test]
fn bits_of_the_selector_choose_one_of_some_jumps_in_a_row() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR DUP1 PUSH1 1 AND PUSH1 4 MUL PUSH1 11 ADD JUMP STOP; twice JUMPDEST PUSH1 JUMP;
    // JUMPDEST PUSH4 … EQ PUSH1 2f JUMPI STOP; the same with another selector; JUMPDEST STOP
    let cases = |factor: &str| {
        let dispatcher = format!("5f3560e01c80600116{factor}60110156005b6019565b602456");
        cases_of(&format!("{dispatcher}5b63aabbccdc14602f57005b63aabbccdd14602f57005b00"))
    };
    assert_eq!(cases("600402"), [(0xaabb_ccdc, 47), (0xaabb_ccdd, 47)]);
    assert_eq!(cases("60021b"), [(0xaabb_ccdc, 47), (0xaabb_ccdd, 47)]);
    // Where one of the places is none, nothing is believed.
    assert_eq!(cases("600302"), []);
}

#[test]
fn comparisons_with_short_selectors_may_end_alike() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR PUSH1 01 DUP2 AND PUSH1 14 JUMPI, PUSH3 … PUSH1 1c JUMP STOP, JUMPDEST PUSH3 …
    // PUSH1 1c JUMP, JUMPDEST XOR PUSH1 22 JUMPI STOP JUMPDEST STOP
    let head = "5f3560e01c60018116601457";
    let found = cases_of(&format!("{head}62a965e4601c56005b62a965e5601c565b18602257005b00"));
    assert_eq!(found, [(0xa9_65e4, 33), (0xa9_65e5, 33)]);
}

#[test]
fn a_selector_may_be_kept_in_memory() {
    // PUSH0 CALLDATALOAD PUSH1 1c MSTORE PUSH3 … PUSH0 MLOAD EQ ISZERO PUSH1 11 JUMPI STOP JUMPDEST STOP; stored
    // elsewhere, the number may be any.
    let cases = |place: &str| cases_of(&format!("5f3560{place}5262a965e55f511415601157005b00"));
    assert_eq!(cases("1c"), [(0xa9_65e5, 16)]);
    assert_eq!(cases("20"), []);
}

#[test]
fn no_function_of_a_library_takes_wei() {
    // PUSH20 … ADDRESS EQ, or POP for EQ; then a dispatcher with a function that does nothing.
    let payable = |compared: &str| {
        let head = format!("73{}30{compared}5f3560e01c63aabbccdd14602657005b00", "ab".repeat(20));
        find_cases(&cairn_evm::hex::decode(head).expect("digits"), Fork::default())[0].payable
    };
    assert!(!payable("14"));
    assert!(payable("50"));
}

#[test]
fn a_function_that_reverts_on_wei_is_not_payable() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR PUSH4 … EQ PUSH1 11 JUMPI STOP; JUMPDEST CALLVALUE …
    let payable = |body: &str| {
        let digits = format!("5f3560e01c63aabbccdd1460105700005b{body}");
        let code = cairn_evm::hex::decode(digits).expect("digits");
        find_cases(&code, Fork::default())[0].payable
    };
    // CALLVALUE ISZERO PUSH1 17 JUMPI PUSH0 PUSH0 REVERT JUMPDEST STOP; the same with STOP inside
    assert!(!payable("34156019575f5ffd5b00"));
    assert!(payable("34156019575f50005b00"));
    // CALLVALUE PUSH1 16 JUMPI STOP JUMPDEST PUSH0 PUSH0 REVERT
    assert!(!payable("34601657005b5f5ffd"));
    assert!(payable("00"));
    // Behind PUSH1 24 CALLDATASIZE LT PUSH1 1d JUMPI, as Vyper has it, and behind one that jumps over the REVERT.
    assert!(!payable("60243610601d5734601d57005b5f5ffd"));
    assert!(!payable("6024361015601c575f5ffd5b34602257005b5f5ffd"));
    assert!(payable("60243610601957005b5f5ffd"));
}

#[test]
fn a_zero_is_no_address_where_code_begins_with_a_jumpdest() {
    // JUMPDEST PUSH0 PUSH0 CALLDATALOAD …: the jump to the second comparison leaves the first zero behind.
    let first = "5b5f5f3560e01c8063aabbccdd14602057601456";
    let second = "5b8063112233441460205700";
    assert_eq!(cases_of(&format!("{first}{second}5b00")), [(0x1122_3344, 32), (0xaabb_ccdd, 32)]);
}

#[test]
fn a_jump_to_what_stands_behind_it_is_no_call() {
    // PUSH1 1f PUSH0 CALLDATALOAD … PUSH1 14 JUMP JUMPDEST …: the number on the stack looks like an offset.
    let first = "601f5f3560e01c8063aabbccdd14602057601456";
    let second = "5b63112233441460205700";
    assert_eq!(cases_of(&format!("{first}{second}5b5b00")), [(0x1122_3344, 32), (0xaabb_ccdd, 32)]);
}

#[test]
fn a_check_joined_with_that_of_the_selector() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR PUSH4 … XOR PUSH1 24 CALLDATASIZE LT CALLVALUE OR OR PUSH1 15 JUMPI STOP
    // JUMPDEST PUSH0 PUSH0 REVERT; the same without CALLVALUE
    let found = |check: &str, fail: &str| {
        let digits = format!("5f3560e01c63aabbccdd1860243610{check}60{fail}57005b5f5ffd");
        let code = cairn_evm::hex::decode(digits).expect("digits");
        find_cases(&code, Fork::default())
            .iter()
            .map(|case| (case.selector, case.payable))
            .collect::<Vec<_>>()
    };
    assert_eq!(found("341717", "16"), [(0xaabb_ccdd, false)]);
    // … OR OR ISZERO PUSH1 17 JUMPI STOP: the function stands where it jumps.
    assert_eq!(found("34171715", "17"), [(0xaabb_ccdd, false)]);
    assert_eq!(found("17", "14"), [(0xaabb_ccdd, true)]);
}

#[test]
fn a_dispatch_that_refuses_value_by_the_word_it_reads() {
    // PUSH1 1 CALLVALUE ISZERO SUB CALLDATALOAD PUSH1 e0 SHR PUSH4 … EQ PUSH1 20 JUMPI STOP JUMPDEST STOP; the
    // same with the word at 1 - iszero(callvalue), at 0 - callvalue, and at callvalue - 0
    let found = |place: &str| {
        let digits = format!("{place}3560e01c63aabbccdd1460145700005b00");
        let code = cairn_evm::hex::decode(digits).expect("digits");
        let cases = find_cases(&code, Fork::default());
        cases.iter().map(|case| (case.selector, case.entry, case.payable)).collect::<Vec<_>>()
    };
    assert_eq!(found("6001341503"), [(0xaabb_ccdd, 20, false)]);
    assert_eq!(found("3415600103"), [(0xaabb_ccdd, 20, true)]);
    assert_eq!(found("5b5b345f03"), [(0xaabb_ccdd, 20, false)]);
    assert_eq!(found("5b5b5f3403"), [(0xaabb_ccdd, 20, true)]);
}

#[test]
fn tables_of_positions_lead_to_buckets() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR, PUSH5 (entries 21, 33) DUP2 PUSH1 10 AND SHR PUSH2 ffff AND JUMP,
    // twice: JUMPDEST DUP1 PUSH4 … EQ PUSH1 45 JUMPI STOP; JUMPDEST
    let entry = |selector: &str| format!("5b8063{selector}14602d5700");
    let head = "5f3560e01c640000210015816010161c61ffff1656";
    let digits = format!("{head}{}{}5b", entry("aabbccdd"), entry("11223344"));
    let at = head.len() / 2;
    let found = cases_of(&digits);
    assert_eq!((at, found), (21, vec![(0x1122_3344, 45), (0xaabb_ccdd, 45)]));
}

#[test]
fn a_called_function_is_not_searched() {
    // PUSH1 back, PUSH1 f, JUMP; back: STOP; f: PUSH0 SLOAD PUSH4 … EQ PUSH1 back JUMPI STOP
    assert_eq!(cases_of("6005600756005b005b5f5463aabbccdd146005570000"), []);
}

#[test]
fn a_table_in_the_code_leads_to_buckets() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR; PUSH1 2, DUP2 PUSH1 1 AND PUSH1 1 SHL PUSH1 49 ADD, PUSH1 30, CODECOPY,
    // PUSH0 MLOAD JUMP; JUMPDEST DUP1 PUSH4 … EQ PUSH1 47 JUMPI STOP, twice; JUMPDEST STOP; places
    let head = "5f3560e01c60028160011660011b603101601e395f5156";
    let bucket = |selector: &str| format!("5b8063{selector}14602f5700");
    let digits = format!("{head}{}{}5b00{:04x}{:04x}", bucket("aabbccdc"), bucket("11223345"), 23, 35);
    assert_eq!(cases_of(&digits), [(0x1122_3345, 47), (0xaabb_ccdc, 47)]);
}

#[test]
fn a_row_of_a_table_has_selector_and_place() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR; PUSH1 6, DUP2 PUSH1 1 AND PUSH1 6 MUL PUSH1 rows ADD, PUSH1 26, CODECOPY,
    // PUSH0 MLOAD, DUP1 PUSH1 16 SHR DUP3 EQ ISZERO PUSH1 fail JUMPI; PUSH2 ffff AND JUMP; JUMPDEST …
    let head =
        "5f3560e01c 6006 81600116 6006 02 60 2d 01 601a 39 5f51 80 6010 1c 82 14 15 6029 57".replace(' ', "");
    let rest = "61ffff16565b5f5ffd5b00";
    let at = (head.len() + rest.len()) / 2;
    let rows = format!("aabbccdc{:04x}11223345{:04x}", at - 2, at - 2);
    let fixed = head.replace("602d", &format!("60{at:02x}")).replace("6029", &format!("60{:02x}", at - 6));
    let at = at as u32;
    assert_eq!(cases_of(&format!("{fixed}{rest}{rows}")), [(0x1122_3345, at - 2), (0xaabb_ccdc, at - 2)]);
}

#[test]
fn functions_that_share_a_comparison_are_all_found() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR, PUSH4 … DUP2 EQ SWAP1 PUSH4 … EQ OR, then the end of the way
    let shared = "5f3560e01c63aabbccdd81149063112233441417";
    // PUSH1 24 JUMPI STOP JUMPDEST STOP
    assert_eq!(cases_of(&format!("{shared}601857005b00")), [(0x1122_3344, 24), (0xaabb_ccdd, 24)]);
    // ISZERO PUSH1 25 JUMPI STOP JUMPDEST STOP: they go on where control falls
    assert_eq!(cases_of(&format!("{shared}15601957005b00")), [(0x1122_3344, 24), (0xaabb_ccdd, 24)]);
}

#[test]
fn constants_may_come_from_a_function() {
    // PUSH1 back, PUSH1 f, JUMP; f: JUMPDEST PUSH5 … SWAP1 JUMP; back: JUMPDEST PUSH0 CALLDATALOAD PUSH1 e0 SHR
    // PUSH4 … EQ PUSH1 30 JUMPI STOP JUMPDEST STOP
    let digits = "600e6005565b64112233445590565b5f3560e01c63aabbccdd14601e57005b00";
    assert_eq!(cases_of(digits), [(0xaabb_ccdd, 30)]);
    // PUSH0 PUSH0 PUSH0 POP POP SLOAD: what it loads is no constant.
    assert_eq!(cases_of(&digits.replace("641122334455", "5f5f5f505054")), []);
}

#[test]
fn the_comparison_may_be_in_a_function() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR PUSH4 … PUSH1 back PUSH1 f JUMP;
    // f: JUMPDEST SWAP2 SWAP1 XOR PUSH1 24 CALLDATASIZE LT OR PUSH1 fail SWAP1 SWAP2 JUMP; back: JUMPDEST JUMPI STOP;
    // fail: JUMPDEST PUSH0 PUSH0 REVERT
    let digits = "5f3560e01c63aabbccdd601d600f565b919018602436101760209091565b57005b5f5ffd";
    assert_eq!(cases_of(digits), [(0xaabb_ccdd, 31)]);
}

#[test]
fn what_a_comparison_is_joined_with_may_be_in_a_function() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR PUSH4 … XOR PUSH1 back PUSH1 f JUMP;
    // f: JUMPDEST PUSH1 24 CALLDATASIZE LT SWAP1 JUMP; back: JUMPDEST OR PUSH1 fail JUMPI STOP;
    // fail: JUMPDEST PUSH0 PUSH0 REVERT
    let digits = "5f3560e01c63aabbccdd1860176010565b6024361090565b17601d57005b5f5ffd";
    assert_eq!(cases_of(digits), [(0xaabb_ccdd, 28)]);
}

#[test]
fn cases_may_share_the_end_of_a_comparison() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR DUP1 PUSH1 1 AND PUSH1 other JUMPI; PUSH4 … XOR PUSH1 end JUMP;
    // other: JUMPDEST PUSH4 … XOR; end: JUMPDEST PUSH1 fail JUMPI STOP; fail: JUMPDEST PUSH0 PUSH0 REVERT
    let (one, other) = ("63aabbccdc18601c56", "5b63aabbccdd18");
    let digits = format!("5f3560e01c80600116601557{one}{other}5b602157005b5f5ffd");
    assert_eq!(cases_of(&digits), [(0xaabb_ccdc, 32), (0xaabb_ccdd, 32)]);
}

#[test]
fn the_selector_may_come_from_a_function() {
    // PUSH1 10 PUSH0 CALLDATALOAD PUSH1 21 JUMP;
    // 10: JUMPDEST PUSH4 … EQ PUSH1 30 JUMPI STOP; 21: JUMPDEST PUSH1 e0 SHR SWAP1 JUMP; 30: JUMPDEST STOP
    let main = "600a5f3560155600fefe5b63aabbccdd14601e57005b60e01c9056fefefe5b00";
    let code = cairn_evm::hex::decode(main).expect("digits");
    assert_eq!(code[10], 0x5b);
    assert_eq!(cases_of(main).len(), 1);
    // A function that gives something else is no part of a dispatcher: its word is not compared.
    let other = main.replace("60e01c", "60e11c");
    assert_eq!(cases_of(&other), []);
}
