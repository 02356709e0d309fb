//! `cairn run`: builds, deploys and calls a contract on revm, in process.

use super::common::{
    CommandResult, codegen_options, fail, fail_with, finish, line, print, read, refuse_excess, usage,
};
use crate::args::{Cli, RunArgs};
use crate::{Outcome, abi, report};
use alloy_json_abi::Function;
use alloy_primitives::{Address, U256, hex};
use cairn_diag::Diagnostic;
use cairn_driver::{Emit, Session};
use cairn_exec::{Environment, Machine, Message, Record, Recording, Status};
use std::fmt::Write;

/// Where runtime code runs.
const CODE_ADDRESS: Address = Address::repeat_byte(0xca);
/// Steps shown by `--trace` at most.
const MAX_TRACE_STEPS: usize = 1_000_000;

/// Runs a program.
pub(crate) fn run(cli: &Cli, args: &RunArgs) -> CommandResult {
    let function =
        args.call.as_deref().map(abi::parse_signature).transpose().map_err(|error| usage(&error))?;
    let calldata = calldata(args, function.as_ref())?;
    let value: U256 =
        args.value.parse().map_err(|_| usage(&format!("`--value {}`: not a number", args.value)))?;
    let input = read(&args.codegen.input.file)?;
    let mut session = Session::new(codegen_options(&args.codegen)?);
    let result = session.build(&input, &[Emit::Bin]);
    let artifacts = finish(cli, &session, result)?;
    refuse_excess(&session)?;
    let code =
        hex::decode(artifacts.get(Emit::Bin).unwrap_or("")).map_err(|error| fail(&error.to_string()))?;

    let fork = args.codegen.input.evm_version;
    let mut machine = Machine::new(Environment { fork, ..Environment::default() });
    let address = place(&mut machine, args, code)?;
    let Some(calldata) = calldata else { return print(&line(&address.to_string())) };
    machine.set_record(record(args));
    let message = Message::new(calldata).with_value(value);
    let outcome = machine.call(address, &message).map_err(|error| fail(&error.to_string()))?;
    if args.trace || args.gas_report {
        report::information(&describe_recording(machine.recording(), args));
    }
    report_outcome(&outcome, function.as_ref())
}

fn record(args: &RunArgs) -> Record {
    match (args.trace, args.gas_report) {
        (true, _) => Record::Steps(MAX_TRACE_STEPS),
        (false, true) => Record::Gas,
        (false, false) => Record::Nothing,
    }
}

/// The calldata asked for; `None` where only a deployment is.
fn calldata(args: &RunArgs, function: Option<&Function>) -> Result<Option<Vec<u8>>, Outcome> {
    if let Some(function) = function {
        return abi::encode_call(function, &args.args).map(Some).map_err(|error| usage(&error));
    }
    if !args.args.is_empty() {
        return Err(usage("arguments need a signature: `--call 'f(uint256)'`"));
    }
    let raw = args.calldata.as_deref();
    let bytes = raw.map(hex::decode).transpose().map_err(|error| usage(&format!("`--calldata`: {error}")))?;
    Ok(bytes.or_else(|| args.runtime.then(Vec::new)))
}

/// Deploys the code, or puts it at an address as it is.
fn place(machine: &mut Machine, args: &RunArgs, mut code: Vec<u8>) -> Result<Address, Outcome> {
    if args.runtime {
        machine.set_code(CODE_ADDRESS, code);
        return Ok(CODE_ADDRESS);
    }
    if let Some(arguments) = &args.constructor_args {
        code.extend(
            hex::decode(arguments).map_err(|error| usage(&format!("`--constructor-args`: {error}")))?,
        );
    }
    let outcome = machine.deploy(&Message::new(code)).map_err(|error| fail(&error.to_string()))?;
    match outcome.created {
        Some(address) => Ok(address),
        None => {
            let what = abi::describe_revert(&outcome.output).unwrap_or_else(|| outcome.output.to_string());
            let end = format!("{}: {what} {}", outcome.status, outcome.halt_reason);
            let help = "`--runtime` takes the program as the code that is called, not as its constructor";
            let fault = Diagnostic::error(format!("the deployment ends with {}", end.trim_end()));
            Err(fail_with(&fault.with_help(help)))
        }
    }
}

fn report_outcome(outcome: &cairn_exec::Outcome, function: Option<&Function>) -> CommandResult {
    match outcome.status {
        Status::Success => {
            let decoded = function.map(|function| abi::decode_results(function, &outcome.output)).transpose();
            let decoded = decoded.map_err(|error| fail(&error))?.flatten();
            let text = decoded.map_or_else(|| outcome.output.to_string(), |values| values.join("\n"));
            let mut text = line(&text);
            for log in &outcome.logs {
                let topics: Vec<String> = log.topics.iter().map(ToString::to_string).collect();
                let _ = writeln!(text, "log {} [{}] {}", log.address, topics.join(", "), log.data);
            }
            print(&text)
        }
        Status::Revert => {
            let what = abi::describe_revert(&outcome.output).unwrap_or_else(|| outcome.output.to_string());
            Err(fail(&format!("reverted: {what}")))
        }
        Status::Halt => Err(fail(&format!("halted: {}", outcome.halt_reason))),
    }
}

fn describe_recording(recording: &Recording, args: &RunArgs) -> String {
    let mut text = String::new();
    if args.trace {
        for step in &recording.steps {
            let stack: Vec<String> = step.stack.iter().rev().map(|word| format!("{word:#x}")).collect();
            let _ = writeln!(
                text,
                "{:>2} {:>6} {:<14} {:>9} {:>6}  {}",
                step.depth,
                step.pc,
                format!("{:?}", step.opcode),
                step.gas,
                step.cost,
                stack.join(" ")
            );
        }
    }
    if args.gas_report {
        text += "opcode              count          gas\n";
        for (opcode, row) in recording.gas.sorted() {
            let _ = writeln!(text, "{:<14} {:>10} {:>12}", format!("{opcode:?}"), row.count, row.gas);
        }
        let _ = writeln!(text, "{:<14} {:>10} {:>12}", "total", "", recording.gas.total());
    }
    text
}
