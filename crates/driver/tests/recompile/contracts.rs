//! Real contracts: each constant of four bytes is called as a selector, with combinations of
//! arguments, storage and value; other accounts are stubs.

use crate::Compile;
use crate::figures::Figures;
use crate::rows::{Rows, hex};
use cairn_bytecode::{Role, instructions};
use cairn_evm::{Fork, Opcode};
use cairn_exec::{Address, Environment, Machine, Message, Observation, Prices, Record, U256, account};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const TARGET: Address = Address::repeat_byte(0xc0);
/// Returns 32 bytes: the number 1.
const STUB: [u8; 10] = [0x60, 1, 0x60, 0, 0x52, 0x60, 32, 0x60, 0, 0xf3];
const GAS_LIMIT: u64 = 400_000 + 21_000 + 20_000;

/// Steps of a call that are looked at for jumps.
const MAX_STEPS: usize = 200_000;

/// Which contracts: every `step`-th after the first few.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) first: usize,
    pub(crate) step: usize,
}

/// Compares contracts with `combinations` calls a selector.
pub(crate) fn compare(compile: Compile, part: Part, combinations: usize) -> Option<Figures> {
    let mut figures = Figures::default();
    for row in Rows::open("bytecodes")?.skip(part.first).step_by(part.step) {
        let code = hex(row["runtime"].as_str().expect("hex"));
        // Some rows are constructors; here all are the code of an account, and called.
        let result = compile(&code, Some(Role::Runtime), Fork::Cancun);
        figures.count(&code, &result);
        if result.kept.is_some() {
            continue;
        }
        let name = row["name"].as_str().unwrap_or("?");
        compare_contract(name, &code, &result.code, combinations, &mut figures);
    }
    Some(figures)
}

fn compare_contract(name: &str, code: &[u8], new: &[u8], combinations: usize, figures: &mut Figures) {
    let selectors = selectors(code);
    let (mut gas_before, mut gas_after) = (0, 0);
    let (mut different, mut different_without_gas) = (0, 0);
    for combination in 0..combinations {
        let calls: Vec<Message> = selectors.iter().map(|selector| call(*selector, combination)).collect();
        let left = observe(code, combination, &calls, Prices::Fork);
        let right = observe(new, combination, &calls, Prices::Fork);
        let unequal = count_different(&left, &right);
        figures.rows += left.len();
        figures.equal += left.len() - unequal;
        gas_before += left.iter().map(|(_, gas)| gas).sum::<u64>();
        gas_after += right.iter().map(|(_, gas)| gas).sum::<u64>();
        if unequal > 0 {
            different += unequal;
            let left = observe(code, combination, &calls, Prices::Nominal);
            let right = observe(new, combination, &calls, Prices::Nominal);
            different_without_gas += count_different(&left, &right);
        }
    }
    if different_without_gas > 0 {
        figures.wrong.push(format!("{name}: {different_without_gas} calls"));
    } else if different > 0 {
        figures.gas_alone.push(format!("{name}: {different} calls"));
    }
    figures.count_gas(name, gas_before, gas_after);
}

pub(crate) fn count_different(left: &[(Observation, u64)], right: &[(Observation, u64)]) -> usize {
    left.iter().zip(right).filter(|((left, _), (right, _))| left != right).count()
}

/// Constants of four bytes before the trailer, and two that are no selectors.
fn selectors(code: &[u8]) -> Vec<Option<[u8; 4]>> {
    let end = code.len() - cairn_bytecode::find_metadata(code).map_or(0, |data| data.length as usize);
    let pushed: BTreeSet<[u8; 4]> = instructions(code, 0, end as u32)
        .filter(|inst| inst.opcode == Opcode::PUSH4)
        .filter_map(|inst| inst.data.try_into().ok())
        .collect();
    let mut list = vec![None, Some([0xab; 4])];
    list.extend(pushed.into_iter().map(Some));
    list
}

fn call(selector: Option<[u8; 4]>, combination: usize) -> Message {
    let Some(selector) = selector else { return Message::new(vec![]) };
    let mut data = selector.to_vec();
    for index in 0..6u64 {
        let word = match combination % 5 {
            0 => U256::ZERO,
            1 => U256::from(if index % 2 == 0 { 0x60 } else { 3 }),
            2 => U256::from_be_slice(account(0).as_slice()),
            3 => U256::MAX,
            _ => U256::from(index + 1),
        };
        data.extend(word.to_be_bytes::<32>());
    }
    Message::new(data).with_value(U256::from(combination / 5 % 2))
}

/// Observations with gas of calls, each on a state that the ones before left.
fn observe(code: &[u8], combination: usize, calls: &[Message], prices: Prices) -> Vec<(Observation, u64)> {
    let mut machine = machine_of(code, combination, prices);
    let run = |message: &Message| {
        let outcome = machine.call(TARGET, message).ok()?;
        Some((machine.observe(&outcome), outcome.gas.execution))
    };
    calls.iter().filter_map(run).collect()
}

/// The chain of a combination: a tenth of them has storage that is empty but for an owner, the next
/// addresses in the first slots, then one word in every slot.
fn machine_of(code: &[u8], combination: usize, prices: Prices) -> Machine {
    let stubs: Vec<Address> = (1..4u8).map(|last| Address::with_last_byte(0x20 + last)).collect();
    let word = |address: Address| U256::from_be_slice(address.as_slice());
    let storage = match combination / 10 {
        0 | 1 => U256::ZERO,
        2 => U256::from(1),
        3 => word(account(0)),
        _ => U256::MAX >> 128,
    };
    let environment =
        Environment { fork: Fork::Cancun, gas_limit: GAS_LIMIT, storage, prices, ..Environment::default() };
    let mut machine = Machine::new(environment);
    machine.set_code(TARGET, code.to_vec());
    stubs.iter().for_each(|stub| machine.set_code(*stub, STUB.to_vec()));
    match combination / 10 {
        0 => machine.set_storage(TARGET, U256::ZERO, word(account(0))),
        1 => (0..12).for_each(|slot| machine.set_storage(TARGET, U256::from(slot), word(stubs[slot % 3]))),
        _ => {}
    }
    machine
}

/// Of the edges that the corpus says were executed, how many these calls execute, and all of them:
/// what comparing by these calls is worth.
pub(crate) fn count_edges(part: Part, combinations: usize) -> Option<(usize, usize)> {
    let edges_of = |row: Value| {
        let pair =
            |edge: &Value| Some((edge[0].as_u64()? as usize, usize::try_from(edge[1].as_i64()?).ok()?));
        let list = row["edges"].as_array().expect("a list").iter().filter_map(pair).collect::<Vec<_>>();
        (row["name"].as_str().expect("a name").to_owned(), list)
    };
    let wanted: BTreeMap<String, Vec<(usize, usize)>> = Rows::open("executed-edges")?.map(edges_of).collect();
    let (mut found, mut all) = (0, 0);
    for row in Rows::open("bytecodes")?.skip(part.first).step_by(part.step) {
        let code = hex(row["runtime"].as_str().expect("hex"));
        let executed = executed_edges(&code, combinations);
        let Some(wanted) = row["name"].as_str().and_then(|name| wanted.get(name)) else { continue };
        found += wanted.iter().filter(|edge| executed.contains(edge)).count();
        all += wanted.len();
    }
    Some((found, all))
}

fn executed_edges(code: &[u8], combinations: usize) -> BTreeSet<(usize, usize)> {
    let mut executed = BTreeSet::new();
    let selectors = selectors(code);
    for combination in 0..combinations {
        let mut machine = machine_of(code, combination, Prices::Fork);
        machine.set_record(Record::Steps(MAX_STEPS));
        for selector in &selectors {
            if machine.call(TARGET, &call(*selector, combination)).is_err() {
                continue;
            }
            let steps = machine.recording().steps.iter().filter(|step| step.depth == 0);
            let steps: Vec<(usize, Opcode)> = steps.map(|step| (step.pc, step.opcode)).collect();
            let jumps = steps.windows(2).filter(|pair| {
                matches!(pair[0].1, Opcode::JUMP | Opcode::JUMPI) && pair[1].1 == Opcode::JUMPDEST
            });
            executed.extend(jumps.map(|pair| (pair[0].0, pair[1].0)));
        }
    }
    executed
}
