//! What was proven, for people and programs.

use crate::certify::{Certificate, Finding};
use crate::replay::{Frame, Reduced, Seen, Witness};
use cairn_driver::Language;
use cairn_evm::hex;
use cairn_prove::{Assumptions, Part, SolverKind, Verdict};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// Lines of a reduced program that are printed among others.
const MAX_LINES: usize = 60;

fn name(part: &Part) -> String {
    match part {
        Part::Selector(selector) => format!("0x{}", hex::encode(selector)),
        Part::Others(_) => "otherwise".to_owned(),
        Part::Whole => "program".to_owned(),
    }
}

fn reason(finding: &Finding) -> String {
    match (&finding.witness, &finding.proof.verdict) {
        // The runs were on what was offered first, and the last of them differs.
        (Some(_), Verdict::Suspicion(all)) => {
            let found = finding.tested.checked_sub(1).and_then(|last| all.get(last));
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

impl Finding {
    /// A line without the time, so that the report is the same each time.
    pub fn line(&self) -> String {
        let reason = reason(self);
        let mut line = format!("{:10} {}", name(&self.part), self.verdict());
        if !reason.is_empty() {
            _ = write!(line, ": {reason}");
        }
        line
    }
}

impl Certificate {
    /// The report as JSON; docs/prove.md has its fields.
    pub fn to_json(&self) -> Value {
        let names: Vec<&str> = self.solvers.iter().map(|kind| kind.name()).collect();
        let functions: Vec<Value> = self.findings.iter().map(function).collect();
        json!({ "solvers": names, "functions": functions })
    }

    /// How many functions came off how: `7 proven, 2 bounded`.
    pub fn counts(&self) -> String {
        let count = |verdict: &str| self.findings.iter().filter(|one| one.verdict() == verdict).count();
        let counts = ["proven", "bounded", "undecided", "different"].map(|verdict| (count(verdict), verdict));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, verdict)| format!("{count} {verdict}")).collect::<Vec<_>>().join(", ")
    }

    /// The report as text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            _ = writeln!(text, "{}", finding.line());
            if let Some(found) = &finding.witness {
                text += &witness_text(found);
            }
            if let Some(reduced) = &finding.reduced {
                text += &reduced_text(reduced);
            }
        }
        let used = self.findings.iter().map(|finding| finding.proof.used);
        let used = used.reduce(Assumptions::union).unwrap_or(Assumptions::NONE);
        let used: Vec<String> = used.iter().map(|assumption| assumption.to_string()).collect();
        _ = writeln!(text, "functions    {}", self.counts());
        _ = writeln!(text, "assumptions  {}", used.join(" "));
        _ = writeln!(text, "solvers      {}", solver_names(&self.solvers));
        text
    }
}

fn solver_names(solvers: &[SolverKind]) -> String {
    match solvers {
        [] => "none: what needs one is not decided".to_owned(),
        _ => solvers.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
    }
}

fn function(finding: &Finding) -> Value {
    let proof = &finding.proof;
    let used: Vec<String> = proof.used.iter().map(|assumption| assumption.to_string()).collect();
    json!({
        "function": name(&finding.part),
        "verdict": finding.verdict(),
        "reason": reason(finding),
        "loops": proof.loops,
        "assumptions": used,
        "paths": proof.paths,
        "pairs": proof.pairs,
        "questions": proof.statistics.asked,
        "unanswered": proof.statistics.unknown,
        "tested": finding.tested,
        "seconds": seconds(proof.time),
        "solver_seconds": seconds(proof.statistics.time),
        "witness": finding.witness.as_ref().map(witness),
        "reduced": finding.reduced.as_ref().map(reduced),
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

fn reduced(reduced: &Reduced) -> Value {
    json!({
        "language": match reduced.language {
            Language::Yul => "yul",
            Language::EvmIr => "evm-ir",
            Language::Asm => "assembly",
            Language::Hex => "hex",
        },
        "reference": { "program": reduced.reference, "run": seen(&reduced.witness.reference) },
        "tested": { "program": reduced.tested, "run": seen(&reduced.witness.tested) },
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
    text + &seen_text("reference", &witness.reference) + &seen_text("tested", &witness.tested)
}

/// What a run did.
fn seen_text(who: &str, seen: &Seen) -> String {
    let status = format!("{:?}", seen.status).to_lowercase();
    let mut text = format!("  {who:10} {status} {}\n", hex::encode_prefixed(&seen.data));
    for (key, word) in &seen.storage {
        _ = writeln!(text, "    storage  {key:#x} = {word:#x}");
    }
    text
}

/// Programs that differ in the same way, below what they do.
fn reduced_text(reduced: &Reduced) -> String {
    let Reduced { reference, tested, witness, .. } = reduced;
    let mut text = "  reduced    on these inputs a smaller program differs in the same way\n".to_owned();
    text += &seen_text("reference", &witness.reference);
    text += &program_text(reference);
    text += &seen_text("tested", &witness.tested);
    text + &tested.as_deref().map(program_text).unwrap_or_default()
}

/// The lines of a program, if they are many the first ones.
fn program_text(program: &str) -> String {
    let mut text = String::new();
    program.lines().take(MAX_LINES).for_each(|line| _ = writeln!(text, "    {line}"));
    let left = program.lines().count().saturating_sub(MAX_LINES);
    if left > 0 {
        _ = writeln!(text, "    … {left} more lines: --format json has them");
    }
    text
}
