//! Listings of any bytes: none is refused, and of contracts nothing is lost that others can see.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

use cairn_bytecode::{Analysis, Role, analyze_given};
use cairn_driver::{Names, Options, Session, list_code};
use cairn_evm::{Effects, Opcode};
use cairn_ir::Op;
use flate2::read::GzDecoder;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// Every so many contracts of the corpus.
const STEP: usize = 80;

fn list(code: &[u8], role: Option<Role>) -> String {
    list_code(("code", code), role, &Names::default(), &Options::default(), &mut Session::default())
}

/// Offsets of instructions whose effects others can see, in blocks that control reaches.
fn effects(analysis: &Analysis<'_>) -> BTreeSet<u32> {
    let seen =
        Effects::WRITE_STORAGE | Effects::WRITE_TRANSIENT | Effects::WRITE_LOG | Effects::WRITE_ACCOUNTS;
    let reached = (0..analysis.blocks.len() as u32).filter(|block| analysis.is_reached(*block));
    let insts = reached.flat_map(|block| analysis.instructions(analysis.blocks.get(block)));
    let is_seen = |opcode: Opcode| opcode.info().is_some() && Op::Evm(opcode).effects().intersects(seen);
    insts.filter(|inst| is_seen(inst.opcode)).map(|inst| inst.pc).collect()
}

/// Offsets in front of lines and in their remarks.
fn offsets(text: &str) -> BTreeSet<u32> {
    let words = text.split([' ', '\n', ',']).filter(|word| word.len() == 5);
    words.filter_map(|word| u32::from_str_radix(word, 16).ok()).collect()
}

#[test]
fn what_others_can_see_has_its_line() {
    let Some(root) = std::env::var_os("CAIRN_CORPUS") else {
        println!("skipped: CAIRN_CORPUS names no corpus");
        return;
    };
    let file = File::open(std::path::Path::new(&root).join("bytecode/bytecodes.jsonl.gz")).expect("a corpus");
    let rows = BufReader::new(GzDecoder::new(file)).lines().map(|line| line.expect("text"));
    let mut checked = 0;
    for row in rows.filter(|row| row.contains("\"dev\"")).step_by(STEP) {
        let row: serde_json::Value = serde_json::from_str(&row).expect("JSON");
        let digits = row["runtime"].as_str().expect("digits");
        let code = cairn_evm::hex::decode(digits).expect("digits");
        let analysis =
            analyze_given(&code, cairn_bytecode::Given { role: Some(Role::Runtime), ..Default::default() });
        let listed = offsets(&list(&code, Some(Role::Runtime)));
        let wanted = effects(&analysis);
        let lost: Vec<&u32> = wanted.difference(&listed).collect();
        assert!(lost.is_empty(), "{}: {lost:x?}", row["name"]);
        checked += wanted.len();
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn no_bytes_are_refused() {
    // Opcodes that move control and the stack, and small pushes, more often than others.
    let common =
        [0x5b, 0x56, 0x57, 0x60, 0x60, 0x60, 0x80, 0x90, 0x50, 0x35, 0x54, 0x55, 0x20, 0x52, 0x51, 0x01];
    let mut state: u64 = 7;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    for _ in 0..400 {
        let length = next() % 120;
        let byte = |_| match next() % 8 {
            0 => (next() % 256) as u8,
            1 => (next() % 100) as u8,
            _ => common[next() % common.len()],
        };
        let code: Vec<u8> = (0..length).map(byte).collect();
        for role in [None, Some(Role::Runtime), Some(Role::Creation)] {
            assert!(list(&code, role).starts_with("code: "));
        }
    }
}
