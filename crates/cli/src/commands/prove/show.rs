//! What was proven, for people and programs.

use super::super::common::{CommandResult, line as ended, print as write};
use super::Report;
use super::replay::{Frame, Seen, Witness};
use crate::args::{Cli, ResultFormat};
use cairn_evm::hex;
use cairn_prove::{Part, SolverKind, Verdict};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// A line on standard error when a function is done.
pub(super) fn progress(cli: &Cli, report: &Report) {
    if !cli.json {
        let seconds = report.proof.time.as_secs_f64();
        crate::report::note(cli, &format!("{} ({seconds:.2} s)", line(report)));
    }
}

fn name(part: &Part) -> String {
    match part {
        Part::Selector(selector) => format!("0x{}", hex::encode(selector)),
        Part::Others(_) => "otherwise".to_owned(),
        Part::Whole => "program".to_owned(),
    }
}

fn reason(report: &Report) -> String {
    match (&report.witness, &report.proof.verdict) {
        // The runs were on what was offered first, and the last of them differs.
        (Some(_), Verdict::Suspicion(all)) => {
            let found = report.tested.checked_sub(1).and_then(|last| all.get(last));
            found.map_or("found by a run".to_owned(), |suspicion| suspicion.what.clone())
        }
        (Some(_), _) => "found by a run".to_owned(),
        (None, Verdict::Proven) => String::new(),
        (None, Verdict::ProvenToBound(rounds)) => format!("loops of at most {rounds} rounds"),
        (None, Verdict::Undecided(what)) => what.clone(),
        (None, Verdict::Suspicion(all)) => {
            let what = all.first().map_or("", |suspicion| &suspicion.what);
            format!("may differ, no run shows it: {what}")
        }
    }
}

/// A line without the time, so that the report is the same each time.
fn line(report: &Report) -> String {
    let reason = reason(report);
    let mut line = format!("{:10} {}", name(&report.part), report.kind());
    if !reason.is_empty() {
        _ = write!(line, ": {reason}");
    }
    line
}

/// The report.
pub(super) fn print(format: ResultFormat, solvers: &[SolverKind], reports: &[Report]) -> CommandResult {
    match format {
        ResultFormat::Text => write(&text(solvers, reports)),
        ResultFormat::Json => write(&json_text(solvers, reports)),
    }
}

/// The report as one JSON object on a line.
pub(super) fn json_text(solvers: &[SolverKind], reports: &[Report]) -> String {
    let names: Vec<&str> = solvers.iter().map(|kind| kind.name()).collect();
    let functions: Vec<Value> = reports.iter().map(function).collect();
    ended(&json!({ "solvers": names, "functions": functions }).to_string())
}

fn function(report: &Report) -> Value {
    let proof = &report.proof;
    let used: Vec<String> = proof.used.iter().map(|assumption| assumption.to_string()).collect();
    json!({
        "function": name(&report.part),
        "verdict": report.kind(),
        "reason": reason(report),
        "loops": proof.loops,
        "assumptions": used,
        "paths": proof.paths,
        "pairs": proof.pairs,
        "questions": proof.statistics.asked,
        "unanswered": proof.statistics.unknown,
        "tested": report.tested,
        "seconds": seconds(proof.time),
        "solver_seconds": seconds(proof.statistics.time),
        "witness": report.witness.as_ref().map(witness),
    })
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

fn witness(witness: &Witness) -> Value {
    let inputs = &witness.inputs;
    let environment: serde_json::Map<String, Value> = inputs
        .environment
        .iter()
        .map(|(opcode, word)| (opcode.known().lower.to_owned(), json!(format!("{word:#x}"))))
        .collect();
    let storage: serde_json::Map<String, Value> =
        inputs.storage.iter().map(|(key, word)| (format!("{key:#x}"), json!(format!("{word:#x}")))).collect();
    json!({
        "calldata": hex::encode_prefixed(&inputs.calldata),
        "static": witness.frame == Frame::Static,
        "environment": environment,
        "storage": storage,
        "reference": seen(&witness.reference),
        "tested": seen(&witness.tested),
    })
}

fn seen(seen: &Seen) -> Value {
    let storage: serde_json::Map<String, Value> =
        seen.storage.iter().map(|(key, word)| (format!("{key:#x}"), json!(format!("{word:#x}")))).collect();
    json!({
        "status": format!("{:?}", seen.status).to_lowercase(),
        "data": hex::encode_prefixed(&seen.data),
        "storage": storage,
        "logs": seen.logs.len(),
    })
}

fn text(solvers: &[SolverKind], reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        _ = writeln!(text, "{}", line(report));
        if let Some(found) = &report.witness {
            text += &witness_text(found);
        }
    }
    let count = |kind: &str| reports.iter().filter(|report| report.kind() == kind).count();
    let counts = ["proven", "bounded", "undecided", "different"].map(|kind| (count(kind), kind));
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    let used = reports.iter().map(|report| report.proof.used);
    let used = used.reduce(cairn_prove::Assumptions::union).unwrap_or(cairn_prove::Assumptions::NONE);
    let used: Vec<String> = used.iter().map(|assumption| assumption.to_string()).collect();
    let names: Vec<&str> = solvers.iter().map(|kind| kind.name()).collect();
    _ = writeln!(text, "functions    {}", counts.join(", "));
    _ = writeln!(text, "assumptions  {}", used.join(" "));
    let solvers =
        if names.is_empty() { "none: what needs one is not decided".to_owned() } else { names.join(", ") };
    _ = writeln!(text, "solvers      {solvers}");
    text
}

fn witness_text(witness: &Witness) -> String {
    let inputs = &witness.inputs;
    let mut text = String::new();
    let place = if witness.frame == Frame::Static { " in a static frame" } else { "" };
    _ = writeln!(text, "  calldata   {}{place}", hex::encode_prefixed(&inputs.calldata));
    for (opcode, word) in &inputs.environment {
        _ = writeln!(text, "  {:10} {word:#x}", opcode.known().lower);
    }
    for (key, word) in inputs.storage.iter().filter(|(_, word)| !word.is_zero()) {
        _ = writeln!(text, "  storage    {key:#x} = {word:#x}");
    }
    for (who, seen) in [("reference", &witness.reference), ("tested", &witness.tested)] {
        let status = format!("{:?}", seen.status).to_lowercase();
        _ = writeln!(text, "  {who:10} {status} {}", hex::encode_prefixed(&seen.data));
        for (key, word) in &seen.storage {
            _ = writeln!(text, "    storage  {key:#x} = {word:#x}");
        }
    }
    text
}
