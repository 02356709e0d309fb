//! `cairn diff`: two programs side by side: same observable results? gas and size.

mod json;
mod text;

pub(crate) use text::describe_log;

use super::common::{CommandResult, fail, finish, libraries, print, read, usage};
use crate::args::diff::DiffArgs;
use crate::args::{Cli, ResultFormat};
use crate::interface::Interface;
use crate::{Outcome, abi, report};
use alloy_primitives::{Bytes, hex};
use cairn_driver::{Emit, Options, Session, build};
use cairn_exec::compare::{Comparison, DEFAULT_CALLS, Plan, Verdict, compare};
use cairn_exec::{Environment, Message};
use std::path::Path;

/// Compares two programs.
pub(crate) fn diff(cli: &Cli, args: &DiffArgs) -> CommandResult {
    let interface = args.abi.as_deref().map_or_else(|| Ok(Interface::default()), Interface::read);
    let interface = interface.map_err(|error| usage(&error))?;
    let plan = plan(args, &interface)?;
    if plan.calls.is_empty() && plan.random_calls == 0 {
        return Err(usage("nothing to compare: there are no calls; give `--calls` or `--random`"));
    }
    let [left, right] = [code(cli, args, &args.a)?, code(cli, args, &args.b)?];
    let comparison = compare([&left, &right], &plan).map_err(|error| fail(&error.to_string()))?;
    print(&match args.format {
        ResultFormat::Text => text::report(&comparison, args, &interface),
        ResultFormat::Json => json::report(&comparison, args.seed, &interface),
    })?;
    conclude(cli, &comparison)
}

/// The exit code, with a word on standard error where it isn't 0.
fn conclude(cli: &Cli, comparison: &Comparison) -> CommandResult {
    match comparison.verdict() {
        Verdict::Same => {
            if comparison.tally.succeeded == 0 {
                report::note(cli, "no call succeeded: `--calls` and `--constructor-args` may lead further");
            }
            Ok(Outcome::Success)
        }
        Verdict::Different => {
            let count = comparison.findings.len();
            let noun = if count == 1 { "difference" } else { "differences" };
            Err(fail(&format!("the programs differ: {count} {noun}")))
        }
        Verdict::NoDeployment => Err(usage(
            "nothing was compared: neither program can be deployed; `--constructor-args` gives their \
             constructors arguments, `--runtime` takes them as code that is called",
        )),
        Verdict::NoCall => Err(usage(
            "nothing was compared: no call ran any code; `--runtime` takes the programs as code that is called",
        )),
    }
}

fn plan(args: &DiffArgs, interface: &Interface) -> Result<Plan, Outcome> {
    let calls = args.calls.as_deref().map_or(Ok(Vec::new()), |path| read_calls(path, interface))?;
    let constructor_args = args.constructor_args.as_deref().map(hex::decode).transpose();
    let constructor_args =
        constructor_args.map_err(|error| usage(&format!("`--constructor-args`: {error}")))?;
    let default_calls = if args.calls.is_some() { 0 } else { DEFAULT_CALLS };
    Ok(Plan {
        environment: Environment { fork: args.evm_version, ..Environment::default() },
        is_runtime: args.runtime,
        constructor_args: constructor_args.map(Bytes::from),
        calls: calls.into_iter().map(Message::new).collect(),
        random_calls: args.random.unwrap_or(default_calls),
        seed: args.seed,
    })
}

/// The code of a program.
fn code(cli: &Cli, args: &DiffArgs, path: &Path) -> Result<Vec<u8>, Outcome> {
    let input = read(path)?;
    let libraries = libraries(&args.libraries)?;
    let options = Options { fork: args.evm_version, libraries, ..Options::default() };
    let mut session = Session::default();
    let result = build(&input, &[Emit::Bin], &options, &mut session);
    let artifacts = finish(cli, &session, result)?;
    let text = artifacts.get(Emit::Bin).unwrap_or("");
    if text.contains("__$") {
        let name = path.display();
        return Err(usage(&format!(
            "{name}: addresses of libraries are missing; give `--libraries NAME=ADDRESS`"
        )));
    }
    hex::decode(text).map_err(|error| fail(&error.to_string()))
}

/// One call a line: calldata in hex, or a signature and its arguments separated by spaces.
fn read_calls(path: &Path, interface: &Interface) -> Result<Vec<Vec<u8>>, Outcome> {
    let text =
        std::fs::read_to_string(path).map_err(|error| fail(&format!("{}: {error}", path.display())))?;
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let parse = |(index, line): (usize, &str)| {
        let call = parse_call(line, interface);
        call.map_err(|error| usage(&format!("{}:{}: {error}", path.display(), index + 1)))
    };
    lines.map(parse).collect()
}

fn parse_call(line: &str, interface: &Interface) -> Result<Vec<u8>, String> {
    if let Ok(data) = hex::decode(line) {
        return Ok(data);
    }
    let end = line.find([')', ' ']).map_or(line.len(), |at| at + usize::from(line.as_bytes()[at] == b')'));
    let function = interface.function(&line[..end])?;
    let args: Vec<String> = line[end..].split_whitespace().map(str::to_owned).collect();
    abi::encode_call(&function, &args)
}
