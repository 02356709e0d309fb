//! `cairn prove`

mod replay;
mod samples;
mod show;
mod subject;

use super::common::{CommandResult, codegen_options, read, usage, written};
use crate::Outcome;
use crate::args::prove::{ProofDemand, ProveArgs};
use crate::args::{BuildArgs, Cli};
use crate::output::{self, Sink};
use cairn_driver::Input;
use cairn_prove::{
    Assumption, Assumptions, Limits, Part, Proof, Request, Solver, SolverKind, Verdict, find_solvers,
    processor_time, prove,
};
use replay::Witness;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use subject::Subject;

/// Terms nest deeply: stack of a thread that proves.
const STACK_BYTES: usize = 256 << 20;

/// How long inputs are tried where there is no proof: loops may run long on them.
const REPLAY_TIME: Duration = Duration::from_secs(3);

/// What became of a function.
struct Report {
    pub(super) part: Part,
    pub(super) proof: Proof,
    /// Runs that differ.
    pub(super) witness: Option<Witness>,
    /// Inputs on which both programs were run without a difference.
    pub(super) tested: usize,
}

impl Report {
    /// A word for it.
    pub(super) fn kind(&self) -> &'static str {
        match (&self.witness, &self.proof.verdict) {
            (Some(_), _) => "different",
            (None, Verdict::Proven) => "proven",
            (None, Verdict::ProvenToBound(_)) => "bounded",
            (None, Verdict::Undecided(_) | Verdict::Suspicion(..)) => "undecided",
        }
    }
}

/// What all functions share.
struct Plan<'a> {
    reference: &'a Subject,
    tested: &'a Subject,
    assumptions: Assumptions,
    limits: Limits,
    solvers: Vec<SolverKind>,
}

pub(super) fn command(cli: &Cli, args: &ProveArgs) -> CommandResult {
    let options = codegen_options(&args.codegen)?;
    let first = Subject::compile(cli, &read(&args.codegen.input.file)?, &options, None)?;
    let second = match &args.other {
        Some(path) => Some(Subject::compile(cli, &read(path)?, &options, Some(&first))?),
        None => None,
    };
    if second.is_none() && first.module.is_none() {
        return Err(usage("bytecode has no source to be compared with; name a second program"));
    }
    let tested = second.as_ref().unwrap_or(&first);
    let plan = Plan {
        reference: &first,
        tested,
        assumptions: assumptions(&args.without)?,
        limits: Limits { time: Duration::from_secs(args.timeout), rounds: args.loops, ..Limits::default() },
        solvers: if args.no_solver { Vec::new() } else { find_solvers() },
    };
    let parts = match args.function.is_empty() {
        true => parts(&first, tested),
        false => named_parts(&args.function)?,
    };
    let reports = prove_all(cli, &plan, &parts, args.jobs);
    show::print(args.format, &plan.solvers, &reports)?;
    Ok(outcome(&reports))
}

/// Proves what `cairn build` has compiled; the report goes beside the code, if that is a file.
pub(super) fn check_build(cli: &Cli, args: &BuildArgs, input: &Input, demand: ProofDemand) -> CommandResult {
    let subject = Subject::compile(cli, input, &codegen_options(&args.codegen)?, None)?;
    if subject.module.is_none() {
        return Err(usage("bytecode and assembly have no source to be compared with"));
    }
    let plan = Plan {
        reference: &subject,
        tested: &subject,
        assumptions: Assumptions::ALL,
        limits: Limits::default(),
        solvers: find_solvers(),
    };
    let reports = prove_all(cli, &plan, &parts(&subject, &subject), args.codegen.threads);
    let beside = args.emit.iter().find_map(|(_, sink)| match sink {
        Sink::File(path) => Some(path.with_added_extension("proof.json")),
        Sink::Stdout => None,
    });
    if let Some(path) = beside {
        written(output::write(&Sink::of_path(&path), &show::json_text(&plan.solvers, &reports)))?;
    }
    Ok(match (outcome(&reports), demand) {
        (Outcome::NotProven, ProofDemand::Warn) => Outcome::Success,
        (outcome, _) => outcome,
    })
}

fn outcome(reports: &[Report]) -> Outcome {
    let has = |kind: &str| reports.iter().any(|report| report.kind() == kind);
    match (has("different"), has("undecided") || has("bounded")) {
        (true, _) => Outcome::Failure,
        (false, true) => Outcome::NotProven,
        (false, false) => Outcome::Success,
    }
}

fn assumptions(without: &[String]) -> Result<Assumptions, Outcome> {
    let mut assumptions = Assumptions::ALL;
    for name in without {
        let number = name.trim_start_matches(['A', 'a']).parse().ok().and_then(Assumption::from_number);
        let Some(assumption) = number else {
            return Err(usage(&format!("`{name}` is no assumption: there are A1 to A{}", Assumption::COUNT)));
        };
        assumptions.remove(assumption);
    }
    Ok(assumptions)
}

fn named_parts(functions: &[String]) -> Result<Vec<Part>, Outcome> {
    functions.iter().map(|text| subject::selector(text).map(Part::Selector)).collect()
}

/// The functions that the dispatchers name, and everything else.
fn parts(first: &Subject, second: &Subject) -> Vec<Part> {
    let cases = |subject: &Subject| cairn_bytecode::find_cases(&subject.bytes, subject.fork);
    let mut selectors: Vec<[u8; 4]> =
        cases(first).into_iter().chain(cases(second)).map(|case| case.selector.to_be_bytes()).collect();
    selectors.sort_unstable();
    selectors.dedup();
    if selectors.is_empty() {
        return vec![Part::Whole];
    }
    let others = Part::Others(selectors.clone());
    selectors.into_iter().map(Part::Selector).chain([others]).collect()
}

fn prove_all(cli: &Cli, plan: &Plan<'_>, parts: &[Part], jobs: usize) -> Vec<Report> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = if jobs == 0 { cores } else { jobs }.min(parts.len());
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut solver = Solver::new(&plan.solvers);
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (report, back) = prove_part(plan, part, solver);
            solver = back;
            show::progress(cli, &report);
            if let Ok(mut done) = done.lock() {
                done.push(report);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            // Without a thread the others do its work; without any, nothing is proven.
            _ = thread.spawn_scoped(scope, work);
        }
    });
    let mut reports = done.into_inner().unwrap_or_default();
    let order = |report: &Report| parts.iter().position(|part| *part == report.part);
    reports.sort_by_key(order);
    reports
}

fn prove_part(plan: &Plan<'_>, part: &Part, solver: Solver) -> (Report, Solver) {
    let request = Request {
        reference: plan.reference.reference(),
        tested: plan.tested.code(),
        part: part.clone(),
        assumptions: plan.assumptions,
        limits: plan.limits,
    };
    let (proof, solver) = prove(&request, solver);
    let candidates: Vec<_> = match &proof.verdict {
        Verdict::Proven | Verdict::ProvenToBound(_) | Verdict::Undecided(_) => Vec::new(),
        Verdict::Suspicion(all) => all.iter().map(|suspicion| suspicion.inputs.clone()).collect(),
    };
    let offered = candidates.len();
    let is_open = !matches!(proof.verdict, Verdict::Proven);
    let random = if is_open { samples::random(part, &proof.samples) } else { Vec::new() };
    let all: Vec<_> = candidates.into_iter().chain(proof.samples.iter().cloned()).chain(random).collect();
    let end = processor_time() + REPLAY_TIME;
    let (mut tested, mut witness) = (0, None);
    // The first are those that the proof offers.
    while let (Some(inputs), None) = (all.get(tested), &witness)
        && (tested < offered || processor_time() < end)
    {
        witness = replay::witness(plan.reference, plan.tested, inputs);
        tested += 1;
    }
    let report = Report { part: part.clone(), tested, proof, witness };
    (report, solver)
}
