//! Parts of memory as a whole: hashes, and whether two parts hold the same.

use super::state::{Region, State};
use super::{Hashed, Machine, Step};
use crate::smt::{Answer, Exactness, is_abstracted};
use crate::term::eval::Model;
use crate::term::{Leaf, Term};
use cairn_evm::word;
use std::time::Duration;

/// Parts of known length up to this one are compared and hashed word by word.
const MAX_BYTES: u64 = 8192;

/// Whether two things are the same on every run of a path.
#[derive(Clone, Debug)]
pub(crate) enum Sameness {
    /// They are.
    Same,
    /// They are not on a run, as far as the solver says.
    Different(Difference),
    /// Not known.
    Unknown(String),
}

/// Where two things are not the same.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// What holds on runs on which they are not.
    pub(crate) conditions: Vec<Term>,
    /// Such a run.
    pub(crate) model: Box<Model>,
    /// What is not the same.
    pub(crate) what: String,
}

impl Sameness {
    /// True if they are the same.
    pub(crate) fn is_same(&self) -> bool {
        matches!(self, Sameness::Same)
    }
}

impl Machine {
    /// Keccak-256 of a part of memory.
    pub(super) fn keccak(&mut self, state: &State, at: Term, length: Term) -> Step<Term> {
        let Some(bytes) = self.terms.as_u64(length).filter(|bytes| *bytes <= MAX_BYTES) else {
            return self.keccak_of_region(state, at, length);
        };
        let region = state.region(at, length);
        let words = self.words(state, &region, bytes)?;
        Ok(self.terms.hash(bytes as u32, &words))
    }

    /// The words of a region, the last filled up with zeros.
    fn words(&mut self, state: &State, region: &Region, bytes: u64) -> Step<Vec<Term>> {
        let mut words = Vec::new();
        for start in (0..bytes).step_by(32) {
            let at = self.terms.add_number(region.at, start);
            let word = self.load_word(state, &region.memory, at)?;
            let kept = 8 * (bytes - start).min(32) as usize;
            words.push(self.terms.and_word(word, !word::low_mask(256 - kept)));
        }
        Ok(words)
    }

    /// The hash of a region that was hashed before is the same hash.
    fn keccak_of_region(&mut self, state: &State, at: Term, length: Term) -> Step<Term> {
        let region = state.region(at, length);
        for index in 0..self.regions.len() {
            let hashed = &self.regions[index];
            // Only what was hashed on the way here: there the bounds of its writes hold, too.
            let mut conditions = hashed.conditions.iter();
            let is_on_the_way =
                conditions.all(|condition| state.conditions.decide(&self.terms, *condition) == Some(true));
            let (other, hash) = (hashed.region.clone(), hashed.hash);
            if is_on_the_way && self.same_region(state, &other, &region)?.is_same() {
                return Ok(hash);
            }
        }
        let number = self.regions.len() as u32;
        let hash = self.terms.leaf(Leaf::KeccakOfRegion(number), &[]);
        let conditions = state.conditions.list().to_vec();
        self.regions.push(Hashed { region, conditions, hash });
        Ok(hash)
    }

    /// Whether two words are the same on every run of a path.
    pub(crate) fn same_word(&mut self, state: &State, a: Term, b: Term) -> Step<Sameness> {
        let equal = self.terms.eq(a, b);
        let different = self.terms.is_zero(equal);
        match self.decide(state, different) {
            Some(false) => return Ok(Sameness::Same),
            Some(true) => {}
            None => {
                let answer = self.ask(state, different, Exactness::Abstract)?;
                if answer.is_impossible() {
                    return Ok(Sameness::Same);
                }
            }
        }
        self.find_difference(state, different)
    }

    /// Inputs of the path with a condition, 0 or 1, as exactly as can be told.
    pub(crate) fn find_difference(&mut self, state: &State, condition: Term) -> Step<Sameness> {
        let mut all = state.conditions.list().to_vec();
        let condition = state.conditions.simplify(&mut self.terms, condition);
        all.push(condition);
        self.note_hashes(&all);
        let what = crate::term::show(&self.terms, condition, 5);
        if self.has_impossible_part(&all)? {
            return Ok(Sameness::Same);
        }
        Ok(match self.ask_exactly(&all, self.limits.difference)? {
            Answer::Impossible => Sameness::Same,
            Answer::Possible(model) => Sameness::Different(Difference { conditions: all, model, what }),
            Answer::Unknown => Sameness::Unknown(what),
        })
    }

    /// True if some of the conditions, which have nothing in common with the others, can't hold at once: what is
    /// hard to see of products is often not what matters.
    fn has_impossible_part(&mut self, all: &[Term]) -> Step<bool> {
        let parts = self.relevance.parts(&mut self.terms, all);
        if parts.len() < 2 {
            return Ok(false);
        }
        for part in &parts {
            if self.ask_exactly(part, self.limits.question)?.is_impossible() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether conditions can hold at once, as exactly as can be told.
    pub(crate) fn ask_exactly(&mut self, conditions: &[Term], limit: Duration) -> Step<Answer> {
        self.check_time()?;
        let exactness = match is_abstracted(&self.terms, conditions) {
            true => Exactness::Exact,
            false => Exactness::Abstract,
        };
        let limit = limit.min(self.deadline.saturating_sub(self.elapsed()));
        Ok(self.solver.ask(&mut self.terms, conditions, exactness, limit))
    }

    /// Whether two parts of memory hold the same on every run of a path.
    pub(crate) fn same_region(&mut self, state: &State, a: &Region, b: &Region) -> Step<Sameness> {
        let length = self.same_word(state, a.length, b.length)?;
        if !length.is_same() {
            return Ok(length);
        }
        let known = self.terms.as_u64(a.length).or_else(|| self.terms.as_u64(b.length));
        match known.filter(|bytes| *bytes <= MAX_BYTES) {
            Some(bytes) => {
                let a = self.words(state, a, bytes)?;
                let b = self.words(state, b, bytes)?;
                for (a, b) in a.into_iter().zip(b) {
                    let same = self.same_word(state, a, b)?;
                    if !same.is_same() {
                        return Ok(same);
                    }
                }
                Ok(Sameness::Same)
            }
            None => self.same_bytes(state, a, b),
        }
    }

    /// Compares the byte at any index.
    fn same_bytes(&mut self, state: &State, a: &Region, b: &Region) -> Step<Sameness> {
        let index = self.any(64);
        let mut state = state.clone();
        let is_inside = self.terms.lt(index, a.length);
        state.conditions.assume(&mut self.terms, is_inside);
        let (a_at, b_at) = (self.terms.add(a.at, index), self.terms.add(b.at, index));
        for (way, byte) in self.byte_by_ways(&state, &a.memory, a_at)? {
            for (way, other) in self.byte_by_ways(&way, &b.memory, b_at)? {
                let same = self.same_word(&way, byte, other)?;
                if !same.is_same() {
                    return Ok(same);
                }
            }
        }
        Ok(Sameness::Same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assume::Assumptions;
    use crate::machine::Limits;
    use crate::smt::{Solver, find_solvers};
    use std::time::Instant;

    /// A question takes no longer than there is time for the proof. Without a solver none takes long.
    #[test]
    fn questions_heed_the_deadline() {
        let limits = Limits { time: Duration::from_millis(400), ..Limits::default() };
        let mut machine = Machine::new(Solver::new(&find_solvers()), Assumptions::ALL, limits);
        let [x, y] = [0, 1].map(|number| machine.terms.leaf(Leaf::Any(number, 128), &[]));
        // A product of two primes of 64 bits.
        let product = machine.terms.mul(x, y);
        let prime = |offset: u64| cairn_evm::Word::from(u64::MAX - offset);
        let wanted = machine.terms.word(prime(58).wrapping_mul(prime(94)));
        let one = machine.terms.one;
        let conditions = [
            machine.terms.eq(product, wanted),
            machine.terms.lt(one, x),
            machine.terms.lt(one, y),
            machine.terms.lt(x, y),
        ];
        let start = Instant::now();
        let answer = machine.ask_exactly(&conditions, Duration::from_secs(60));
        assert!(matches!(answer, Ok(Answer::Unknown)), "{answer:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
