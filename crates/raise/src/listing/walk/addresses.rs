//! Where in memory an address is, and how long a region is.

use super::Walk;
use crate::listing::bits::run_of_ones;
use crate::listing::memory::{Base, RESERVED, Spot, Sum, Term};
use crate::listing::say::Say;
use cairn_evm::{Opcode, Word};

/// Variables and sums within sums.
const MAX_DEPTH: usize = 24;

/// Bits of a place in a word.
const WORD_BITS: usize = 5;

impl Walk<'_> {
    /// Where in memory an address is.
    pub(in crate::listing) fn spot(&self, say: &Say) -> Option<Spot> {
        match say {
            Say::Text(_) | Say::Hash(_) | Say::Returned(..) | Say::Effect(..) | Say::Bytes(..) => None,
            Say::Name(name) if self.is_changing(*name) => None,
            Say::Name(name) => {
                let known = self.spots.get(name).copied();
                known
                    .or_else(|| self.stores.end_of_copy(&self.sum(say)))
                    .or(Some(Spot { base: Base::Name(*name), at: 0 }))
            }
            Say::Number(_) | Say::Free(_) | Say::Call(..) => self.spot_of(&self.sum(say)),
        }
    }

    /// Where a region ends.
    pub(in crate::listing) fn end(&self, start: &Say, length: &Say) -> Option<Spot> {
        self.spot_of(&self.sum(start).plus(self.sum(length)))
    }

    /// A place by a variable that points to what was allocated: one that is not computed of the free pointer.
    pub(in crate::listing) fn allocated(&self, say: &Say) -> Option<Spot> {
        let spot = self.spot(say)?;
        let Base::Name(name) = spot.base else { return None };
        (!self.may_be_free(&Say::Name(name), MAX_DEPTH)).then_some(spot)
    }

    /// True unless nothing in an expression is of the free pointer.
    fn may_be_free(&self, say: &Say, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        match say {
            // What memory holds is a pointer to what was allocated, wherever it was loaded from.
            _ if say.args_of(Opcode::MLOAD).is_some() => false,
            Say::Free(_) => true,
            // As long as nobody allocated anything, the free pointer is a number.
            Say::Number(word) => *word >= Word::from(RESERVED),
            Say::Name(name) if self.is_changing(*name) || self.given.contains(name) => true,
            Say::Name(name) => self.values.get(name).is_some_and(|value| self.may_be_free(value, depth)),
            _ => say.parts().into_iter().any(|part| self.may_be_free(part, depth)),
        }
    }

    /// Something reads memory that is not told by its values.
    pub(in crate::listing) fn read(&mut self, address: &Say, bytes: Option<u64>) {
        let allocated = self.allocated(address);
        let spot = self.spot(address);
        let Walk { stores, state, .. } = self;
        match allocated {
            Some(spot) if bytes != Some(0) => stores.read_allocated(state, spot, bytes),
            _ => stores.read_unknown(state, spot, bytes),
        }
    }

    fn spot_of(&self, sum: &Sum) -> Option<Spot> {
        if let Some(end) = self.stores.end_of_copy(sum) {
            return Some(end);
        }
        let at = || u64::try_from(sum.number).ok();
        if sum.is_number() {
            return Some(Spot { base: Base::Zero, at: at()? });
        }
        match sum.only()? {
            Term::Say(Say::Free(number)) => Some(Spot { base: Base::Free(*number), at: at()? }),
            Term::Say(Say::Name(name)) if !self.is_changing(*name) => {
                let spot = self.spots.get(name).copied().unwrap_or(Spot { base: Base::Name(*name), at: 0 });
                Some(Spot { at: spot.at.checked_add(at()?)?, ..spot })
            }
            Term::Say(_) | Term::Rounded(_) => None,
        }
    }

    /// How long a region is, as far as it is known.
    pub(in crate::listing) fn length(&self, say: &Say) -> Option<u64> {
        let sum = self.sum(say);
        u64::try_from(sum.number).ok().filter(|_| sum.is_number())
    }

    /// An address or a length as a sum.
    pub(in crate::listing) fn sum(&self, say: &Say) -> Sum {
        self.sum_within(say, MAX_DEPTH)
    }

    fn sum_within(&self, say: &Say, depth: usize) -> Sum {
        let whole = || Sum::of(Term::Say(say.clone()));
        if let Say::Number(word) = say {
            return Sum::default().plus_word(*word);
        }
        let Some(depth) = depth.checked_sub(1) else { return whole() };
        match say {
            Say::Name(name) => match self.lasting.get(name) {
                Some(value) if is_sum(value) => self.sum_within(value, depth),
                _ => whole(),
            },
            Say::Free(number) => {
                let end = self.free_ends.get(number).and_then(|spot| self.stores.sum_of_end(*spot));
                end.unwrap_or_else(whole)
            }
            _ => match say.as_evm() {
                Some((Opcode::ADD, [a, b])) => self.sum_within(a, depth).plus(self.sum_within(b, depth)),
                Some((Opcode::SUB, [a, b])) => self.sum_within(a, depth).minus(self.sum_within(b, depth)),
                Some((Opcode::SHL, [Say::Number(by), value])) if *by == Word::from(WORD_BITS) => {
                    Sum::of(Term::Say(words(value)))
                }
                Some((Opcode::MUL, [value, Say::Number(size)] | [Say::Number(size), value]))
                    if *size == Word::from(1 << WORD_BITS) =>
                {
                    Sum::of(Term::Say(words(value)))
                }
                Some((Opcode::AND, [Say::Number(mask), value] | [value, Say::Number(mask)]))
                    if run_of_ones(*mask) == Some((WORD_BITS, 256)) =>
                {
                    let rest = Word::from((1 << WORD_BITS) - 1);
                    Sum::of(Term::Rounded(
                        self.sum_within(value, depth).minus(Sum::default().plus_word(rest)),
                    ))
                }
                _ => whole(),
            },
        }
    }

    /// What the free pointer is now.
    pub(in crate::listing) fn free(&mut self) -> Say {
        if let Some(end @ Spot { base: Base::End(..), .. }) = self.state.free {
            // A number of its own, of which the place is remembered.
            self.frees += 1;
            self.free_ends.insert(self.frees, end);
            self.state.free = Some(Spot { base: Base::Free(self.frees), at: 0 });
        }
        if self.state.free.is_none() {
            self.frees += 1;
            self.state.free = Some(Spot { base: Base::Free(self.frees), at: 0 });
        }
        let base = match self.state.free {
            Some(Spot { base: Base::Free(number), at }) => (Say::Free(number), at),
            Some(Spot { base: Base::Name(name), at }) => (Say::Name(name), at),
            Some(Spot { base: Base::Zero, at }) => return Say::Number(Word::from(at)),
            Some(Spot { base: Base::End(..), .. }) | None => return Say::Free(self.frees),
        };
        match base {
            (base, 0) => base,
            (base, at) => Say::evm(Opcode::ADD, vec![base, Say::Number(Word::from(at))]),
        }
    }
}

/// True for what a sum can be written for.
fn is_sum(say: &Say) -> bool {
    matches!(say, Say::Number(_) | Say::Free(_))
        || matches!(
            say.as_evm(),
            Some((Opcode::ADD | Opcode::SUB | Opcode::AND | Opcode::SHL | Opcode::MUL, _))
        )
}

/// So many words in bytes.
fn words(count: &Say) -> Say {
    Say::evm(Opcode::MUL, vec![count.clone(), Say::Number(Word::from(1 << WORD_BITS))])
}
