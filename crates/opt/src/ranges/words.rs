//! Words that a value may be: bounds, whether they are grown, and what they are computed from. The
//! terms are defined in the head of `ranges`.

use crate::rules::{Facts, transfer};
use cairn_evm::{Opcode, Word, word};
use smallvec::SmallVec;

/// Bits of words that are grown whatever they come from.
pub(crate) const LIMIT_BITS: usize = 62;

/// Bits of words that are grown because the program has checked them.
const CHECKED_BITS: usize = 64;

/// Bits of what an instruction may add to a grown word.
pub(crate) const STEP_BITS: usize = 27;

/// Bits of grown words: checked ones, and 2^35 steps.
const GROWN_BITS: usize = 65;

/// Words that a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) facts: Facts,
    /// At most what the instructions that have run can have added up.
    pub(crate) is_grown: bool,
}

impl Words {
    /// Words of which nothing else is known.
    pub(crate) fn new(facts: Facts) -> Words {
        Words { facts, is_grown: facts.hi() <= word::low_mask(LIMIT_BITS) }
    }

    /// Grown words from `lo` on.
    pub(crate) fn grown_from(lo: Word) -> Words {
        Words { facts: Facts::between(lo, word::low_mask(GROWN_BITS)), is_grown: true }
    }

    /// True of a word that may be.
    #[cfg(test)]
    pub(crate) fn has(self, word: Word) -> bool {
        self.facts.has(word) && (!self.is_grown || word <= word::low_mask(GROWN_BITS))
    }

    pub(super) fn join(self, other: Words) -> Words {
        Words { facts: self.facts.join(&other.facts), is_grown: self.is_grown && other.is_grown }
    }

    /// A superset of `new`, of which there are few.
    pub(super) fn widened(self, new: Words, least: Word) -> Words {
        let lo = [self.facts.lo(), least].into_iter().filter(|lo| *lo <= new.facts.lo()).max();
        let hi = match new.is_grown {
            _ if new.facts.hi() <= self.facts.hi() => self.facts.hi(),
            true => word::low_mask(GROWN_BITS),
            false => Word::MAX,
        };
        Words { facts: Facts::between(lo.unwrap_or(Word::ZERO), hi), is_grown: new.is_grown }
    }

    /// Words between two; nothing is said of how they came about.
    pub(super) fn between(lo: Word, hi: Word) -> Words {
        Words::bound(Facts::between(lo, hi))
    }

    /// Words with these facts; nothing is said of how they came about.
    pub(super) fn bound(facts: Facts) -> Words {
        Words { facts, is_grown: false }
    }

    /// What is left under a bound.
    pub(super) fn met(self, bound: Words) -> Words {
        let facts = self.facts.meet(&bound.facts).unwrap_or(self.facts);
        Words { facts, is_grown: self.is_grown || bound.is_grown || Words::new(facts).is_grown }
    }

    pub(super) fn is_step(&self) -> bool {
        self.facts.hi() <= word::low_mask(STEP_BITS)
    }

    /// The result of an operation.
    pub(super) fn transfer(opcode: Opcode, args: &[&Words]) -> Words {
        let facts: SmallVec<[&Facts; 3]> = args.iter().map(|arg| &arg.facts).collect();
        let found = Words::new(transfer(opcode, &facts));
        let is_grown = match (opcode, args) {
            (Opcode::ADD, [a, b]) => (a.is_grown && b.is_step()) || (a.is_step() && b.is_grown),
            (Opcode::AND, [a, b]) => a.is_grown || b.is_grown,
            (Opcode::SUB, [a, b]) => a.is_grown && a.facts.lo() >= b.facts.hi(),
            _ => false,
        };
        if !is_grown {
            return found;
        }
        let facts = Facts::between(Word::ZERO, word::low_mask(GROWN_BITS));
        found.met(Words { facts, is_grown: true })
    }
}

/// Words that a value may be, by what they are computed from. Where there are only plain ones, they are all
/// of them; where there are none, some are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// All of them.
    pub(crate) all: Words,
    /// Plain ones among them.
    pub(crate) plain: Option<Words>,
    /// There may be others than plain ones.
    pub(crate) is_computed: bool,
}

impl Range {
    pub(super) fn plain(words: Words) -> Range {
        Range { all: words, plain: Some(words), is_computed: false }
    }

    pub(super) fn computed(words: Words) -> Range {
        Range { all: words, plain: None, is_computed: true }
    }

    pub(super) fn join(&self, other: &Range) -> Range {
        let all = self.all.join(other.all);
        if !self.is_computed && !other.is_computed {
            return Range::plain(all);
        }
        let plain = match (self.plain, other.plain) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        };
        Range { all, plain, is_computed: true }
    }

    pub(super) fn widened(self, new: Range, least: Word) -> Range {
        let all = self.all.widened(new.all, least);
        let plain = match (self.plain, new.plain) {
            _ if !new.is_computed => Some(all),
            (Some(old), Some(new)) => Some(old.widened(new, least)),
            (_, new) => new,
        };
        Range { all, plain, ..new }
    }

    pub(super) fn met(self, bound: Words) -> Range {
        let all = self.all.met(bound);
        let plain = if self.is_computed { self.plain.map(|words| words.met(bound)) } else { Some(all) };
        Range { all, plain, ..self }
    }

    /// The range under a check that the program makes.
    pub(super) fn checked(self, bound: Words) -> Range {
        let is_grown = bound.is_grown || bound.facts.hi() <= word::low_mask(CHECKED_BITS);
        self.met(Words { is_grown, ..bound })
    }

    pub(super) fn transfer(opcode: Opcode, args: &[&Range]) -> Range {
        let words: SmallVec<[&Words; 3]> = args.iter().map(|arg| &arg.all).collect();
        let all = Words::transfer(opcode, &words);
        if args.iter().all(|arg| !arg.is_computed) {
            return Range::plain(all);
        }
        let plain: Option<SmallVec<[&Words; 3]>> = args.iter().map(|arg| arg.plain.as_ref()).collect();
        Range { all, plain: plain.map(|args| Words::transfer(opcode, &args)), is_computed: true }
    }

    /// The range of what a condition chooses from this.
    pub(super) fn chosen_by(self, condition: &Range) -> Range {
        Range { is_computed: self.is_computed || condition.is_computed, ..self }
    }
}
