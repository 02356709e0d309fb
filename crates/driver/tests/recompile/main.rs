//! Recompiles bytecode and compares the behaviour of the original and the result.
//!
//! Programs of the corpus' state tests run with their recorded state and calldata, real contracts
//! with calls to each selector. Without a corpus the suite says so and passes; by default it takes
//! a sample, the ignored tests take everything and print figures. `CAIRN_RECOMPILE_STEP` takes
//! every n-th contract.

#![allow(clippy::print_stdout, reason = "tests say what they skip and measure")]

mod rows;

use cairn_driver::{Level, Options, Recompiled, Session};
use cairn_exec::{Address, Environment, Machine, Message, Observation, U256, account};
use rows::{Rows, hex, word};
use serde_json::Value;
use std::collections::BTreeMap;

fn recompile(code: &[u8]) -> Recompiled {
    let mut session = Session::new(Options { level: Level::Os, ..Options::default() });
    session.recompile(code).unwrap_or_else(|failure| panic!("{failure:?}: {}", cairn_evm::hex::encode(code)))
}

#[derive(Default, Debug)]
struct Figures {
    rows: usize,
    equal: usize,
    different: Vec<String>,
    codes: usize,
    recompiled: usize,
    kept: BTreeMap<String, usize>,
    before: usize,
    after: usize,
    gas_before: u64,
    gas_after: u64,
}

impl Figures {
    fn count(&mut self, code: &[u8], result: &Recompiled) {
        self.codes += 1;
        self.before += code.len();
        self.after += result.code.len();
        match &result.kept {
            None => self.recompiled += 1,
            Some(reason) => {
                let class: String = reason.chars().filter(|c| !c.is_ascii_digit()).take(48).collect();
                *self.kept.entry(class).or_default() += 1;
            }
        }
    }

    fn print(&self, title: &str) {
        println!(
            "{title}: rows {} equal {} different {}; codes {} recompiled {} size {:.4} gas {:.4}",
            self.rows,
            self.equal,
            self.different.len(),
            self.codes,
            self.recompiled,
            self.after as f64 / self.before.max(1) as f64,
            self.gas_after as f64 / self.gas_before.max(1) as f64
        );
        println!("  kept: {:?}", self.kept);
        for name in self.different.iter().take(40) {
            println!("  different: {name}");
        }
    }
}

/// What the row's accounts do with their codes replaced.
fn run_row(row: &Value, codes: &BTreeMap<Address, Vec<u8>>) -> (Vec<Observation>, u64) {
    let mut machine = Machine::new(Environment::default());
    for (address, code) in codes {
        machine.set_code(*address, code.clone());
        let storage = row["pre"][&format!("{address:#x}")]["storage"].as_object();
        for (key, value) in storage.into_iter().flatten() {
            machine.set_storage(*address, word(key), word(value.as_str().expect("hex")));
        }
    }
    let single = [row["tx"].clone()];
    let txs = row["txs"].as_array().map_or(&single[..], Vec::as_slice);
    let mut gas = 0;
    let run = |tx: &Value| {
        let to: Address = tx["to"].as_str()?.parse().ok()?;
        let data = tx["data"].as_str().map(hex).unwrap_or_default();
        let outcome = machine.call(to, &Message::new(data)).ok()?;
        gas += outcome.gas.execution;
        Some(machine.observe(&outcome))
    };
    (txs.iter().filter_map(run).collect(), gas)
}

fn layout_ops(row: &Value) -> Vec<&str> {
    row["trace"]["layout_ops"]
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

fn compare_row(row: &Value, figures: &mut Figures) {
    let mut codes = BTreeMap::new();
    let mut new_codes = BTreeMap::new();
    for (address, data) in row["pre"].as_object().into_iter().flatten() {
        let code = data["code"].as_str().map(hex).unwrap_or_default();
        let Ok(address) = address.parse::<Address>() else { continue };
        if code.is_empty() {
            continue;
        }
        let result = recompile(&code);
        figures.count(&code, &result);
        new_codes.insert(address, result.code);
        codes.insert(address, code);
    }
    let observes = layout_ops(row).iter().any(|op| *op != "CODESIZE" && *op != "CODECOPY" && *op != "PC");
    let halts = row["trace"]["frames_halted"].as_u64().unwrap_or(0) > 0;
    let (left, gas_left) = run_row(row, &codes);
    let (right, gas_right) = run_row(row, &new_codes);
    figures.rows += 1;
    figures.gas_before += gas_left;
    figures.gas_after += gas_right;
    if left == right {
        figures.equal += 1;
    } else {
        let note = if observes || halts { " (observes gas or layout, or halts)" } else { "" };
        figures.different.push(format!("{}{note}", row["name"].as_str().unwrap_or("?")));
    }
}

fn compare_file(name: &str, step: usize) -> Option<Figures> {
    let mut figures = Figures::default();
    for row in Rows::open(name)?.step_by(step) {
        compare_row(&row, &mut figures);
    }
    Some(figures)
}

/// Calls each selector, and nothing, with two patterns of arguments.
fn calls(code: &[u8]) -> Vec<Vec<u8>> {
    let analysis = cairn_bytecode::analyze(code);
    let mut calls = vec![Vec::new(), vec![0xff; 4]];
    for selector in analysis.selectors.iter().take(64) {
        let mut zeros = selector.selector.to_be_bytes().to_vec();
        let mut small = zeros.clone();
        zeros.resize(4 + 32 * 6, 0);
        for index in 0..6u8 {
            small.extend([0u8; 31]);
            small.push(if index % 2 == 0 { 0x60 } else { 3 });
        }
        calls.push(zeros);
        calls.push(small);
    }
    calls
}

fn observe(code: &[u8], calls: &[Vec<u8>]) -> (Vec<Observation>, u64) {
    let target = Address::repeat_byte(0xc0);
    let mut machine = Machine::new(Environment { gas_limit: 3_000_000, ..Environment::default() });
    machine.set_code(target, code.to_vec());
    machine.set_storage(target, U256::ZERO, U256::from_be_slice(account(0).as_slice()));
    let mut gas = 0;
    let observations = calls.iter().filter_map(|call| {
        let outcome = machine.call(target, &Message::new(call.clone())).ok()?;
        gas += outcome.gas.execution;
        Some(machine.observe(&outcome))
    });
    (observations.collect(), gas)
}

fn compare_contract(row: &Value, figures: &mut Figures) {
    let code = hex(row["runtime"].as_str().expect("hex"));
    let result = recompile(&code);
    figures.count(&code, &result);
    if result.kept.is_some() {
        return;
    }
    let calls = calls(&code);
    let (left, gas_left) = observe(&code, &calls);
    let (right, gas_right) = observe(&result.code, &calls);
    figures.rows += calls.len();
    figures.gas_before += gas_left;
    figures.gas_after += gas_right;
    let equal = left.iter().zip(&right).filter(|(a, b)| a == b).count();
    figures.equal += equal;
    if equal < calls.len() {
        figures.different.push(row["name"].as_str().unwrap_or("?").to_owned());
    }
}

#[test]
fn edge_cases_behave_as_before() {
    let Some(figures) = compare_file("edge-cases", 1) else { return };
    figures.print("edge-cases");
    let wrong: Vec<_> = figures.different.iter().filter(|name| !name.contains('(')).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
#[ignore = "long; run with --release"]
fn all_state_tests() {
    for name in ["statetests-vm", "statetests-more", "vmtests-legacy", "fixtures-revmc", "fixtures-ipsilon"] {
        if let Some(figures) = compare_file(name, 1) {
            figures.print(name);
        }
    }
}

#[test]
#[ignore = "long; run with --release"]
fn contracts() {
    let step = std::env::var("CAIRN_RECOMPILE_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(1);
    let Some(rows) = Rows::open("bytecodes") else { return };
    let mut figures = Figures::default();
    rows.step_by(step).for_each(|row| compare_contract(&row, &mut figures));
    figures.print("contracts");
    assert!(figures.different.is_empty());
}
