//! A smaller program beside a difference.
//!
//! Edits are those of `cairn reduce` ([`cairn_driver::reduce`]). A program that is compared with its own code is edited
//! and compiled again; of two programs both are edited in the same place ([`Aligned`]), so that what they have in common
//! goes and what tells them apart stays. What is left differs on the same inputs in the same way: both runs end as
//! those of the whole program end, and the same of what they leave behind differs first. Why it differs may be
//! another reason.

use crate::certify::{Certificate, Finding, Plan, STACK_BYTES};
use crate::edit::Aligned;
use crate::inputs::smaller;
use crate::replay::{Reduced, Replay, Witness};
use crate::subject::Subject;
use cairn_driver::Input;
use cairn_driver::reduce::{printed, reduce};
use cairn_prove::Inputs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The texts of which the programs of a plan were made.
pub struct Origin<'a> {
    /// The reference.
    pub reference: &'a Input,
    /// The tested program; none where it is the reference's own code.
    pub tested: Option<&'a Input>,
    /// Compiles a text as these were compiled; `None` if it is faulty. Numbers of names are those of the program.
    pub compile: &'a (dyn Fn(&Input, &Subject) -> Option<Subject> + Sync),
}

impl Certificate {
    /// Makes the inputs of differences smaller, and programs that differ on them, one after the other, for so long on
    /// the clock in all. Assembly and bytecode stay as they are, and so do two programs in different languages.
    pub fn reduce(&mut self, plan: &Plan<'_>, origin: &Origin<'_>, time: Duration) {
        let end = Instant::now() + time;
        let work = || {
            for finding in &mut self.findings {
                reduce_finding(plan, origin, finding, end);
            }
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            // Without a thread differences stay as they are.
            _ = thread.spawn_scoped(scope, work);
        });
    }
}

fn reduce_finding(plan: &Plan<'_>, origin: &Origin<'_>, finding: &mut Finding, end: Instant) {
    let Some(witness) = &finding.witness else { return };
    let is_over = || Instant::now() >= end;
    let replay = Replay::new(plan.reference, plan.tested, plan.assumptions);
    let run = |inputs: &Inputs| again(witness, &replay, inputs);
    let witness = smaller(&finding.part, witness, &run, &is_over);
    if !is_over() {
        finding.reduced = Search { plan, origin, witness: &witness, end }.run();
    }
    finding.witness = Some(witness);
}

/// How programs differ on inputs, if in the same way as others did.
fn again(witness: &Witness, replay: &Replay<'_>, inputs: &Inputs) -> Option<Witness> {
    let found = replay.witness_in(witness.frame, inputs)?;
    (found.manner() == witness.manner()).then_some(found)
}

/// A search for a smaller program.
struct Search<'a> {
    plan: &'a Plan<'a>,
    origin: &'a Origin<'a>,
    witness: &'a Witness,
    end: Instant,
}

impl Search<'_> {
    fn run(&self) -> Option<Reduced> {
        let Origin { reference, tested, .. } = self.origin;
        match tested {
            None => self.one(reference),
            Some(tested) if tested.language == reference.language => self.both(reference, tested),
            Some(_) => None,
        }
    }

    /// Of a program and its own code.
    fn one(&self, input: &Input) -> Option<Reduced> {
        let language = input.language;
        let text = printed(&input.text, language)?;
        let mut best = None;
        let mut differs = |candidate: &str| match self.differ(input, candidate, None) {
            Some(witness) if !self.is_over() => {
                let reference = candidate.to_owned();
                best = Some(Reduced { language, reference, tested: None, witness });
                true
            }
            _ => false,
        };
        reduce(&text, language, &mut differs, &|| self.is_over());
        best
    }

    /// Of two programs.
    fn both(&self, first: &Input, second: &Input) -> Option<Reduced> {
        let language = first.language;
        let [text, other] = [first, second].map(|input| printed(&input.text, language));
        let mut texts = Aligned::new(text?, other?);
        let start = texts.first.clone();
        let mut best = None;
        let mut differs = |candidate: &str| {
            let Some(tested) = texts.follow(candidate).and_then(|text| printed(&text, language)) else {
                return false;
            };
            match self.differ(first, candidate, Some(&tested)) {
                Some(witness) if !self.is_over() => {
                    let reference = candidate.to_owned();
                    texts = Aligned::new(reference.clone(), tested.clone());
                    best = Some(Reduced { language, reference, tested: Some(tested), witness });
                    true
                }
                _ => false,
            }
        };
        reduce(&start, language, &mut differs, &|| self.is_over());
        best
    }

    /// How two texts, or a text and its own code, differ on the inputs of the witness.
    fn differ(&self, input: &Input, text: &str, other: Option<&str>) -> Option<Witness> {
        let compile = |text: &str, like: &Subject| {
            let input = Input { text: text.to_owned(), ..input.clone() };
            (self.origin.compile)(&input, like)
        };
        let differ = || {
            let reference = compile(text, self.plan.reference)?;
            let tested = match other {
                Some(other) => &compile(other, self.plan.tested)?,
                None => &reference,
            };
            let replay = Replay::new(&reference, tested, self.plan.assumptions);
            again(self.witness, &replay, &self.witness.inputs)
        };
        // A compiler that fails on what no person wrote shows no difference.
        catch_unwind(AssertUnwindSafe(differ)).ok().flatten()
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }
}
