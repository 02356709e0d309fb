//! What calls did, in text and JSON.

use crate::abi;
use crate::args::run::RunArgs;
use crate::commands::diff::describe_log;
use crate::interface::Interface;
use alloy_json_abi::Function;
use alloy_primitives::Address;
use cairn_exec::{Gas, Message, Outcome, Recording, Status};
use serde_json::{Value, json};
use std::fmt::Write;

/// A call that was made.
pub(crate) struct Call {
    pub(crate) function: Option<Function>,
    pub(crate) message: Message,
    pub(crate) outcome: Outcome,
}

/// Number and name of a call.
pub(crate) fn title(index: usize, call: &Call, interface: &Interface) -> String {
    format!("call {}: {}", index + 1, name(call, interface))
}

fn name(call: &Call, interface: &Interface) -> String {
    let data = &call.message.data;
    let signature = call.function.as_ref().map(Function::signature);
    signature.or_else(|| interface.describe_call(data)).unwrap_or_else(|| data.to_string())
}

/// Results and events of all calls, under a title each if there are several.
///
/// # Errors
/// A result is not what the signature says.
pub(crate) fn results(calls: &[Call], interface: &Interface) -> Result<String, String> {
    let mut text = String::new();
    for (index, call) in calls.iter().enumerate() {
        if calls.len() > 1 {
            let _ = writeln!(text, "{}", title(index, call, interface));
        }
        if call.outcome.status == Status::Success {
            text += &result(call, interface)?;
        } else if calls.len() > 1 {
            let _ = writeln!(text, "{}", end(&call.outcome, interface));
        }
    }
    Ok(text)
}

fn result(call: &Call, interface: &Interface) -> Result<String, String> {
    let mut text = match decoded(call)? {
        Some(values) => values.join("\n"),
        None => call.outcome.output.to_string(),
    };
    text += "\n";
    for log in &call.outcome.logs {
        let _ = writeln!(text, "log {} {}", log.address, describe_log(log, interface));
    }
    Ok(text)
}

fn decoded(call: &Call) -> Result<Option<Vec<String>>, String> {
    let Some(function) = &call.function else { return Ok(None) };
    abi::decode_results(function, &call.outcome.output)
}

/// How a call failed.
pub(crate) fn failure(index: usize, count: usize, call: &Call, interface: &Interface) -> String {
    let end = end(&call.outcome, interface);
    if count > 1 { format!("{}: {end}", title(index, call, interface)) } else { end }
}

fn end(outcome: &Outcome, interface: &Interface) -> String {
    match outcome.status {
        Status::Success => "succeeded".to_owned(),
        Status::Revert => {
            let what = interface.describe_revert(&outcome.output);
            format!("reverted: {}", what.unwrap_or_else(|| outcome.output.to_string()))
        }
        Status::Halt => format!("halted: {}", outcome.halt_reason),
    }
}

/// Gas of everything.
pub(crate) fn gas(deployment: Option<&Outcome>, calls: &[Call]) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(deployment.map(|outcome| format!("{} for the deployment", outcome.gas.total)));
    let each = calls.iter().map(|call| call.outcome.gas);
    let total: u64 = each.clone().map(|gas| gas.total).sum();
    let execution: u64 = each.map(|gas| gas.execution).sum();
    match calls.len() {
        0 => {}
        1 => parts.push(format!("{total} for the call, {execution} of it for execution")),
        count => parts.push(format!("{total} for {count} calls, {execution} of it for execution")),
    }
    format!("gas: {}", parts.join("; "))
}

/// The results as one object.
pub(crate) fn json(
    address: Address,
    deployment: Option<&Outcome>,
    calls: &[Call],
    interface: &Interface,
) -> String {
    let total: u64 = calls.iter().map(|call| call.outcome.gas.total).sum();
    let value = json!({
        "address": address,
        "deployment": deployment.map(|outcome| json!({ "gas": gas_json(outcome.gas) })),
        "calls": calls.iter().map(|call| call_json(call, interface)).collect::<Vec<_>>(),
        "gas": total,
    });
    format!("{value:#}\n")
}

fn call_json(call: &Call, interface: &Interface) -> Value {
    let outcome = &call.outcome;
    let is_success = outcome.status == Status::Success;
    let results = if is_success { decoded(call).ok().flatten() } else { None };
    let reason = (!is_success).then(|| match outcome.status {
        Status::Halt => Some(outcome.halt_reason.clone()),
        _ => interface.describe_revert(&outcome.output),
    });
    let logs = outcome.logs.iter().map(|log| {
        json!({
            "address": log.address, "topics": log.topics, "data": log.data,
            "event": interface.describe_log(log),
        })
    });
    json!({
        "call": name(call, interface),
        "from": call.message.sender,
        "value": call.message.value.to_string(),
        "data": call.message.data,
        "status": outcome.status.to_string(),
        "output": outcome.output,
        "results": results,
        "reason": reason.flatten(),
        "logs": logs.collect::<Vec<_>>(),
        "gas": gas_json(outcome.gas),
    })
}

fn gas_json(gas: Gas) -> Value {
    json!({ "total": gas.total, "execution": gas.execution, "refund": gas.refund })
}

/// Steps and gas by opcode, what is asked for of them.
pub(crate) fn recording(recording: &Recording, args: &RunArgs, title: &str) -> String {
    let mut text = format!("{title}\n");
    if args.trace {
        let _ = writeln!(
            text,
            "{:>5} {:>6} {:<14} {:>9} {:>7}  stack, top first",
            "depth", "pc", "opcode", "gas left", "cost"
        );
        for step in &recording.steps {
            let stack: Vec<String> = step.stack.iter().rev().map(|word| format!("{word:#x}")).collect();
            let opcode = format!("{:?}", step.opcode);
            let _ = writeln!(
                text,
                "{:>5} {:>6} {opcode:<14} {:>9} {:>7}  {}",
                step.depth,
                step.pc,
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
