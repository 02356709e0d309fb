//! `cairn diff`: two programs on the same calls: same observable results? gas and size side by side.

use super::common::{CommandResult, fail, finish, print, read, usage};
use crate::args::{Cli, DiffArgs};
use crate::{Outcome, abi};
use alloy_primitives::hex;
use cairn_driver::{Emit, Options, Session};
use cairn_exec::{Environment, Message, Run, Scenario, find_difference, run_scenario};
use std::fmt::Write;
use std::path::Path;

/// Compares two programs.
pub(crate) fn diff(cli: &Cli, args: &DiffArgs) -> CommandResult {
    let calls = args.calls.as_deref().map_or(Ok(Vec::new()), read_calls)?;
    let scenario = Scenario {
        environment: Environment { fork: args.evm_version, ..Environment::default() },
        deploy: Message::new(Vec::new()),
        calls: calls.into_iter().map(Message::new).collect(),
    };
    let left = run_program(cli, args, &args.a, &scenario)?;
    let right = run_program(cli, args, &args.b, &scenario)?;
    print(&table(&left, &right))?;
    match find_difference(&left.observations, &right.observations) {
        None => Ok(Outcome::Success),
        Some(difference) => Err(fail(&difference.to_string())),
    }
}

fn run_program(cli: &Cli, args: &DiffArgs, path: &Path, scenario: &Scenario) -> Result<Run, Outcome> {
    let input = read(path)?;
    let mut session = Session::new(Options { fork: args.evm_version, ..Options::default() });
    let result = session.build(&input, &[Emit::Bin]);
    let artifacts = finish(cli, &session, result)?;
    let code =
        hex::decode(artifacts.get(Emit::Bin).unwrap_or("")).map_err(|error| fail(&error.to_string()))?;
    run_scenario(scenario, &code).map_err(|error| fail(&error.to_string()))
}

/// One call a line: calldata in hex, or a signature and its arguments separated by spaces.
fn read_calls(path: &Path) -> Result<Vec<Vec<u8>>, Outcome> {
    let text =
        std::fs::read_to_string(path).map_err(|error| fail(&format!("{}: {error}", path.display())))?;
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let parse = |(index, line): (usize, &str)| {
        parse_call(line).map_err(|error| usage(&format!("{}:{}: {error}", path.display(), index + 1)))
    };
    lines.map(parse).collect()
}

fn parse_call(line: &str) -> Result<Vec<u8>, String> {
    if !line.contains('(') {
        return hex::decode(line).map_err(|error| error.to_string());
    }
    let end = line.find(')').map_or(line.len(), |at| at + 1);
    let function = abi::parse_signature(&line[..end])?;
    let args: Vec<String> = line[end..].split_whitespace().map(str::to_owned).collect();
    abi::encode_call(&function, &args)
}

fn table(left: &Run, right: &Run) -> String {
    let mut text = String::from("                          A            B    B/A\n");
    let mut row = |name: &str, a: u64, b: u64| {
        let _ = writeln!(text, "{name:<14} {a:>12} {b:>12} {:>6.3}", b as f64 / a.max(1) as f64);
    };
    row("runtime bytes", left.runtime.len() as u64, right.runtime.len() as u64);
    for (index, (a, b)) in left.outcomes.iter().zip(&right.outcomes).enumerate() {
        let name = if index == 0 { "deploy gas".to_owned() } else { format!("call {index} gas") };
        row(&name, a.gas.execution, b.gas.execution);
    }
    text
}
