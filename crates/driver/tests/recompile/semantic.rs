//! Built programs are lifted, compiled again, whatever the size, and run with recorded calls.

use crate::figures::Figures;
use crate::rows::{Rows, hex, word};
use cairn_driver::{Emit, Input, Language, Level, Options, Recompiled, Session};
use cairn_exec::{Environment, Machine, Message, Observation, U256, account};
use serde_json::Value;

/// Compares every `step`-th row of a file, built at a level.
pub(crate) fn compare(name: &str, level: Level, step: usize) -> Option<Figures> {
    let mut figures = Figures::default();
    for row in Rows::open_in("semantic", name)?.step_by(step) {
        compare_row(&row, level, &mut figures);
    }
    Some(figures)
}

fn compare_row(row: &Value, level: Level, figures: &mut Figures) {
    let name = row["name"].as_str().unwrap_or("?");
    let text = row["yul_optimized"].as_str().expect("Yul").to_owned();
    let mut session = Session::new(Options { level, ..Options::default() });
    let input = Input { name: name.to_owned(), text, language: Language::Yul };
    let built = session.build(&input, &[Emit::Bin]).expect("the corpus compiles");
    let creation = hex(built.get(Emit::Bin).expect("an artifact"));
    let mut machine = Machine::new(Environment::default());
    let arguments = row["constructor_args"].as_str().map(hex).unwrap_or_default();
    let deploy = message(row, [creation, arguments].concat());
    let Some(address) = machine.deploy(&deploy).ok().and_then(|outcome| outcome.created) else { return };
    let runtime = machine.code(address).to_vec();
    if runtime.is_empty() {
        return;
    }
    let result = force(&runtime);
    figures.count(&runtime, &result);
    if let Some(reason) = &result.kept {
        return figures.refused.push(format!("{name}: {reason}"));
    }
    // Both sides: setting code sets the nonce, too.
    let mut again = machine.clone();
    machine.set_code(address, runtime.clone());
    again.set_code(address, result.code);
    let steps = || row["steps"].as_array().into_iter().flatten();
    let run = |machine: &mut Machine, step: &Value| -> Option<(Observation, u64)> {
        let message = message(step, step["calldata"].as_str().map(hex).unwrap_or_default());
        let outcome = machine.call(address, &message).ok()?;
        Some((machine.observe(&outcome), outcome.gas.execution))
    };
    let (mut gas_before, mut gas_after, mut different) = (0, 0, 0);
    for step in steps() {
        let (Some((left, before)), Some((right, after))) = (run(&mut machine, step), run(&mut again, step))
        else {
            continue;
        };
        figures.rows += 1;
        figures.equal += usize::from(left == right);
        different += usize::from(left != right);
        gas_before += before;
        gas_after += after;
    }
    figures.count_gas(name, gas_before, gas_after);
    if different > 0 {
        figures.wrong.push(format!("{name}: {different} calls"));
    }
}

/// The code lifted and compiled, even where that does not pay or can be noticed.
fn force(code: &[u8]) -> Recompiled {
    let mut session = Session::new(Options { level: Level::O2, ..Options::default() });
    let kept = |reason: String| Recompiled { code: code.to_vec(), kept: Some(reason), notes: Vec::new() };
    let lifted = match session.lift(code) {
        Ok(lifted) => lifted,
        Err(reason) => return kept(reason),
    };
    match session.compile_lifted(lifted.module) {
        Ok(new) => Recompiled { code: new, kept: None, notes: Vec::new() },
        Err(cairn_driver::Failure::Input) => kept("needs memory of its own".to_owned()),
        Err(failure) => panic!("{failure:?}"),
    }
}

fn message(row: &Value, data: Vec<u8>) -> Message {
    let sender = row["sender"].as_str().filter(|text| !text.is_empty()).and_then(|text| text.parse().ok());
    let value = row["value"].as_str().filter(|text| !text.is_empty()).map_or(U256::ZERO, word);
    Message::new(data).with_value(value).from(sender.unwrap_or(account(0)))
}
