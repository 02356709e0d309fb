//! State tests: every account's code is recompiled, then the recorded transactions run.
//!
//! A row that behaves differently runs again, where instructions cost nothing and accounts whose
//! code somebody looked at keep theirs: then it has to be equal. So what differs is gas, or what a
//! program was told about another's code, and nothing else.

use crate::figures::Figures;
use crate::recompile;
use crate::rows::{Rows, hex, word};
use cairn_driver::Recompiled;
use cairn_evm::{Fork, Opcode};
use cairn_exec::{
    Address, BlockFacts, Environment, Machine, Message, Observation, Prices, Record, Status, U256,
    find_difference,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

type Codes = BTreeMap<Address, Vec<u8>>;

/// Steps of a transaction that are looked at for who looks at code.
const MAX_STEPS: usize = 200_000;
/// Opcodes that see the layout of code, or gas.
const LAYOUT: [&str; 4] = ["GAS", "PC", "CODESIZE", "CODECOPY"];

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
        let result = known.entry(code.clone()).or_insert_with(|| recompile(&code, None, fork_of(row)));
        figures.count(&code, result);
        if is_about_observing(result) {
            reasons.extend(result.kept.clone());
        }
        new_codes.insert(address, result.code.clone());
        codes.insert(address, code);
    }
    let left = run_row(row, &codes, Prices::Fork, false);
    let right = run_row(row, &new_codes, Prices::Fork, false);
    let name = row["name"].as_str().unwrap_or("?");
    figures.rows += 1;
    figures.as_recorded += usize::from(is_as_recorded(row, &left));
    let is_free = is_free_of_layout(row);
    figures.free_of_layout += usize::from(is_free);
    let Some(difference) = find_difference(&left.seen, &right.seen) else {
        figures.equal += 1;
        figures.count_gas(name, left.gas, right.gas);
        return;
    };
    let short = |text: String| text.chars().take(300).collect::<String>();
    let observed = run_row(row, &codes, Prices::Fork, true).observed;
    new_codes.extend(observed.iter().filter_map(|address| Some((*address, codes.get(address)?.clone()))));
    let left_free = run_row(row, &codes, Prices::Nominal, false);
    let right_free = run_row(row, &new_codes, Prices::Nominal, false);
    let free_difference = find_difference(&left_free.seen, &right_free.seen);
    let name = format!("{name}: {}", short(free_difference.as_ref().unwrap_or(&difference).to_string()));
    match (free_difference, reasons.first()) {
        _ if is_free => figures.wrong.push(name),
        (Some(_), None) => figures.wrong.push(name),
        (Some(_), Some(reason)) => figures.refused.push(format!("{name}: {reason}")),
        (None, _) if observed.is_empty() => figures.gas_alone.push(name),
        (None, _) => figures.seen_by_others.push(name),
    }
}

/// True when nothing in the row can see the layout of code, or gas.
fn is_free_of_layout(row: &Value) -> bool {
    let trace = &row["trace"];
    let ops = trace["layout_ops"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut ops = ops.filter(|op| LAYOUT.contains(op) || op.starts_with("EXTCODE"));
    trace["frames_halted"].as_u64() == Some(0) && ops.next().is_none()
}

/// True when the program was left as it is because it could notice the difference.
fn is_about_observing(result: &Recompiled) -> bool {
    result.kept.as_ref().is_some_and(|reason| reason.contains("gas") || reason.contains("code of accounts"))
}

fn fork_of(row: &Value) -> Fork {
    row["fork"].as_str().and_then(|name| name.parse().ok()).unwrap_or(Fork::Cancun)
}

/// What a row's transactions did.
#[derive(Default)]
struct Ran {
    seen: Vec<Observation>,
    gas: u64,
    /// Accounts whose code was looked at, where that was asked for.
    observed: BTreeSet<Address>,
}

/// Runs the row's transactions where its accounts have these codes.
fn run_row(row: &Value, codes: &Codes, prices: Prices, looks_at_steps: bool) -> Ran {
    let single = [row["tx"].clone()];
    let txs = row["txs"].as_array().map_or(&single[..], Vec::as_slice);
    let mut machine = machine_of(row, txs, codes, prices);
    if looks_at_steps {
        machine.set_record(Record::Steps(MAX_STEPS));
    }
    let mut ran = Ran::default();
    for tx in txs {
        run_transaction(tx, &mut machine, &mut ran);
    }
    ran
}

/// The first of a number's variants, as fixtures spell it.
fn number(value: &Value) -> Option<U256> {
    value.as_str().or(value[0].as_str()).map(word)
}

fn run_transaction(tx: &Value, machine: &mut Machine, ran: &mut Ran) -> Option<()> {
    let data = tx["data"].as_str().or(tx["data"][0].as_str()).map(hex).unwrap_or_default();
    let sender = tx["sender"].as_str()?.parse().ok()?;
    let message = Message::new(data).with_value(number(&tx["value"]).unwrap_or_default()).from(sender);
    let outcome = match tx["to"].as_str().filter(|to| !to.is_empty()) {
        Some(to) => machine.call(to.parse().ok()?, &message).ok()?,
        None => machine.deploy(&message).ok()?,
    };
    ran.gas += outcome.gas.execution;
    ran.seen.push(machine.observe(&outcome));
    let looks =
        |opcode: Opcode| matches!(opcode, Opcode::EXTCODESIZE | Opcode::EXTCODECOPY | Opcode::EXTCODEHASH);
    let steps = machine.recording().steps.iter().filter(|step| looks(step.opcode));
    let operands = steps.filter_map(|step| step.stack.last());
    ran.observed.extend(operands.map(|operand| Address::from_word(operand.to_be_bytes().into())));
    Some(())
}

/// The chain before the row's transactions.
fn machine_of(row: &Value, txs: &[Value], codes: &Codes, prices: Prices) -> Machine {
    let env = |name: &str| number(&row["env"][name]);
    let gas =
        |tx: &Value| number(&tx["gas"]).or(number(&tx["gasLimit"])).map(|gas| gas.saturating_to::<u64>());
    let gas_limit = txs.iter().filter_map(gas).max().unwrap_or(0).min(1 << 45);
    // Tests of a single frame do not count the cost of a transaction.
    let is_frame_alone = row["tx"]["code"].is_string();
    let least = if is_frame_alone || prices == Prices::Nominal { 100_000_000 } else { 0 };
    let block = BlockFacts::default();
    let mut machine = Machine::new(Environment {
        fork: fork_of(row),
        gas_limit: gas_limit.max(least),
        number: env("currentNumber").map_or(0, |number| number.saturating_to::<u64>().saturating_sub(1)),
        timestamp: env("currentTimestamp").map_or(0, |time| time.saturating_to::<u64>().saturating_sub(15)),
        gas_price: number(&txs[0]["gasPrice"]).map_or(0, |price| price.saturating_to()),
        block: BlockFacts {
            coinbase: row["env"]["currentCoinbase"]
                .as_str()
                .and_then(|address| address.parse().ok())
                .unwrap_or(block.coinbase),
            gas_limit: env("currentGasLimit").map_or(block.gas_limit, |limit| limit.saturating_to()),
            base_fee: env("currentBaseFee").map_or(0, |fee| fee.saturating_to()),
            prevrandao: env("currentRandom").map_or(block.prevrandao, |word| word.to_be_bytes().into()),
        },
        prices,
        ..Environment::default()
    });
    if is_frame_alone && let Some(sender) = txs[0]["sender"].as_str().and_then(|text| text.parse().ok()) {
        machine.set_account(sender, U256::MAX >> 100, 0);
    }
    for (address, code) in codes {
        machine.set_code(*address, code.clone());
    }
    for (address, data) in row["pre"].as_object().into_iter().flatten() {
        let Ok(address) = address.parse::<Address>() else { continue };
        let nonce = number(&data["nonce"]).unwrap_or_default().saturating_to();
        machine.set_account(address, number(&data["balance"]).unwrap_or_default(), nonce);
        for (key, value) in data["storage"].as_object().into_iter().flatten() {
            machine.set_storage(address, word(key), word(value.as_str().expect("hex")));
        }
    }
    machine
}

/// True when status and storage after the last transaction are those of the record.
fn is_as_recorded(row: &Value, ran: &Ran) -> bool {
    let expects = row["expect"].as_array().map_or(&row["expect"], |list| &list[list.len() - 1]);
    let Some(last) = ran.seen.last() else { return false };
    let status = match expects["status"].as_str().unwrap_or("").split(':').next() {
        Some("success") => Status::Success,
        Some("revert") => Status::Revert,
        _ => Status::Halt,
    };
    let Some(post) = expects["post"].as_object() else { return last.status == status };
    let mut storage = BTreeMap::new();
    for (address, data) in post {
        let Ok(address) = address.parse::<Address>() else { continue };
        let slots = data["storage"].as_object().into_iter().flatten();
        let words = slots.filter_map(|(key, value)| Some((word(key), number(value)?)));
        let words: BTreeMap<U256, U256> = words.filter(|(_, value)| !value.is_zero()).collect();
        if !words.is_empty() {
            storage.insert(address, words);
        }
    }
    last.status == status && last.storage == storage
}
