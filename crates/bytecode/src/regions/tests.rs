//! Tests of regions.

use super::{Region, RegionKind, find_regions};
use crate::analyze;
use crate::role::Role;
use cairn_evm::hex;

/// `{"solc": 0.8.20}`, 12 bytes.
const TRAILER: &str = "a164736f6c6343000814000a";
/// PUSH0 PUSH0 RETURN INVALID, and a trailer: 16 bytes.
const RUNTIME: &str = "5f5ff3fea164736f6c6343000814000a";

fn bytes(parts: &[&str]) -> Vec<u8> {
    hex::decode(parts.concat().replace(' ', "")).expect("digits")
}

/// Each region as a line, those within contracts behind them.
fn lines(regions: &[Region]) -> Vec<String> {
    let line = |region: &Region| {
        let text = format!("{} {}..{}", region.kind.name(), region.bytes.start, region.bytes.end);
        match &region.kind {
            RegionKind::Contract { role, regions } => {
                [vec![format!("{} {text}", role.name())], lines(regions)].concat()
            }
            _ => vec![text],
        }
    };
    regions.iter().flat_map(line).collect()
}

fn found(parts: &[&str]) -> Vec<String> {
    lines(&find_regions(&analyze(&bytes(parts))))
}

/// Copies 16 bytes at 16, asks for what follows 32, returns what it copied.
const CREATION: &str = "6010 6010 5f 39 6020 38 03 50 6010 5f f3 fe";

#[test]
fn creation_code_holds_what_it_deploys_and_its_arguments() {
    let inner = ["runtime contract 16..32", "code 16..20", "metadata 20..32"];
    let expected = |rest: &'static [&'static str]| [&["code 0..16"], &inner[..], rest].concat();
    assert_eq!(found(&[CREATION, RUNTIME]), expected(&[]));
    assert_eq!(found(&[CREATION, RUNTIME, &"07".repeat(32)]), expected(&["arguments 32..64"]));
    // It asks for no arguments: POP instead of SUB.
    let asks_not = CREATION.replace("38 03", "38 50");
    assert_eq!(found(&[&asks_not, RUNTIME, &"07".repeat(32)]), expected(&["data 32..64"]));
}

#[test]
fn what_creation_code_deploys_is_runtime_code_whatever_it_reads_of_itself() {
    // The deployed code loads calldata, copies from behind its end and returns that: alone it could be either.
    let runtime = format!("5f35 50 6001 60ff 5f 39 6001 5f f3 {TRAILER}").replace(' ', "");
    let length = runtime.len() / 2;
    let creation = format!("60{length:02x} 600c 5f 39 60{length:02x} 5f f3 fe fe");
    assert_eq!(analyze(&bytes(&[&runtime])).role, Role::Either);
    assert_eq!(found(&[&creation, &runtime])[1], format!("runtime contract 12..{}", 12 + length));
}

#[test]
fn arguments_of_a_known_length_stand_behind_a_trailer() {
    // Copies 16 bytes at 17 and returns them; before that, 32 bytes at 33.
    let creation = "6020 6021 5f 39 6010 6011 5f 39 6010 5f f3";
    let regions = found(&[creation, "fe", RUNTIME, &"07".repeat(32)]);
    assert_eq!(regions.last().map(String::as_str), Some("arguments 33..65"));
    let regions = found(&[creation, "fe", &RUNTIME.replace("736f", "0000"), &"07".repeat(32)]);
    assert_eq!(regions.last().map(String::as_str), Some("data 17..65"), "no trailer before them");
}

#[test]
fn contracts_are_told_from_data_by_running() {
    // Copies 16 bytes from 8 on: a contract without a trailer, then what runs out of stack, ends at once, or is text.
    let copies = "6010 6008 5f 39 00 fe";
    let contract = "5f35 6008 57 5f5f f3 5b 5f5f fd 0000 0000";
    assert_eq!(found(&[copies, contract])[1], "runtime contract 8..24");
    for data in ["01".repeat(16), format!("00{}", "5f5ff3".repeat(5)), hex::encode("sixteen letters.")] {
        assert_eq!(found(&[copies, &data])[1..], ["data 8..24"], "{data}");
    }
}

#[test]
fn contracts_that_nothing_copies_end_with_a_trailer() {
    let regions = ["code 0..2", "runtime contract 2..18", "code 2..6", "metadata 6..18", "metadata 18..30"];
    assert_eq!(found(&["00 fe", RUNTIME, TRAILER]), regions);
    // The same bytes without their trailer are code that is not reached, at most.
    assert_eq!(found(&["00 fe", &RUNTIME[..8]]), ["code 0..2", "data 2..6"]);
}

#[test]
fn code_that_is_not_reached_begins_where_control_could_get_to() {
    // STOP; JUMPDEST STOP; then bytes that nothing leads to.
    assert_eq!(found(&["00", "5b 00", "5f 5f"]), ["code 0..1", "unreached 1..3", "data 3..5"]);
    // PUSH1 1 PUSH1 6 JUMPI: what stands behind is never reached, and falls into what is.
    assert_eq!(found(&["6001 6006 57", "30", "5b 00"]), ["code 0..5", "unreached 5..6", "code 6..8"]);
    // A byte alone that nothing runs past.
    assert_eq!(found(&["30 56", "00"]), ["code 0..2", "unreached 2..3"]);
    assert_eq!(found(&["30 56", "00 00"]), ["code 0..2", "data 2..4"]);
    // Undefined bytes are no code: 0x0c behind a JUMPDEST.
    assert_eq!(found(&["00", "5b 0c"]), ["code 0..1", "data 1..3"]);
}

#[test]
fn contracts_are_followed_so_far() {
    // Each copies all behind its 16 bytes and returns it.
    let code = |inner: &str| {
        let length = format!("61{:04x}", inner.len() / 2);
        format!("{length} 6010 5f 39 {length} 5f f3 fe fe fe fe").replace(' ', "") + inner
    };
    let deep = (0..8).fold(RUNTIME.to_owned(), |inner, _| code(&inner));
    let regions = find_regions(&analyze(&bytes(&[&deep])));
    let contracts = lines(&regions).iter().filter(|line| line.contains("contract")).count();
    assert_eq!(contracts as u32, super::MAX_DEPTH);
}

#[test]
fn many_copies_that_overlap_take_no_longer() {
    // PUSH2 3000, PUSH2 n, PUSH0, CODECOPY for a thousand places n, all of them free, and a text there.
    let copies: Vec<String> = (0..1000).map(|n| format!("610bb861{:04x}5f39", 8192 + n)).collect();
    let code = copies.concat() + "00fe";
    let code = bytes(&[&code, &"30".repeat(8192 + 4000 - code.len() / 2)]);
    let regions = find_regions(&analyze(&code));
    assert_eq!(lines(&regions), ["code 0..8002", "data 8002..12192"]);
}

#[test]
fn regions_are_all_of_any_code() {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let parts = [CREATION, RUNTIME, TRAILER, "5b", "00", "6010 6008 5f 39", "60", "fe", "f3", "5f5f39"];
    for _ in 0..2000 {
        let picked: Vec<&str> = (0..1 + random() % 8).map(|_| parts[random() % parts.len()]).collect();
        let code = bytes(&picked);
        let mut next = 0;
        for region in find_regions(&analyze(&code)) {
            assert_eq!(region.bytes.start, next, "{picked:?}");
            assert!(!region.bytes.is_empty(), "{picked:?}");
            next = region.bytes.end;
        }
        assert_eq!(next as usize, code.len(), "{picked:?}");
    }
    assert_eq!(find_regions(&analyze(&[])), []);
    assert!(matches!(analyze(&[]).role, Role::Runtime));
}
