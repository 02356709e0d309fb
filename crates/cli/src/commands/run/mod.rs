//! `cairn run`: builds, deploys and calls a contract on revm, in process.

mod show;

use super::common::{
    CommandResult, codegen_options, fail, fail_with, finish, print, read, refuse_excess, usage,
};
use crate::args::run::{BlockFact, CallArgs, RunArgs, Setting, What};
use crate::args::{Cli, ResultFormat};
use crate::interface::Interface;
use crate::{Outcome, abi, report};
use alloy_json_abi::Function;
use alloy_primitives::{Address, Bytes, hex};
use cairn_diag::Diagnostic;
use cairn_driver::{Emit, Session, build};
use cairn_exec::{Environment, Machine, Message, Record, Status};
use show::Call;

/// Where runtime code runs.
const CODE_ADDRESS: Address = Address::repeat_byte(0xca);
/// Steps shown by `--trace` at most.
const MAX_TRACE_STEPS: usize = 1_000_000;

/// Runs a program.
pub(crate) fn run(cli: &Cli, args: &RunArgs) -> CommandResult {
    let interface = interface(args).map_err(|error| usage(&error))?;
    let planned = planned(args, &interface)?;
    let input = read(&args.codegen.input.file)?;
    let options = codegen_options(&args.codegen)?;
    let mut session = Session::default();
    let result = build(&input, &[Emit::Bin], &options, &mut session);
    let artifacts = finish(cli, &session, result)?;
    refuse_excess(&artifacts)?;
    let code =
        hex::decode(artifacts.get(Emit::Bin).unwrap_or("")).map_err(|error| fail(&error.to_string()))?;

    let fork = args.codegen.input.evm_version;
    let mut machine = Machine::new(Environment { fork, ..Environment::default() });
    set_block(&mut machine, &args.calls.setting.block);
    let (address, deployment) = place(&mut machine, args, &interface, code)?;
    for (key, value) in &args.storage {
        machine.set_storage(address, *key, *value);
    }
    machine.set_record(record(args));
    let mut calls: Vec<Call> = Vec::new();
    for (call, function, data) in planned {
        set_block(&mut machine, &call.setting.block);
        let message = message(data, &call.setting, &args.calls.setting);
        let outcome = machine.call(address, &message).map_err(|error| fail(&error.to_string()))?;
        let done = Call { function, message, outcome };
        if args.trace || args.gas_report {
            let title = show::title(calls.len(), &done, &interface);
            report::information(&show::recording(machine.recording(), args, &title));
        }
        calls.push(done);
    }
    finish_calls(cli, args, &interface, address, deployment.as_ref(), &calls)
}

/// Prints results; the command fails if a call did.
fn finish_calls(
    cli: &Cli,
    args: &RunArgs,
    interface: &Interface,
    address: Address,
    deployment: Option<&cairn_exec::Outcome>,
    calls: &[Call],
) -> CommandResult {
    print(&match args.format {
        ResultFormat::Text if calls.is_empty() => format!("{address}\n"),
        ResultFormat::Text => show::results(calls, interface).map_err(|error| fail(&error))?,
        ResultFormat::Json => show::json(address, deployment, calls, interface),
    })?;
    if !calls.is_empty() {
        report::note(cli, &show::gas(deployment, calls));
    }
    let failed = calls.iter().enumerate().filter(|(_, call)| call.outcome.status != Status::Success);
    let failed: Vec<Outcome> =
        failed.map(|(index, call)| fail(&show::failure(index, calls.len(), call, interface))).collect();
    failed.first().map_or(Ok(Outcome::Success), |first| Err(*first))
}

fn interface(args: &RunArgs) -> Result<Interface, String> {
    let mut interface = args.abi.as_deref().map_or_else(|| Ok(Interface::default()), Interface::read)?;
    args.event.iter().try_for_each(|event| interface.add_event(event))?;
    args.error.iter().try_for_each(|error| interface.add_error(error))?;
    Ok(interface)
}

fn record(args: &RunArgs) -> Record {
    match (args.trace, args.gas_report) {
        (true, _) => Record::Steps(MAX_TRACE_STEPS),
        (false, true) => Record::Gas,
        (false, false) => Record::Nothing,
    }
}

/// The calls with their calldata. Runtime code is called once even where no call is asked for.
fn planned(
    args: &RunArgs,
    interface: &Interface,
) -> Result<Vec<(CallArgs, Option<Function>, Bytes)>, Outcome> {
    if !args.calls.stray.is_empty() {
        return Err(usage("arguments need a signature: `--call 'f(uint256)'`"));
    }
    let mut list = args.calls.list.clone();
    if list.is_empty() && args.runtime {
        list.push(CallArgs { what: What::Data(String::new()), setting: Setting::default() });
    }
    let calls = list.into_iter().map(|call| {
        let (function, data) = match &call.what {
            What::Function(text, arguments) => {
                let function = interface.function(text)?;
                let data = abi::encode_call(&function, arguments)?;
                (Some(function), data)
            }
            What::Data(text) => {
                (None, hex::decode(text).map_err(|error| format!("`--calldata {text}`: {error}"))?)
            }
        };
        Ok((call, function, data.into()))
    });
    calls.collect::<Result<_, String>>().map_err(|error| usage(&error))
}

fn message(data: Bytes, setting: &Setting, general: &Setting) -> Message {
    let mut message = Message::new(data);
    if let Some(value) = setting.value.or(general.value) {
        message = message.with_value(value);
    }
    if let Some(sender) = setting.from.or(general.from) {
        message = message.from(sender);
    }
    if setting.is_static || general.is_static { message.statically() } else { message }
}

fn set_block(machine: &mut Machine, facts: &[BlockFact]) {
    let mut block = machine.block_facts().clone();
    for fact in facts {
        match *fact {
            BlockFact::Number(number) => machine.set_block_number(number),
            BlockFact::Timestamp(timestamp) => machine.set_timestamp(timestamp),
            BlockFact::Coinbase(coinbase) => block.coinbase = coinbase,
            BlockFact::GasLimit(gas_limit) => block.gas_limit = gas_limit,
            BlockFact::BaseFee(base_fee) => block.base_fee = base_fee,
            BlockFact::PrevRandao(prevrandao) => block.prevrandao = prevrandao,
        }
    }
    machine.set_block_facts(block);
}

/// Deploys the code, or puts it at an address as it is.
fn place(
    machine: &mut Machine,
    args: &RunArgs,
    interface: &Interface,
    mut code: Vec<u8>,
) -> Result<(Address, Option<cairn_exec::Outcome>), Outcome> {
    if args.runtime {
        machine.set_code(CODE_ADDRESS, code);
        return Ok((CODE_ADDRESS, None));
    }
    if let Some(arguments) = &args.constructor_args {
        code.extend(
            hex::decode(arguments).map_err(|error| usage(&format!("`--constructor-args`: {error}")))?,
        );
    }
    let deployer = args.calls.setting.from;
    let message = deployer.map_or(Message::new(code.clone()), |from| Message::new(code).from(from));
    let outcome = machine.deploy(&message).map_err(|error| fail(&error.to_string()))?;
    match outcome.created {
        Some(address) => Ok((address, Some(outcome))),
        None => {
            let what =
                interface.describe_revert(&outcome.output).unwrap_or_else(|| outcome.output.to_string());
            let end = format!("{}: {what} {}", outcome.status, outcome.halt_reason);
            let help = "`--runtime` takes the program as the code that is called, not as its constructor";
            let fault = Diagnostic::error(format!("the deployment ends with {}", end.trim_end()));
            Err(fail_with(&fault.with_help(help)))
        }
    }
}
