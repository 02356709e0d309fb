//! Random and mutated bytes: analysis never panics and never hangs; what lifts is valid EVM-IR.
//!
//! `CAIRN_FUZZ_STRINGS` is the number of strings, 20,000 by default; seeds are fixed. Where the
//! corpus is there, one string in 256 is a mutated contract of it.

#![allow(clippy::print_stdout, reason = "a test says what it measures")]

mod common;

use cairn_bytecode::{analyze, draw, report};
use cairn_ir::verify::{Form, verify};
use common::Random;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::time::Instant;

/// Programs that strings are mutated from: loops, calls, computed jumps, a dispatcher.
const SEEDS: [&str; 5] = [
    "60005b600581106013576000526020 6000f3fe5b6001016002560000",
    "600760056013565b601190601356000000005b005b80019056",
    "5f351560050260 0b0156fe5b00fefefe5b005b00",
    "60806040523415600e575f80fd5b5060043610602d575f3560e01c8063a9059cbb146031578063dd62ed3e14603d575b5f80fd5b603b6004604956 5b005b6045600456 5b5f5260205ff35b5656",
    "5f5b8060010190506002565b5b5b6001565b565b575b5680356004",
];

/// Bytes that matter to control flow, and some others.
const ALPHABET: [u8; 24] = [
    0x56, 0x57, 0x5b, 0x5b, 0x60, 0x60, 0x61, 0x5f, 0x80, 0x81, 0x82, 0x90, 0x91, 0x92, 0x50, 0x01, 0x16,
    0x15, 0x35, 0x51, 0x58, 0x00, 0xfd, 0xf3,
];

fn string(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    match random.below(4) {
        0 => (0..random.below(200)).map(|_| random.next() as u8).collect(),
        1 => {
            let length = random.below(120);
            let mut code = Vec::new();
            while code.len() < length {
                let byte = ALPHABET[random.below(ALPHABET.len())];
                code.push(byte);
                if byte == 0x60 {
                    code.push(random.below(length.min(255) + 1) as u8);
                }
            }
            code
        }
        _ => {
            let seed = random.below(seeds.len());
            mutated(random, &seeds[seed])
        }
    }
}

fn mutated(random: &mut Random, seed: &[u8]) -> Vec<u8> {
    let mut code = seed.to_vec();
    for _ in 0..1 + random.below(6) {
        let place = random.below(code.len().max(1));
        match random.below(4) {
            0 => code.insert(place.min(code.len()), ALPHABET[random.below(ALPHABET.len())]),
            1 if code.len() > 1 => {
                code.remove(place);
            }
            2 if !code.is_empty() => code[place] = ALPHABET[random.below(ALPHABET.len())],
            _ if !code.is_empty() => code[place] = random.next() as u8,
            _ => {}
        }
    }
    code
}

/// Some contracts of the corpus; none where it is not there.
fn contracts() -> Vec<Vec<u8>> {
    let root = std::env::var_os("CAIRN_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    let Ok(file) = std::fs::File::open(root.join("bytecode/bytecodes.jsonl.gz")) else { return Vec::new() };
    let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines().step_by(7).take(300);
    let code = |line: std::io::Result<String>| {
        let row: serde_json::Value = serde_json::from_str(&line.expect("readable")).expect("JSON");
        cairn_evm::hex::decode(row["runtime"].as_str().expect("hex")).expect("hex")
    };
    lines.map(code).collect()
}

/// The largest size of this process in megabytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

/// Analyses and lifts; true when the string lifts.
fn check(code: &[u8], with_pictures: bool) -> bool {
    let analysis = analyze(code);
    for jump in analysis.cfg.jumps() {
        assert!(jump.block < analysis.blocks.len() as u32);
    }
    let lifted = cairn_lift::lift(&analysis);
    if let Ok(lifted) = &lifted {
        let faults = verify(&lifted.module, Form::Free);
        let first = faults.iter().next().map(|fault| fault.message.clone());
        assert_eq!(first, None, "{}", cairn_evm::hex::encode(code));
    }
    if with_pictures {
        let _ = report::full("code", &analysis, 0.0);
        let picture = draw::Picture::of(&analysis);
        assert!(draw::svg(&picture).ends_with("</svg>\n"));
    }
    lifted.is_ok()
}

#[test]
fn no_string_is_too_strange() {
    let count =
        std::env::var("CAIRN_FUZZ_STRINGS").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000u64);
    let decode = |text: &&str| cairn_evm::hex::decode(text.replace(' ', "")).expect("hexadecimal digits");
    let seeds: Vec<Vec<u8>> = SEEDS.iter().map(decode).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let contracts = contracts();
    let (mut longest, mut num_contracts, mut num_lifted) = (0f64, 0, 0);
    for index in 0..count {
        let is_contract = index % 256 == 255 && !contracts.is_empty();
        let code = match is_contract {
            true => mutated(&mut random, &contracts[(index / 256) as usize % contracts.len()]),
            false => string(&mut random, &seeds),
        };
        num_contracts += u64::from(is_contract);
        let start = Instant::now();
        let with_pictures = index % 16 == 0 || (is_contract && num_contracts % 8 == 0);
        num_lifted += u64::from(check(&code, with_pictures));
        longest = longest.max(start.elapsed().as_secs_f64());
    }
    println!(
        "{count} strings, {num_contracts} of them mutated contracts, {num_lifted} lifted; longest {:.1} ms; \
         {:?} MB at most",
        longest * 1e3,
        peak_memory()
    );
    assert!(longest < 20.0, "one string took {longest} s");
    assert!(peak_memory().is_none_or(|megabytes| megabytes < 2000), "memory grew");
}
