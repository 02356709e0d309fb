//! The symbolic machine: what EVM operations do to a path, whichever program is run.
//!
//! Invariants: a path's conditions and its terms describe every run of the frame that goes this way,
//! under the assumptions that are switched on; a machine records those that it used. What the machine
//! cannot describe stops the proof ([`Stop::Blocked`]), never silently.

mod bounds;
mod calls;
mod cut;
mod effects;
mod hard;
mod joins;
mod memory;
mod parts;
mod pointer;
mod reach;
mod refuted;
mod regions;
mod relevance;
mod renewed;
mod simplify;
mod split;
mod state;
mod storage;

pub(crate) use bounds::Conditions;
pub(crate) use calls::{MAX_RESULTS, SCRATCH};
pub(crate) use cut::{CodeLoop, Cut};
pub(crate) use effects::Flow;
pub(crate) use joins::{Joins, Ways};
pub(crate) use pointer::Trust;
pub(crate) use reach::FRAMES;
pub(crate) use regions::{Difference, Sameness};
pub(crate) use state::{Content, End, EndKind, Event, Memory, Region, State, Store, Write};

use crate::assume::{Assumption, Assumptions};
use crate::clock::Clock;
use crate::footprint::Footprint;
use crate::order::is_impossible;
use crate::smt::{Answer, Exactness, Solver};
use crate::term::{Leaf, Node, Term, Terms};
use cairn_analysis::Loops;
use cairn_ir::Func;
use hard::Hard;
use memory::Overlap;
use refuted::Refuted;
use relevance::Relevance;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::Duration;

/// Why a proof ends without a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The machine does not describe this.
    Blocked(String),
    /// The time is over.
    Time,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Blocked(what) => f.write_str(what),
            Stop::Time => f.write_str("time"),
        }
    }
}

impl Stop {
    /// Something that the machine does not describe.
    pub(crate) fn blocked<T>(what: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Blocked(what.into()))
    }
}

/// A step of a proof.
pub(crate) type Step<T = ()> = Result<T, Stop>;

/// Which of the two programs runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The one that says what is right.
    Reference,
    /// The one that is to do the same.
    Tested,
}

/// What bounds a proof.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Processor time for one function, the solver's with it.
    pub time: Duration,
    /// The solver's for one question.
    pub question: Duration,
    /// The solver's for inputs on which something that seems to differ does.
    pub difference: Duration,
    /// Rounds of a loop whose number is not known.
    pub rounds: u32,
    /// Paths of the first program.
    pub paths: usize,
    /// Steps of one path.
    pub steps: u64,
    /// Conditions of one path.
    pub conditions: usize,
    /// Megabytes by which the process may grow.
    pub megabytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(15),
            question: Duration::from_secs(2),
            difference: Duration::from_secs(8),
            rounds: 2,
            paths: 20_000,
            steps: 200_000,
            conditions: 3_000,
            megabytes: 800,
        }
    }
}

/// Numbers of calls and events in an epoch, and those before the first.
const EPOCH: u32 = 1 << 14;
const EPOCHS: u32 = 1 << 20;

/// What all paths of a proof share.
pub(crate) struct Machine {
    /// Terms.
    pub(crate) terms: Terms,
    /// Who is asked.
    pub(crate) solver: Solver,
    /// Assumptions that may be used.
    pub(crate) assumptions: Assumptions,
    /// Assumptions that were used.
    pub(crate) used: Assumptions,
    /// Bounds.
    pub(crate) limits: Limits,
    /// The first four bytes of calldata, where they are fixed.
    pub(crate) selector: Option<[u8; 4]>,
    /// Which program runs.
    pub(crate) role: Role,
    /// Whether A17 is taken for the loads of the reference.
    pub(crate) trust: Trust,
    /// Divisions whose ways are taken at once.
    pub(crate) joins: Joins,
    /// Paths that ended on the way of the one that goes on.
    pub(crate) ended: Vec<End>,
    /// Loops of the reference in which paths were cut.
    pub(crate) cut: Cut,
    /// Loops of functions of the reference, as far as they were asked for.
    pub(crate) loops: FxHashMap<Func, Rc<Loops>>,
    clock: Clock,
    footprint: Footprint,
    ticks: u32,
    /// The end of the time for what is done now.
    deadline: Duration,
    regions: Vec<Hashed>,
    fresh: u32,
    epochs: u32,
    relevance: Relevance,
    /// Conditions by whether they never hold at once because of the order of sums.
    out_of_order: FxHashMap<Vec<Term>, bool>,
    refuted: Refuted,
    /// How reads lie to writes: place and length of the write, place and size of the read.
    overlaps: FxHashMap<(Term, Term, Term, u64), Overlap>,
    /// Time for a question of which no answer does no harm.
    patience: Duration,
    /// Words of which the solver knows too little.
    hard: Hard,
}

/// The least time for a question.
const LEAST_PATIENCE: Duration = Duration::from_millis(200);

/// A part of memory that was hashed.
struct Hashed {
    region: Region,
    /// What held then.
    conditions: Vec<Term>,
    hash: Term,
}

impl Machine {
    /// A machine for one function.
    pub(crate) fn new(solver: Solver, assumptions: Assumptions, limits: Limits) -> Self {
        let mut machine = Machine {
            terms: Terms::default(),
            solver,
            assumptions,
            used: Assumptions::NONE,
            limits,
            selector: None,
            role: Role::Reference,
            trust: Trust::Nothing,
            joins: Joins::default(),
            ended: Vec::new(),
            cut: Cut::default(),
            loops: FxHashMap::default(),
            clock: Clock::start(),
            footprint: Footprint::start(),
            ticks: 0,
            deadline: limits.time,
            regions: Vec::new(),
            fresh: 0,
            epochs: 0,
            relevance: Relevance::default(),
            out_of_order: FxHashMap::default(),
            refuted: Refuted::default(),
            overlaps: FxHashMap::default(),
            patience: limits.question,
            hard: Hard::default(),
        };
        machine.terms.hashes_are_far = assumptions.has(Assumption::HASHES);
        machine.terms.sizes_are_bounded = assumptions.has(Assumption::BOUNDS);
        machine.solver.forget();
        machine
    }

    /// Uses an assumption; false if it is switched off.
    pub(crate) fn may_assume(&mut self, assumption: Assumption) -> bool {
        let may = self.assumptions.has(assumption);
        if may {
            self.used.insert(assumption);
        }
        may
    }

    /// Uses an assumption that nothing works without.
    pub(crate) fn must_assume(&mut self, assumption: Assumption) -> Step {
        match self.may_assume(assumption) {
            true => Ok(()),
            false => Stop::blocked(format!("without {assumption}")),
        }
    }

    /// Counts a step; ends the proof when the time is over.
    pub(crate) fn step(&mut self, state: &mut State) -> Step {
        state.steps += 1;
        if state.steps > self.limits.steps {
            return Stop::blocked("a path of too many steps");
        }
        if state.conditions.list().len() > self.limits.conditions {
            return Stop::blocked("a path of too many conditions");
        }
        if state.steps.is_multiple_of(256) { self.check_time() } else { Ok(()) }
    }

    /// Ends the proof when the time is over, or the memory.
    pub(crate) fn check_time(&self) -> Step {
        let elapsed = self.elapsed();
        if self.footprint.is_beyond(self.limits.megabytes, elapsed) {
            return Stop::blocked("memory");
        }
        if elapsed > self.deadline { Err(Stop::Time) } else { Ok(()) }
    }

    /// The same of a step so small that to look at the clock takes longer.
    fn tick(&mut self) -> Step {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(256) { self.check_time() } else { Ok(()) }
    }

    /// Processor time so far.
    pub(crate) fn elapsed(&self) -> Duration {
        self.clock.elapsed(self.solver.statistics.time)
    }

    /// Lets the time be over then.
    pub(crate) fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = deadline;
    }

    /// The first of many numbers of calls, events and spaces that nothing has yet.
    pub(crate) fn new_epoch(&mut self) -> u32 {
        self.epochs += 1;
        EPOCHS + self.epochs * EPOCH
    }

    /// A word of which only the number of bits is known.
    pub(crate) fn any(&mut self, bits: u16) -> Term {
        self.fresh += 1;
        self.terms.leaf(Leaf::Any(self.fresh, bits), &[])
    }

    /// Whether a condition, 0 or 1, holds on every run of the path or on none; `None` if that is not
    /// known without asking.
    pub(crate) fn decide(&mut self, state: &State, condition: Term) -> Option<bool> {
        if let Some(known) = state.conditions.decide(&self.terms, condition) {
            return Some(known);
        }
        let simple = state.conditions.simplify(&mut self.terms, condition);
        let known = if simple == condition { None } else { state.conditions.decide(&self.terms, simple) };
        known.or_else(|| state.conditions.decide_as_renewed(&mut self.terms, simple))
    }

    /// False if no run of the path has the condition, 0 or 1.
    pub(crate) fn is_possible(&mut self, state: &State, condition: Term) -> Step<bool> {
        if state.conditions.excludes(condition) {
            return Ok(false);
        }
        let is_possible = match self.decide(state, condition) {
            Some(known) => known,
            None => self.is_found_possible(state, condition)?,
        };
        if !is_possible {
            state.conditions.exclude(condition);
        }
        Ok(is_possible)
    }

    fn is_found_possible(&mut self, state: &State, condition: Term) -> Step<bool> {
        self.check_time()?;
        let simple = state.conditions.simplify(&mut self.terms, condition);
        if self.refuted.is_known(&state.conditions, simple) {
            return Ok(false);
        }
        let relevant = self.relevant(state.conditions.list(), simple);
        if self.solver.has_model(&self.terms, &relevant) {
            return Ok(true);
        }
        if self.hard.is_made_of_some(&self.terms, simple) {
            return Ok(!self.is_refuted(state, simple));
        }
        let easy = self.hard.without(&self.terms, &relevant);
        let answer = self.ask_with(state, simple, easy, (Exactness::Abstract, self.patience))?;
        if let Answer::Unknown = answer {
            // The next one is likely to be as hard.
            self.patience = (self.patience / 2).max(LEAST_PATIENCE);
            self.hard.note(&self.terms, &relevant);
        }
        Ok(!answer.is_impossible())
    }

    /// True if every run of the path has the condition, 0 or 1.
    pub(crate) fn is_certain(&mut self, state: &State, condition: Term) -> Step<bool> {
        let negation = self.terms.is_zero(condition);
        Ok(!self.is_possible(state, negation)?)
    }

    /// False if the path has no run at all, as far as a quick question tells.
    pub(crate) fn is_feasible(&mut self, state: &State) -> Step<bool> {
        self.check_time()?;
        let all = state.conditions.list().to_vec();
        self.note_hashes(&all);
        let left = self.deadline.saturating_sub(self.elapsed());
        let limit = self.limits.question.min(left);
        Ok(!self.solver.ask(&mut self.terms, &all, Exactness::Abstract, limit).is_impossible())
    }

    /// True if two words are the same on every run of the path, as far as a quick question tells.
    pub(crate) fn is_equal(&mut self, state: &State, a: Term, b: Term) -> Step<bool> {
        let equal = self.terms.eq(a, b);
        self.is_certain(state, equal)
    }

    /// Asks the solver whether a run of the path has the condition, 0 or 1.
    pub(crate) fn ask(&mut self, state: &State, condition: Term, exactness: Exactness) -> Step<Answer> {
        self.ask_for(state, condition, exactness, self.limits.question)
    }

    fn ask_for(
        &mut self,
        state: &State,
        condition: Term,
        exactness: Exactness,
        limit: Duration,
    ) -> Step<Answer> {
        let condition = state.conditions.simplify(&mut self.terms, condition);
        let relevant = self.relevant(state.conditions.list(), condition);
        self.ask_with(state, condition, relevant, (exactness, limit))
    }

    /// The same in the light of some conditions of the path, of which the first is what is asked for.
    fn ask_with(
        &mut self,
        state: &State,
        condition: Term,
        relevant: Vec<Term>,
        (exactness, limit): (Exactness, Duration),
    ) -> Step<Answer> {
        self.check_time()?;
        if self.is_refuted(state, condition) {
            return Ok(Answer::Impossible);
        }
        self.note_hashes(&relevant);
        let left = self.deadline.saturating_sub(self.elapsed());
        let limit = limit.min(left);
        let answer = match exactness {
            Exactness::Abstract => self.ask_by_cases(&relevant, limit)?,
            Exactness::Exact => self.solver.ask(&mut self.terms, &relevant, exactness, limit),
        };
        if answer.is_impossible() {
            self.refuted.note(condition, &relevant);
        }
        Ok(answer)
    }

    /// True if a condition surely holds on no run of the path: because it was found so before, or because of the
    /// order of sums.
    fn is_refuted(&mut self, state: &State, condition: Term) -> bool {
        self.refuted.is_known(&state.conditions, condition)
            || self.is_out_of_order(state.conditions.list(), condition)
    }

    /// True if a condition surely does not hold because of the order of sums: by itself, or with those that
    /// say something of the same words. With many others that would take longer to see.
    fn is_out_of_order(&mut self, conditions: &[Term], condition: Term) -> bool {
        if self.never_hold(vec![condition]) {
            return true;
        }
        let near = self.relevance.near(&self.terms, conditions, condition);
        let is_out = near.len() > 1 && self.never_hold(near.clone());
        if is_out {
            self.refuted.note(condition, &near);
        }
        is_out
    }

    /// True if conditions surely do not hold at once because of the order of sums.
    fn never_hold(&mut self, conditions: Vec<Term>) -> bool {
        if let Some(known) = self.out_of_order.get(&conditions) {
            return *known;
        }
        let never = is_impossible(&self.terms, &conditions);
        self.out_of_order.insert(conditions, never);
        never
    }

    /// The solver is told that hashes are far from each other.
    fn note_hashes(&mut self, conditions: &[Term]) {
        let is_hash = |term: Term| {
            matches!(self.terms.node(term), Node::Leaf(Leaf::Keccak(_) | Leaf::KeccakOfRegion(_), _))
        };
        if self.terms.hashes_are_far && self.terms.below(conditions).into_iter().any(is_hash) {
            self.used.insert(Assumption::HASHES);
        }
    }

    /// The condition and those that may say something about it.
    fn relevant(&mut self, conditions: &[Term], condition: Term) -> Vec<Term> {
        self.relevance.choose(&mut self.terms, conditions, condition)
    }
}
