//! Functions of programs, proven one by one on threads of their own.

use crate::replay::{Reduced, Replay, Witness};
use crate::samples;
use crate::subject::Subject;
use cairn_prove::{
    Assumptions, Limits, Part, Proof, Request, Solver, SolverKind, Verdict, find_solvers, processor_time,
    prove,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Terms nest deeply: stack of a thread that proves.
pub(crate) const STACK_BYTES: usize = 256 << 20;

/// How long inputs are tried where there is no proof: loops may run long on them.
const REPLAY_TIME: Duration = Duration::from_secs(3);

/// What who builds a program asks of its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// No function may differ; what is not proven is said.
    Warn,
    /// Every function has to be proven.
    Require,
}

impl std::str::FromStr for Demand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "warn" => Ok(Demand::Warn),
            "require" => Ok(Demand::Require),
            _ => Err(format!("`{text}` is neither `warn` nor `require`")),
        }
    }
}

/// How all functions together came off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every function is proven.
    Proven,
    /// Some are not, and nothing is known to be wrong.
    NotProven,
    /// Some do something else.
    Different,
}

/// What is to be proven.
#[derive(Debug)]
pub struct Plan<'a> {
    /// What is right: its source, if it has one.
    pub reference: &'a Subject,
    /// The program whose code is to do the same.
    pub tested: &'a Subject,
    /// What may be assumed.
    pub assumptions: Assumptions,
    /// What bounds the proof of a function.
    pub limits: Limits,
    /// Who is asked.
    pub solvers: Vec<SolverKind>,
}

/// What became of a function.
#[derive(Debug)]
pub struct Finding {
    pub(crate) part: Part,
    pub(crate) proof: Proof,
    /// Runs that differ.
    pub(crate) witness: Option<Witness>,
    /// A smaller program whose runs differ in the same way, if one was looked for and found.
    pub(crate) reduced: Option<Reduced>,
    /// Inputs on which both programs were run without a difference.
    pub(crate) tested: usize,
}

/// What was found of all functions, in order.
#[derive(Debug)]
pub struct Certificate {
    pub(crate) solvers: Vec<SolverKind>,
    pub(crate) findings: Vec<Finding>,
}

impl<'a> Plan<'a> {
    /// A program against its own code, with everything that `cairn prove` assumes, its limits and all solvers that
    /// there are.
    pub fn of_compile(subject: &'a Subject) -> Self {
        Plan {
            reference: subject,
            tested: subject,
            assumptions: Assumptions::ALL,
            limits: Limits::default(),
            solvers: find_solvers(),
        }
    }

    /// Proves these functions, as many at once as `jobs` says, 0 for one a core. `tell` hears of each when it is done.
    pub fn certify(&self, parts: &[Part], jobs: usize, tell: &(dyn Fn(&Finding) + Sync)) -> Certificate {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if jobs == 0 { cores } else { jobs }.min(parts.len());
        let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let replay = Replay::new(self.reference, self.tested, self.assumptions);
        let work = || {
            let mut solver = Solver::new(&self.solvers);
            while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                let (finding, back) = self.certify_part(part, solver, &replay);
                solver = back;
                tell(&finding);
                if let Ok(mut done) = done.lock() {
                    done.push(finding);
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
        let mut findings = done.into_inner().unwrap_or_default();
        let order = |finding: &Finding| parts.iter().position(|part| *part == finding.part);
        findings.sort_by_key(order);
        Certificate { solvers: self.solvers.clone(), findings }
    }

    fn certify_part(&self, part: &Part, solver: Solver, replay: &Replay<'_>) -> (Finding, Solver) {
        let request = Request {
            reference: self.reference.reference(),
            tested: self.tested.code(),
            part: part.clone(),
            assumptions: self.assumptions,
            limits: self.limits,
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
            witness = replay.witness(inputs);
            tested += 1;
        }
        (Finding { part: part.clone(), tested, proof, witness, reduced: None }, solver)
    }
}

impl Finding {
    /// A word for it.
    pub fn verdict(&self) -> &'static str {
        match (&self.witness, &self.proof.verdict) {
            (Some(_), _) => "different",
            (None, Verdict::Proven) => "proven",
            (None, Verdict::ProvenToBound(_)) => "bounded",
            (None, Verdict::Undecided(_) | Verdict::Suspicion(..)) => "undecided",
        }
    }

    /// Processor time of the proof, with that of solvers.
    pub fn time(&self) -> Duration {
        self.proof.time
    }
}

impl Certificate {
    /// How all of it came off.
    pub fn outcome(&self) -> Outcome {
        let has = |verdict: &str| self.findings.iter().any(|finding| finding.verdict() == verdict);
        match (has("different"), self.findings.is_empty() || has("undecided") || has("bounded")) {
            (true, _) => Outcome::Different,
            (false, true) => Outcome::NotProven,
            (false, false) => Outcome::Proven,
        }
    }

    /// What was found, function by function.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// The functions that the dispatchers of two programs name, and everything else.
pub fn functions(first: &Subject, second: &Subject) -> Vec<Part> {
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
