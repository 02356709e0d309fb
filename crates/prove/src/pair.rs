//! One function of two programs.

use crate::assume::{Assumption, Assumptions};
use crate::code::{Code, CodePlace};
use crate::compare::{Comparison, compare};
use crate::explore::{Care, Explorer};
use crate::induct::{self, Survey};
use crate::inputs::{Inputs, inputs, inputs_of_difference};
use crate::looped::Looped;
use crate::machine::{End, EndKind, Limits, Machine, Role, State, Step, Stop, Trust, Ways};
use crate::place::Place;
use crate::recur;
use crate::smt::{Answer, Exactness, Solver, Statistics};
use crate::source::{Image, SourcePlace};
use crate::term::{Leaf, Node, Term};
use cairn_evm::{Opcode, Word};
use cairn_ir::Module;
use std::rc::Rc;
use std::time::Duration;

/// Rounds that the tested program may take more than the reference, for it may be rotated or unrolled.
const MORE_ROUNDS: u32 = 2;

/// Paths that succeed and paths that don't of which inputs are looked for where no proof was found, and the
/// time for each.
const SAMPLES: usize = 12;
const SAMPLE_TIME: Duration = Duration::from_millis(300);

/// Inputs that are offered to be run: what the solver says of the rest of the chain, a run need not show.
const MAX_SUSPICIONS: usize = 8;

/// A program.
#[derive(Clone)]
pub enum Program<'m> {
    /// EVM-IR as the front end wrote it.
    Source(&'m Module, Rc<Image>),
    /// Bytecode.
    Code(Rc<Code>),
}

/// Which calls a proof is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Those whose calldata begins with these bytes.
    Selector([u8; 4]),
    /// Those whose calldata begins with none of these, or is shorter than four bytes.
    Others(Vec<[u8; 4]>),
    /// All.
    Whole,
}

/// What to prove.
pub struct Request<'m> {
    /// What is right.
    pub reference: Program<'m>,
    /// What is to do the same.
    pub tested: Program<'m>,
    /// For which calls.
    pub part: Part,
    /// What may be assumed.
    pub assumptions: Assumptions,
    /// How long.
    pub limits: Limits,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// They do the same, however often loops are run.
    Proven,
    /// They do the same where loops are run so many rounds at most.
    ProvenToBound(u32),
    /// Nobody knows: why.
    Undecided(String),
    /// They may do differently on each of these inputs, which are to be run on both.
    Suspicion(Vec<Suspicion>),
}

/// Inputs on which two programs may do differently.
#[derive(Clone, Debug)]
pub struct Suspicion {
    /// The inputs.
    pub inputs: Inputs,
    /// What may differ.
    pub what: String,
}

/// A verdict and what it cost.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What was found.
    pub verdict: Verdict,
    /// Assumptions that were used.
    pub used: Assumptions,
    /// Ends of the reference's paths.
    pub paths: usize,
    /// Pairs of ends that were compared.
    pub pairs: usize,
    /// Questions to solvers.
    pub statistics: Statistics,
    /// Processor time, with that of solvers.
    pub time: Duration,
    /// Inputs of paths of the reference, to run both programs on.
    pub samples: Vec<Inputs>,
    /// Why loops are not proven for any number of rounds, if there are such and they are not.
    pub loops: Option<String>,
}

/// How a proof is tried.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    pub(crate) trust: Trust,
    pub(crate) ways: Ways,
    pub(crate) zeal: Zeal,
}

/// How long an attempt goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Zeal {
    /// Until something is not the same: then another attempt has the rest of the time.
    WhileProven,
    /// To the end, for all inputs on which something may differ.
    #[default]
    ToTheEnd,
}

/// Tries to prove a function in one manner.
pub(crate) fn attempt(
    request: &Request<'_>,
    solver: Solver,
    manner: Manner,
    limits: Limits,
) -> (Proof, Solver) {
    let mut solver = solver;
    solver.statistics = Default::default();
    let mut machine = Machine::new(solver, request.assumptions, limits);
    machine.trust = manner.trust;
    machine.joins.ways = manner.ways;
    let mut tally = Tally { zeal: manner.zeal, ..Tally::default() };
    let verdict = match run(request, &mut machine, &mut tally) {
        Ok(()) => tally.verdict(request.limits.rounds),
        Err(stop) if tally.suspicions.is_empty() => Verdict::Undecided(stop.to_string()),
        Err(_) => tally.verdict(request.limits.rounds),
    };
    if machine.terms.used_far_hashes {
        machine.used.insert(Assumption::HASHES);
    }
    note_bounds(&mut machine);
    let samples = match verdict {
        Verdict::Proven => Vec::new(),
        Verdict::ProvenToBound(_) | Verdict::Undecided(_) | Verdict::Suspicion(_) => {
            samples(&mut machine, &tally.conditions)
        }
    };
    let proof = Proof {
        verdict,
        used: machine.used,
        paths: tally.paths,
        pairs: tally.pairs,
        statistics: machine.solver.statistics,
        time: machine.elapsed(),
        samples,
        loops: tally.loops,
    };
    (proof, machine.solver)
}

/// What was found so far.
#[derive(Default)]
struct Tally {
    paths: usize,
    pairs: usize,
    is_cut: bool,
    zeal: Zeal,
    /// Why loops are not proven by induction.
    loops: Option<String>,
    unknown: Option<String>,
    suspicions: Vec<Suspicion>,
    /// Conditions of the first paths that succeed, and of others.
    conditions: [Vec<Vec<Term>>; 2],
}

impl Tally {
    /// Whether an attempt is over before all paths were looked at.
    fn is_over(&self) -> bool {
        match self.zeal {
            Zeal::WhileProven => !self.suspicions.is_empty() || self.unknown.is_some(),
            Zeal::ToTheEnd => self.suspicions.len() >= MAX_SUSPICIONS,
        }
    }

    fn verdict(&mut self, rounds: u32) -> Verdict {
        if !self.suspicions.is_empty() {
            return Verdict::Suspicion(std::mem::take(&mut self.suspicions));
        }
        match self.unknown.take() {
            Some(what) => Verdict::Undecided(what),
            None if self.paths == 0 => Verdict::Undecided("no path comes to an end".to_owned()),
            None if self.is_cut => Verdict::ProvenToBound(rounds),
            None => Verdict::Proven,
        }
    }
}

/// Inputs that go the ways of these paths.
fn samples(machine: &mut Machine, paths: &[Vec<Vec<Term>>; 2]) -> Vec<Inputs> {
    let mut found = Vec::new();
    for conditions in paths.iter().flatten() {
        let answer = machine.solver.ask(&mut machine.terms, conditions, Exactness::Exact, SAMPLE_TIME);
        if let Answer::Possible(model) = answer {
            found.push(inputs(machine, &model, conditions));
        }
    }
    found
}

/// Sizes and gas have bounds: an assumption as soon as one is looked at.
fn note_bounds(machine: &mut Machine) {
    let is_bounded = |index: u32| matches!(machine.terms.node(crate::term::Term(index)), Node::Leaf(leaf, _) if leaf.is_bounded());
    if (0..machine.terms.len() as u32).any(is_bounded) {
        machine.used.insert(Assumption::BOUNDS);
    }
}

/// What nobody compares: gas, the size of memory, memory behind its frame.
const NOT_COMPARED: [Assumption; 3] = [Assumption::GAS, Assumption::MEMORY_SIZE, Assumption::LOST_MEMORY];

fn run(request: &Request<'_>, machine: &mut Machine, tally: &mut Tally) -> Step {
    for assumption in NOT_COMPARED {
        machine.must_assume(assumption)?;
    }
    if let Part::Selector(selector) = request.part {
        machine.selector = Some(selector);
    }
    let starts = starts(machine, &request.part);
    match &request.reference {
        Program::Source(module, image) => {
            if let Some(name) = image.misplaced(module) {
                return Stop::blocked(format!("data `{name}` is not where it should be"));
            }
            let place = SourcePlace::new(module, image.clone())?;
            if is_proven_with_recursion(request, machine, tally, &place, &starts)? {
                return Ok(());
            }
            if is_proven_with_loops(request, machine, tally, &place, &starts)? {
                return Ok(());
            }
            lock_step(request, machine, tally, place, starts)
        }
        Program::Code(code) => {
            let place = CodePlace::new(code.clone());
            if is_proven_with_loops(request, machine, tally, &place, &starts)? {
                return Ok(());
            }
            lock_step(request, machine, tally, place, starts)
        }
    }
}

/// Proves a function that comes to functions which call themselves, if it can; false if it comes to none.
fn is_proven_with_recursion(
    request: &Request<'_>,
    machine: &mut Machine,
    tally: &mut Tally,
    place: &SourcePlace<'_>,
    starts: &[State],
) -> Step<bool> {
    let Program::Code(code) = &request.tested else { return Ok(false) };
    machine.set_deadline(machine.limits.time / 2);
    let used = machine.used;
    let found = recur::prove(machine, place, &CodePlace::new(code.clone()), starts);
    machine.set_deadline(machine.limits.time);
    machine.role = Role::Reference;
    machine.ended.clear();
    if found.is_err() {
        // What was assumed for nothing is not used.
        machine.used = used;
    }
    Ok(is_proven(tally, found))
}

/// Proves a function with loops whose rounds depend on the input, if it can; false if it has none.
fn is_proven_with_loops<P: Looped>(
    request: &Request<'_>,
    machine: &mut Machine,
    tally: &mut Tally,
    place: &P,
    starts: &[State],
) -> Step<bool> {
    let Program::Code(code) = &request.tested else { return Ok(false) };
    // What shape does not fit ends soon; what is still proven is mostly worth more time than its first rounds are.
    machine.set_deadline(machine.limits.time * 3 / 4);
    let survey = induct::survey(machine, place, starts);
    let joins_help = machine.joins.ways == Ways::Apart && tally.zeal == Zeal::WhileProven;
    let found = match survey {
        Ok(Survey { watching: Some(_), has_many_paths: true }) if joins_help => {
            // With all rounds there are more than this attempt looks at.
            tally.paths = machine.limits.paths + 1;
            return Stop::blocked("too many paths");
        }
        Ok(Survey { watching: Some(watching), .. }) => {
            let tested = CodePlace::new(code.clone());
            induct::prove(machine, (place, watching), &tested, starts).map(Some)
        }
        Ok(Survey { watching: None, .. }) => Ok(None),
        Err(stop) => Err(stop),
    };
    machine.set_deadline(machine.limits.time);
    machine.ended.clear();
    Ok(is_proven(tally, found))
}

/// Whether something was proven, by how many paths; why not is kept.
fn is_proven(tally: &mut Tally, found: Step<Option<usize>>) -> bool {
    match found {
        Ok(Some(paths)) => {
            tally.paths += paths;
            true
        }
        Ok(None) => false,
        Err(stop) => {
            tally.loops = Some(stop.to_string());
            false
        }
    }
}

/// The beginnings of the calls that the proof is about.
fn starts(machine: &mut Machine, part: &Part) -> Vec<State> {
    let size = machine.terms.leaf(Leaf::Environment(Opcode::CALLDATASIZE, 0), &[]);
    let four = machine.terms.number(4);
    let is_short = machine.terms.lt(size, four);
    let is_long = machine.terms.is_zero(is_short);
    let mut long = State::new(&machine.terms);
    long.conditions.assume(&mut machine.terms, is_long);
    match part {
        Part::Whole => vec![State::new(&machine.terms)],
        Part::Selector(_) => vec![long],
        Part::Others(selectors) => {
            let mut short = State::new(&machine.terms);
            short.conditions.assume(&mut machine.terms, is_short);
            let zero = machine.terms.zero;
            let word = machine.terms.leaf(Leaf::Calldata, &[zero]);
            // Behind its end calldata is zeros.
            let behind = machine.terms.and_word(word, Word::MAX >> 24);
            let is_padded = machine.terms.is_zero(behind);
            short.conditions.assume(&mut machine.terms, is_padded);
            let by = machine.terms.number(224);
            let first = machine.terms.shr(by, word);
            for selector in selectors {
                let selector = machine.terms.word(Word::from_be_slice(selector));
                let equal = machine.terms.eq(first, selector);
                let differs = machine.terms.is_zero(equal);
                long.conditions.assume(&mut machine.terms, differs);
            }
            vec![short, long]
        }
    }
}

fn lock_step<P: Place>(
    request: &Request<'_>,
    machine: &mut Machine,
    tally: &mut Tally,
    place: P,
    starts: Vec<State>,
) -> Step {
    let rounds = request.limits.rounds;
    let mut explorer = Explorer::new(place, starts, Care::Lazy, rounds);
    machine.role = Role::Reference;
    while let Some(end) = explorer.next_end(machine)? {
        match end.kind {
            EndKind::Cut => tally.is_cut = true,
            // The front end promised that nobody comes here.
            EndKind::Unreachable => {}
            // All runs that come here touch memory out of reach: that is no path.
            EndKind::Return | EndKind::Revert | EndKind::Halt
                if end.state.conditions.list().contains(&machine.terms.zero) => {}
            EndKind::Leave | EndKind::Inside => return Stop::blocked("a function by itself"),
            EndKind::Return | EndKind::Revert | EndKind::Halt => {
                tally.paths += 1;
                let conditions = &mut tally.conditions[usize::from(end.kind != EndKind::Return)];
                if conditions.len() < SAMPLES {
                    conditions.push(end.state.conditions.list().to_vec());
                }
                machine.role = Role::Tested;
                compare_under(request, machine, tally, &end)?;
                machine.role = Role::Reference;
                if tally.is_over() {
                    return Ok(());
                }
            }
        }
        if tally.paths > machine.limits.paths {
            return Stop::blocked("too many paths");
        }
    }
    Ok(())
}

/// Runs the tested program under the conditions of a path and compares each end.
fn compare_under(request: &Request<'_>, machine: &mut Machine, tally: &mut Tally, end: &End) -> Step {
    let start = State::under(&machine.terms, &end.state.conditions);
    let rounds = request.limits.rounds + MORE_ROUNDS;
    match &request.tested {
        Program::Source(module, image) => {
            let place = SourcePlace::new(module, image.clone())?;
            compare_each(machine, tally, end, Explorer::new(place, vec![start], Care::Eager, rounds))
        }
        Program::Code(code) => {
            let place = CodePlace::new(code.clone());
            compare_each(machine, tally, end, Explorer::new(place, vec![start], Care::Eager, rounds))
        }
    }
}

fn compare_each<P: Place>(
    machine: &mut Machine,
    tally: &mut Tally,
    end: &End,
    mut explorer: Explorer<P>,
) -> Step {
    while let Some(other) = explorer.next_end(machine)? {
        if other.kind == EndKind::Cut {
            tally.unknown.get_or_insert_with(|| "more rounds of a loop than in the source".to_owned());
            continue;
        }
        tally.pairs += 1;
        match compare(machine, end, &other)? {
            Comparison::Same => {}
            Comparison::Different(difference) => {
                let inputs = inputs_of_difference(machine, &difference);
                tally.suspicions.push(Suspicion { inputs, what: difference.what });
                return Ok(());
            }
            Comparison::Unknown(what) => {
                tally.unknown.get_or_insert(what);
            }
        }
    }
    Ok(())
}
