//! What may hold of two programs whenever they come to a loop: words, memory, storage.

use crate::machine::{Machine, Memory, State, Step, Store};
use crate::term::{Space, Term};
use cairn_evm::Word;
use std::collections::BTreeMap;

/// A part without an end is so long: what is touched lies below 2^64 and is not longer than that (A13), so that all that
/// can be touched from its beginning on lies in it.
const OPEN_BITS: usize = 66;

/// Which program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Reference,
    Tested,
}

/// What holds a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A value of the reference, or the stack: by its index.
    Value(usize),
    /// Whether the state was changed.
    Changed,
    /// Memory at an address that is the same in every round.
    Word(Term),
    /// A space at a key that is the same in every round.
    Key(Space, Term),
}

/// What a word is in the round with number `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// That of the first round.
    Kept,
    /// That of the first round plus this times `k`.
    Step(Word),
    /// Any; words of one class are the same.
    Class(u32),
}

/// One word of one program.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) side: Side,
    pub(super) holder: Holder,
    /// The word in the first round.
    pub(super) first: Term,
    pub(super) bits: u16,
    pub(super) form: Form,
}

/// What is known of the words of a class.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) bits: u16,
    pub(super) first: Term,
    /// Not less than in the first round.
    pub(super) grows: bool,
    /// Below 2^64.
    pub(super) is_near: bool,
}

/// What holds in every round.
pub(super) struct Invariant {
    pub(super) slots: Vec<Slot>,
    pub(super) classes: BTreeMap<u32, Class>,
    /// What may have been written to memory at places that change.
    pub(super) regions: Vec<Region>,
    /// Whether storage and transient storage are others in each round, but the same in both programs.
    pub(super) lost: [bool; 2],
    /// Whether rounds call.
    pub(super) has_calls: bool,
    /// Memory in the first round.
    pub(super) memories: [Memory; 2],
    /// The conditions of the first round.
    pub(super) entry: State,
    /// Storage and transient storage of the reference in the first round.
    pub(super) stores: [Store; 2],
    /// They are the tested program's.
    pub(super) stores_agree: bool,
}

impl Class {
    /// What it says of its word.
    pub(super) fn conditions(&self, machine: &mut Machine, word: Term) -> Vec<Term> {
        let mut conditions = Vec::new();
        if self.grows {
            let is_less = machine.terms.lt(word, self.first);
            conditions.push(machine.terms.is_zero(is_less));
        }
        if self.is_near {
            let end = machine.terms.word(Word::from(1) << 64);
            conditions.push(machine.terms.lt(word, end));
        }
        conditions
    }

    /// Gives up what does not hold of a word; true if something was.
    pub(super) fn weaken(&mut self, machine: &mut Machine, state: &State, word: Term) -> Step<bool> {
        let before = (self.grows, self.is_near);
        if self.grows {
            let is_less = machine.terms.lt(word, self.first);
            self.grows = !machine.is_possible(state, is_less)?;
        }
        if self.is_near {
            let end = machine.terms.word(Word::from(1) << 64);
            let is_near = machine.terms.lt(word, end);
            self.is_near = machine.is_certain(state, is_near)?;
        }
        Ok(before != (self.grows, self.is_near))
    }
}

/// A part of memory that rounds may have written.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) side: Side,
    pub(super) start: Term,
    pub(super) extent: Extent,
    /// The region of the reference whose bytes are the same in every round.
    pub(super) shared: Option<usize>,
}

/// How far it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Each round so much farther.
    Rounds(Word),
    /// So far in every round.
    Fixed(Term),
    /// As far as there is memory.
    Open,
}

impl Region {
    /// Its length behind so many rounds.
    pub(super) fn length(&self, machine: &mut Machine, rounds: Term) -> Term {
        match self.extent {
            Extent::Rounds(step) => machine.terms.scale(rounds, step),
            Extent::Fixed(length) => length,
            Extent::Open => machine.terms.word(Word::from(1) << OPEN_BITS),
        }
    }

    /// True of the same place and extent.
    pub(super) fn is_like(&self, other: &Region) -> bool {
        (self.start, self.extent) == (other.start, other.extent)
    }
}
