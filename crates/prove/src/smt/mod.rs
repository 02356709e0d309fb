//! Questions that terms alone don't answer, asked of a solver.
//!
//! A question is a set of conditions; the answer is whether words exist for which all hold. What the order
//! of sums decides is not asked. First the
//! *abstract* question, which says less: products, quotients and powers are any functions, and words of
//! calldata at different positions don't overlap. What is impossible there is impossible. Then, where it
//! matters, the *exact* one. Answers are kept by the conditions, and words that were found are tried on
//! what is asked next. Without a solver all is possible.

mod arith;
mod consistency;
mod guess;
mod inverse;
mod pipe;
mod text;

pub use pipe::{SolverKind, find_solvers};

use crate::order::is_impossible;
use crate::term::eval::{Evaluation, Invented, Model};
use crate::term::{Node, Term, Terms, is_hard};
use consistency::{Consistency, consistency};
use guess::Question;
use pipe::{Pipe, Reply};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::time::Duration;

/// Models that are kept.
const MAX_MODELS: usize = 8;

/// How many times the time in which there was no answer is to be given before it is asked again.
const MORE_TIME: u32 = 3;

/// What is known of a question.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// No words do it.
    Impossible,
    /// These do, as far as the question says.
    Possible(Box<Model>),
    /// The solver gave up, or there is none.
    Unknown,
}

impl Answer {
    /// True if no words do it.
    pub(crate) fn is_impossible(&self) -> bool {
        matches!(self, Answer::Impossible)
    }
}

/// How exactly a question is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Exactness {
    /// Products and the like are any functions.
    Abstract,
    /// As the EVM does it.
    Exact,
}

/// Counts of what was asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Questions that went to a solver.
    pub asked: u64,
    /// Questions answered before.
    pub remembered: u64,
    /// Questions that the solver gave up on.
    pub unknown: u64,
    /// Processor time of solvers.
    pub time: Duration,
}

impl Statistics {
    /// Counts what was asked elsewhere, too.
    pub(crate) fn add(&mut self, other: &Statistics) {
        self.asked += other.asked;
        self.remembered += other.remembered;
        self.unknown += other.unknown;
        self.time += other.time;
    }
}

/// Asks solvers.
#[derive(Default)]
pub struct Solver {
    pipes: Vec<Pipe>,
    known: FxHashMap<(Vec<Term>, Exactness), Answer>,
    /// Questions without an answer, and the longest time in which there was none.
    unanswered: FxHashMap<(Vec<Term>, Exactness), Duration>,
    /// The last models that were found.
    models: VecDeque<Box<Model>>,
    /// What was asked.
    pub statistics: Statistics,
}

impl Solver {
    /// Asks these, one after the other until one knows.
    pub fn new(kinds: &[SolverKind]) -> Self {
        Solver { pipes: kinds.iter().map(|kind| Pipe::new(*kind)).collect(), ..Solver::default() }
    }

    /// True if there is one to ask.
    pub fn exists(&self) -> bool {
        !self.pipes.is_empty()
    }

    /// Forgets the answers: the terms are new.
    pub fn forget(&mut self) {
        self.known.clear();
        self.unanswered.clear();
        self.models.clear();
    }

    /// True if words that were found before are words for which all conditions hold.
    pub(crate) fn has_model(&mut self, terms: &Terms, conditions: &[Term]) -> bool {
        let holds = |model: &Model| {
            let given = Invented(model);
            let mut evaluation = Evaluation::new(terms, &given);
            conditions.iter().all(|condition| !evaluation.word(*condition).is_zero())
        };
        let Some(found) = self.models.iter().position(|model| holds(model)) else { return false };
        self.statistics.remembered += 1;
        // What was of use is likely to be again.
        if let Some(model) = self.models.remove(found) {
            self.models.push_front(model);
        }
        true
    }

    /// Whether all conditions can hold at once.
    pub(crate) fn ask(
        &mut self,
        terms: &mut Terms,
        conditions: &[Term],
        exactness: Exactness,
        limit: Duration,
    ) -> Answer {
        let answer = self.answer_alone(terms, conditions, exactness);
        if !matches!(answer, Answer::Unknown) || self.pipes.is_empty() {
            return answer;
        }
        let key = key(terms, conditions);
        let question = (key, exactness);
        if self.unanswered.get(&question).is_some_and(|before| limit <= *before * MORE_TIME) {
            self.statistics.remembered += 1;
            return Answer::Unknown;
        }
        let answer = self.ask_pipes(terms, &question.0, exactness, limit);
        match answer {
            Answer::Unknown => _ = self.unanswered.insert(question, limit),
            Answer::Impossible | Answer::Possible(_) => self.keep(question.0, exactness, &answer),
        }
        answer
    }

    /// The same without asking a process.
    pub(crate) fn answer_alone(
        &mut self,
        terms: &Terms,
        conditions: &[Term],
        exactness: Exactness,
    ) -> Answer {
        let key = key(terms, conditions);
        if key.contains(&terms.zero) {
            return Answer::Impossible;
        }
        if key.is_empty() {
            return Answer::Possible(Box::default());
        }
        if let Some(answer) = self.known.get(&(key.clone(), exactness)) {
            self.statistics.remembered += 1;
            return answer.clone();
        }
        // What was asked for last says most.
        let newest: Vec<Term> = key.iter().rev().copied().collect();
        let answer = match is_impossible(terms, &newest) {
            true => Answer::Impossible,
            false if self.pipes.is_empty() => Answer::Unknown,
            false => self.guess(terms, &newest, exactness).map_or(Answer::Unknown, Answer::Possible),
        };
        self.keep(key, exactness, &answer);
        answer
    }

    fn keep(&mut self, key: Vec<Term>, exactness: Exactness, answer: &Answer) {
        if let Answer::Possible(model) = answer {
            self.models.push_front(model.clone());
            self.models.truncate(MAX_MODELS);
        }
        if !matches!(answer, Answer::Unknown) {
            self.known.insert((key, exactness), answer.clone());
        }
    }

    /// Words for which the conditions hold, near some that were found.
    fn guess(&self, terms: &Terms, conditions: &[Term], exactness: Exactness) -> Option<Box<Model>> {
        let models: Vec<&Model> = self.models.iter().map(|model| &**model).collect();
        Question { terms, conditions, exactness }.guess(&models)
    }

    fn ask_pipes(
        &mut self,
        terms: &mut Terms,
        key: &[Term],
        exactness: Exactness,
        limit: Duration,
    ) -> Answer {
        let Some(consistency) = consistency(terms, key, exactness) else { return Answer::Unknown };
        let all = text::question(terms, key, exactness, &consistency);
        if consistency.is_empty() {
            return self.put(terms, &all, limit);
        }
        // Often the conditions alone are impossible, or hold for words that are consistent.
        let alone = text::question(terms, key, exactness, &Consistency::default());
        match self.put(terms, &alone, limit / 2) {
            Answer::Impossible => return Answer::Impossible,
            Answer::Possible(model) => {
                let question = Question { terms, conditions: key, exactness };
                if let Some(model) = question.guess(&[&model]) {
                    return Answer::Possible(model);
                }
            }
            Answer::Unknown => {}
        }
        self.put(terms, &all, limit)
    }

    /// Puts a question as it is.
    fn put(&mut self, terms: &Terms, question: &text::Question, limit: Duration) -> Answer {
        for pipe in &mut self.pipes {
            self.statistics.asked += 1;
            let (reply, time) = pipe.ask(&question.text, &question.values, limit);
            self.statistics.time += time;
            match reply {
                Reply::Unsat => return Answer::Impossible,
                Reply::Sat(values) => return Answer::Possible(Box::new(question.model(terms, &values))),
                Reply::Unknown => self.statistics.unknown += 1,
            }
        }
        Answer::Unknown
    }
}

/// Conditions in order, each once, without those that always hold.
fn key(terms: &Terms, conditions: &[Term]) -> Vec<Term> {
    let mut key: Vec<Term> = conditions.to_vec();
    key.sort_unstable();
    key.dedup();
    key.retain(|condition| *condition != terms.one);
    key
}

/// True if the abstract question says less than the exact one.
pub(crate) fn is_abstracted(terms: &Terms, conditions: &[Term]) -> bool {
    terms.below(conditions).into_iter().any(|term| match terms.node(term) {
        Node::Op(opcode, _) => is_hard(*opcode),
        Node::Leaf(_, args) => !args.is_empty(),
        _ => false,
    })
}
