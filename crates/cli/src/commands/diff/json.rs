//! A comparison as one JSON object, with all that is known.

use crate::interface::Interface;
use cairn_exec::compare::{Comparison, Cost, Deployment, Discrepancy, Finding, Step, Verdict, World};
use cairn_exec::{Log, Outcome};
use serde_json::{Value, json};

/// The whole report.
pub(crate) fn report(comparison: &Comparison, seed: u64, interface: &Interface) -> String {
    let tally = &comparison.tally;
    let verdict = match comparison.verdict() {
        Verdict::Same => "same",
        Verdict::Different => "different",
        Verdict::NoDeployment | Verdict::NoCall => "nothing compared",
    };
    let value = json!({
        "verdict": verdict,
        "seed": seed,
        "functions": comparison.functions,
        "calls": {
            "all": tally.calls, "succeeded": tally.succeeded, "reverted": tally.reverted,
            "halted": tally.halted, "inconclusive": tally.inconclusive,
        },
        "deployments": comparison.deployments.iter().map(deployment).collect::<Vec<_>>(),
        "deploy_gas": comparison.deploy_gas,
        "gas": comparison.costs.iter().map(|one| cost(one, interface)).collect::<Vec<_>>(),
        "differences": comparison.findings.iter().map(|one| finding(one, interface)).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn deployment(deployment: &Deployment) -> Value {
    let (arguments, value) = match &deployment.world {
        World::Runtime => (None, None),
        World::Deployed(message) => (Some(message.data.to_string()), Some(message.value.to_string())),
    };
    let outcomes = deployment.outcomes.as_ref().map(|both| both.each_ref().map(outcome));
    json!({ "arguments": arguments, "value": value, "outcomes": outcomes, "runtime_bytes": deployment.sizes })
}

fn cost(cost: &Cost, interface: &Interface) -> Value {
    json!({
        "call": cost.given.map(|index| index + 1),
        "selector": cost.selector.map(|selector| format!("0x{selector:08x}")),
        "function": cost.selector.and_then(|selector| interface.name_of(selector)),
        "calls": cost.calls,
        "gas": cost.gas,
    })
}

fn finding(finding: &Finding, interface: &Interface) -> Value {
    json!({
        "deployment": finding.world,
        "steps": finding.steps.iter().map(|one| step(one, interface)).collect::<Vec<_>>(),
        "outcomes": finding.outcomes.each_ref().map(outcome),
        "differs": finding.discrepancies.iter().map(discrepancy).collect::<Vec<_>>(),
        "count": finding.count,
    })
}

fn step(step: &Step, interface: &Interface) -> Value {
    json!({
        "to": step.to,
        "from": step.message.sender,
        "value": step.message.value.to_string(),
        "data": step.message.data,
        "static": step.message.is_static,
        "seconds": step.seconds,
        "text": super::text::describe_step(step, interface),
    })
}

fn outcome(outcome: &Outcome) -> Value {
    let output = if outcome.created.is_some() { None } else { Some(&outcome.output) };
    json!({ "status": outcome.status.to_string(), "reason": outcome.halt_reason, "output": output })
}

fn discrepancy(discrepancy: &Discrepancy) -> Value {
    let kind = discrepancy.kind();
    match discrepancy {
        Discrepancy::Status { left, right } => {
            json!({ "what": kind, "a": left.to_string(), "b": right.to_string() })
        }
        Discrepancy::Output { left, right } => json!({ "what": kind, "a": left, "b": right }),
        Discrepancy::Log { index, left, right } => {
            json!({ "what": kind, "index": index, "a": left.as_ref().map(log), "b": right.as_ref().map(log) })
        }
        Discrepancy::Storage { address, key, left, right } => {
            json!({ "what": kind, "address": address, "key": key, "a": left, "b": right })
        }
        Discrepancy::Balance { address, left, right } => {
            json!({ "what": kind, "address": address, "a": left, "b": right })
        }
    }
}

/// An event.
pub(crate) fn log(log: &Log) -> Value {
    json!({ "address": log.address, "topics": log.topics, "data": log.data })
}
