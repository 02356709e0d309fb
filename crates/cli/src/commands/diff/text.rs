//! A comparison for people: costs side by side, what was compared, and each difference with the calls
//! that show it.

use crate::args::diff::DiffArgs;
use crate::interface::Interface;
use alloy_primitives::{U256, hex};
use cairn_exec::compare::{Comparison, Cost, Discrepancy, Finding, Step, World, companion_calls};
use cairn_exec::{Log, Outcome, Status};
use std::fmt::Write;

/// Discrepancies of one finding that are printed.
const MAX_SHOWN: usize = 12;
/// Bytes of calldata and the like that are printed.
const MAX_BYTES: usize = 260;

/// The whole report.
pub(crate) fn report(comparison: &Comparison, args: &DiffArgs, interface: &Interface) -> String {
    let mut text = table(comparison, interface);
    let _ = writeln!(text, "\n{}", summary(comparison, args.seed));
    for (index, finding) in comparison.findings.iter().enumerate() {
        text += "\n";
        text += &describe(index + 1, finding, comparison, interface);
    }
    text
}

fn table(comparison: &Comparison, interface: &Interface) -> String {
    let mut text = format!("{:<34} {:>12} {:>12} {:>6}\n", "", "A", "B", "B/A");
    let mut row = |name: &str, [a, b]: [u64; 2]| {
        let _ = writeln!(text, "{name:<34} {a:>12} {b:>12} {:>6.3}", b as f64 / a.max(1) as f64);
    };
    if let Some(sizes) = comparison.deployments.iter().find_map(|deployment| deployment.sizes) {
        row("runtime bytes", sizes.map(|size| size as u64));
    }
    if let Some(gas) = comparison.deploy_gas {
        row("deploy gas", gas);
    }
    for cost in &comparison.costs {
        row(&name_of(cost, interface), cost.gas);
    }
    text
}

fn name_of(cost: &Cost, interface: &Interface) -> String {
    if let Some(index) = cost.given {
        return format!("call {} gas", index + 1);
    }
    let name = match cost.selector {
        Some(selector) => interface.name_of(selector).unwrap_or_else(|| format!("0x{selector:08x}")),
        None => "other".to_owned(),
    };
    let times = if cost.calls == 1 { String::new() } else { format!(" ({} calls)", cost.calls) };
    format!("{name} gas{times}")
}

fn summary(comparison: &Comparison, seed: u64) -> String {
    let tally = &comparison.tally;
    let deployed = comparison.deployments.iter().filter(|deployment| deployment.sizes.is_some()).count();
    format!(
        "{} calls (seed {seed}) of {} functions on {deployed} of {} deployments: {} succeed, {} revert, {} halt, \
         {} run out of gas and say nothing",
        tally.calls,
        comparison.functions,
        comparison.deployments.len(),
        tally.succeeded,
        tally.reverted,
        tally.halted,
        tally.inconclusive
    )
}

fn describe(number: usize, finding: &Finding, comparison: &Comparison, interface: &Interface) -> String {
    let mut text = format!("difference {number}: {}", finding.kinds().join(", "));
    if finding.count > 1 {
        let _ = write!(text, " ({} calls show the like)", finding.count);
    }
    text += "\n";
    if let Some(World::Deployed(message)) =
        comparison.deployments.get(finding.world).map(|found| &found.world)
    {
        let _ = writeln!(text, "  deploy{}{}", arguments(&message.data), value(message.value));
    }
    for (index, step) in finding.steps.iter().enumerate() {
        let _ = writeln!(text, "  {:>3} {}", index + 1, describe_step(step, interface));
    }
    for (name, outcome) in ["A", "B"].iter().zip(&finding.outcomes) {
        let _ = writeln!(text, "  {name}: {}", describe_outcome(outcome, interface));
    }
    for discrepancy in finding.discrepancies.iter().take(MAX_SHOWN) {
        if let Some(line) = describe_discrepancy(discrepancy, interface) {
            let _ = writeln!(text, "  {line}");
        }
    }
    if finding.discrepancies.len() > MAX_SHOWN {
        let _ = writeln!(text, "  and {} more", finding.discrepancies.len() - MAX_SHOWN);
    }
    text
}

fn arguments(data: &[u8]) -> String {
    if data.is_empty() { String::new() } else { format!(" with arguments {}", bytes(data)) }
}

fn value(value: U256) -> String {
    if value.is_zero() { String::new() } else { format!(", value {value}") }
}

/// A transaction in one line.
pub(super) fn describe_step(step: &Step, interface: &Interface) -> String {
    let call = |data: &[u8]| interface.describe_call(data).unwrap_or_else(|| bytes(data));
    let mut text = match companion_calls(step) {
        Some([first, second]) => {
            format!("through a contract that calls twice: {}, then {}", call(first), call(second))
        }
        None => call(&step.message.data),
    };
    let _ = write!(text, "{}, from {}", value(step.message.value), step.message.sender);
    if step.message.is_static {
        text += ", in a static frame";
    }
    if step.seconds > 0 {
        let _ = write!(text, ", {} seconds later", step.seconds);
    }
    text
}

fn describe_outcome(outcome: &Outcome, interface: &Interface) -> String {
    match outcome.status {
        Status::Halt => format!("halts: {}", outcome.halt_reason),
        Status::Revert => {
            let what = interface.describe_revert(&outcome.output).unwrap_or_else(|| bytes(&outcome.output));
            format!("reverts: {what}")
        }
        Status::Success if outcome.created.is_some() => {
            format!("deploys {} bytes", outcome.output.len())
        }
        Status::Success => format!("succeeds: {}", bytes(&outcome.output)),
    }
}

/// What the outcomes above don't show.
fn describe_discrepancy(discrepancy: &Discrepancy, interface: &Interface) -> Option<String> {
    let log = |log: &Option<Log>| log.as_ref().map_or("none".to_owned(), |log| describe_log(log, interface));
    let wei = |wei: &Option<U256>| wei.map_or("as at first".to_owned(), |wei| wei.to_string());
    match discrepancy {
        Discrepancy::Status { .. } | Discrepancy::Output { .. } => None,
        Discrepancy::Log { index, left, right } => {
            Some(format!("event {}: A {}, B {}", index + 1, log(left), log(right)))
        }
        Discrepancy::Storage { address, key, left, right } => {
            Some(format!("storage of {address} at {key:#x}: A {left:#x}, B {right:#x}"))
        }
        Discrepancy::Balance { address, left, right } => {
            Some(format!("balance of {address}: A {}, B {}", wei(left), wei(right)))
        }
    }
}

/// An event in one line.
pub(crate) fn describe_log(log: &Log, interface: &Interface) -> String {
    interface.describe_log(log).unwrap_or_else(|| {
        let topics: Vec<String> = log.topics.iter().map(ToString::to_string).collect();
        format!("[{}] {}", topics.join(", "), bytes(&log.data))
    })
}

fn bytes(data: &[u8]) -> String {
    if data.is_empty() {
        return "no data".to_owned();
    }
    let shown = hex::encode_prefixed(&data[..data.len().min(MAX_BYTES)]);
    if data.len() > MAX_BYTES { format!("{shown}… ({} bytes)", data.len()) } else { shown }
}
