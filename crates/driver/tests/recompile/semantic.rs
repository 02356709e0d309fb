//! Built programs are lifted, compiled again, whatever the size, and run with recorded calls.

use crate::Compile;
use crate::contracts::count_different;
use crate::figures::Figures;
use crate::rows::{Rows, hex, word};
use cairn_bytecode::Role;
use cairn_driver::{Emit, Input, Language, Level, Options, Recompiled, Session, compile_lifted, lift};
use cairn_evm::Fork;
use cairn_exec::{Address, Environment, Machine, Message, Observation, Prices, U256, account};
use serde_json::Value;

/// Compares every `step`-th row of a file, built at a level.
pub(crate) fn compare(compile: Compile, name: &str, level: Level, step: usize) -> Option<Figures> {
    let mut figures = Figures::default();
    for row in Rows::open_in("semantic", name)?.step_by(step) {
        compare_row(compile, &row, level, &mut figures);
    }
    Some(figures)
}

fn compare_row(compile: Compile, row: &Value, level: Level, figures: &mut Figures) {
    let name = row["name"].as_str().unwrap_or("?");
    let creation = build(name, row["yul_optimized"].as_str().expect("Yul"), level);
    let arguments = row["constructor_args"].as_str().map(hex).unwrap_or_default();
    let deploy = message(row, [creation, arguments].concat());
    let Some((address, machine)) = deployed(&deploy, Prices::Fork) else { return };
    let runtime = machine.code(address).to_vec();
    if runtime.is_empty() {
        return;
    }
    let result = compile(&runtime, Some(Role::Runtime), Fork::Osaka);
    figures.count(&runtime, &result);
    if let Some(reason) = &result.kept {
        return figures.refused.push(format!("{name}: {reason}"));
    }
    let left = run_steps(row, &deploy, &runtime, Prices::Fork);
    let right = run_steps(row, &deploy, &result.code, Prices::Fork);
    let gas = |list: &[(Observation, u64)]| list.iter().map(|(_, gas)| gas).sum::<u64>();
    let different = count_different(&left, &right);
    figures.rows += left.len();
    figures.equal += left.len() - different;
    figures.count_gas(name, gas(&left), gas(&right));
    if different == 0 {
        return;
    }
    let left = run_steps(row, &deploy, &runtime, Prices::Nominal);
    let right = run_steps(row, &deploy, &result.code, Prices::Nominal);
    let list = if count_different(&left, &right) == 0 { &mut figures.gas_alone } else { &mut figures.wrong };
    list.push(format!("{name}: {different} calls"));
}

/// The creation code of a Yul program.
pub(crate) fn build(name: &str, yul: &str, level: Level) -> Vec<u8> {
    build_at(name, yul, &Options { level, ..Options::default() }).expect("the program compiles")
}

/// The code of a Yul program, or the first fault.
pub(crate) fn build_at(name: &str, yul: &str, options: &Options) -> Result<Vec<u8>, String> {
    let mut session = Session::default();
    let input = Input { name: name.to_owned(), text: yul.to_owned(), language: Language::Yul };
    let built = cairn_driver::build(&input, &[Emit::Bin], options, &mut session);
    let fault = |failure| match session.diagnostics.iter().next() {
        Some(fault) => fault.message.clone(),
        None => format!("{failure:?}"),
    };
    Ok(hex(built.map_err(fault)?.get(Emit::Bin).expect("an artifact")))
}

/// The chain after a deployment, and where the contract is.
fn deployed(deploy: &Message, prices: Prices) -> Option<(Address, Machine)> {
    let mut machine = Machine::new(Environment { prices, ..Environment::default() });
    let outcome = machine.deploy(deploy).ok()?;
    Some((outcome.created?, machine))
}

/// Observations and gas of the recorded calls where the contract has this code.
fn run_steps(row: &Value, deploy: &Message, code: &[u8], prices: Prices) -> Vec<(Observation, u64)> {
    let Some((address, mut machine)) = deployed(deploy, prices) else { return Vec::new() };
    machine.set_code(address, code.to_vec());
    let run = |step: &Value| {
        let message = message(step, step["calldata"].as_str().map(hex).unwrap_or_default());
        let outcome = machine.call(address, &message).ok()?;
        Some((machine.observe(&outcome), outcome.gas.execution))
    };
    row["steps"].as_array().into_iter().flatten().filter_map(run).collect()
}

/// The code lifted and compiled, even where that does not pay.
pub(crate) fn force(code: &[u8], role: Option<Role>, fork: Fork) -> Recompiled {
    let options = Options { level: Level::O2, fork, ..Options::default() };
    let mut session = Session::default();
    let kept = |reason: String| Recompiled { code: code.to_vec(), kept: Some(reason), notes: Vec::new() };
    let lifted = match lift(code, role, &options, &mut session) {
        Ok(lifted) => lifted,
        Err(reason) => return kept(reason),
    };
    if let Some(reason) = lifted.observed.hazards().first() {
        return kept((*reason).to_owned());
    }
    match compile_lifted(lifted.module, &options, &mut session) {
        Ok(new) => Recompiled { code: new, kept: None, notes: Vec::new() },
        Err(cairn_driver::Failure::Input) => kept("needs memory of its own".to_owned()),
        Err(failure) => panic!("{failure:?}"),
    }
}

pub(crate) fn message(row: &Value, data: Vec<u8>) -> Message {
    let sender = row["sender"].as_str().filter(|text| !text.is_empty()).and_then(|text| text.parse().ok());
    let value = row["value"].as_str().filter(|text| !text.is_empty()).map_or(U256::ZERO, word);
    Message::new(data).with_value(value).from(sender.unwrap_or(account(0)))
}
