//! State tests: every account's code is recompiled, then the recorded transactions run.

use crate::figures::Figures;
use crate::recompile;
use crate::rows::{Rows, hex, word};
use cairn_driver::Recompiled;
use cairn_exec::{Address, Environment, Machine, Message, Observation, Status, U256, find_difference};
use serde_json::Value;
use std::collections::BTreeMap;

type Codes = BTreeMap<Address, Vec<u8>>;

/// Compares every `step`-th row of a file.
pub(crate) fn compare_file(name: &str, step: usize) -> Option<Figures> {
    let mut figures = Figures::default();
    let mut known = BTreeMap::new();
    for row in Rows::open(name)?.step_by(step) {
        compare_row(&row, &mut known, &mut figures);
    }
    Some(figures)
}

fn compare_row(row: &Value, known: &mut BTreeMap<Vec<u8>, Recompiled>, figures: &mut Figures) {
    let (mut codes, mut new_codes) = (Codes::new(), Codes::new());
    let mut reasons = Vec::new();
    for (address, data) in row["pre"].as_object().into_iter().flatten() {
        let code = data["code"].as_str().map(hex).unwrap_or_default();
        let Ok(address) = address.parse::<Address>() else { continue };
        if code.is_empty() {
            continue;
        }
        let result = known.entry(code.clone()).or_insert_with(|| recompile(&code));
        figures.count(&code, result);
        if is_about_observing(result) {
            reasons.extend(result.kept.clone());
        }
        new_codes.insert(address, result.code.clone());
        codes.insert(address, code);
    }
    let (left, gas_left) = run_row(row, &codes);
    let (right, gas_right) = run_row(row, &new_codes);
    let name = row["name"].as_str().unwrap_or("?");
    figures.rows += 1;
    let Some(difference) = find_difference(&left, &right) else {
        figures.equal += 1;
        figures.count_gas(name, gas_left, gas_right);
        return;
    };
    let name = format!("{name}: {}", difference.to_string().chars().take(600).collect::<String>());
    let halted = row["trace"]["frames_halted"].as_u64().unwrap_or(0) > 0;
    let halts = |list: &[Observation]| list.iter().any(|seen| seen.status == Status::Halt);
    let ops = row["trace"]["layout_ops"].as_array().into_iter().flatten();
    let asks_for_code = ops.filter_map(Value::as_str).any(|op| op.starts_with("EXTCODE"));
    match reasons.first() {
        None if asks_for_code => figures.seen_by_others.push(name),
        Some(reason) => figures.refused.push(format!("{name}: {reason}")),
        None if halted || halts(&left) || halts(&right) => figures.out_of_gas.push(name),
        None => figures.wrong.push(name),
    }
}

/// True when the program was left as it is because it could notice the difference.
fn is_about_observing(result: &Recompiled) -> bool {
    result.kept.as_ref().is_some_and(|reason| reason.contains("gas") || reason.contains("code of accounts"))
}

/// What the row's transactions do when its accounts have these codes, and their gas.
fn run_row(row: &Value, codes: &Codes) -> (Vec<Observation>, u64) {
    let pre = || row["pre"].as_object().into_iter().flatten();
    let mut accounts: Vec<Address> = pre().filter_map(|(address, _)| address.parse().ok()).collect();
    let single = [row["tx"].clone()];
    let txs = row["txs"].as_array().map_or(&single[..], Vec::as_slice);
    accounts.extend(txs.iter().filter_map(|tx| tx["sender"].as_str()?.parse::<Address>().ok()));
    let gas_text = |tx: &Value| tx["gas"].as_str().or(tx["gasLimit"].as_str()).map_or(U256::ZERO, word);
    let gas_of = |tx: &Value| gas_text(tx).saturating_to::<u64>();
    let gas_limit = txs.iter().map(gas_of).max().unwrap_or(0).clamp(100_000_000, 1 << 45);
    let mut machine = Machine::new(Environment { accounts, gas_limit, ..Environment::default() });
    for (address, code) in codes {
        machine.set_code(*address, code.clone());
    }
    for (address, data) in pre() {
        let Ok(address) = address.parse::<Address>() else { continue };
        for (key, value) in data["storage"].as_object().into_iter().flatten() {
            machine.set_storage(address, word(key), word(value.as_str().expect("hex")));
        }
    }
    let mut gas = 0;
    let run = |tx: &Value| {
        let data = tx["data"].as_str().map(hex).unwrap_or_default();
        let value = tx["value"].as_str().map_or(U256::ZERO, word);
        let sender = tx["sender"].as_str()?.parse().ok()?;
        let message = Message::new(data).with_value(value).from(sender);
        let outcome = match tx["to"].as_str().filter(|to| !to.is_empty()) {
            Some(to) => machine.call(to.parse().ok()?, &message).ok()?,
            None => machine.deploy(&message).ok()?,
        };
        gas += outcome.gas.execution;
        Some(machine.observe(&outcome))
    };
    (txs.iter().filter_map(run).collect(), gas)
}
