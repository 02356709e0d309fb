//! Addresses and lengths as sums, so that two of them can be compared.

use crate::listing::say::Say;
use cairn_evm::Word;

/// Terms that differ from zero and each other, and a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::listing) struct Sum {
    plus: Vec<Term>,
    minus: Vec<Term>,
    pub(in crate::listing) number: Word,
}

/// A part of a sum.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::listing) enum Term {
    Say(Say),
    /// A length up to whole words.
    Rounded(Sum),
}

impl Sum {
    pub(in crate::listing) fn of(term: Term) -> Sum {
        Sum { plus: vec![term], ..Sum::default() }
    }

    pub(in crate::listing) fn number(number: u64) -> Sum {
        Sum { number: Word::from(number), ..Sum::default() }
    }

    pub(in crate::listing) fn plus_word(mut self, word: Word) -> Sum {
        self.number = self.number.wrapping_add(word);
        self
    }

    /// The sum of both.
    pub(in crate::listing) fn plus(mut self, other: Sum) -> Sum {
        self.number = self.number.wrapping_add(other.number);
        other.plus.into_iter().for_each(|term| add(term, &mut self.plus, &mut self.minus));
        other.minus.into_iter().for_each(|term| add(term, &mut self.minus, &mut self.plus));
        self
    }

    /// The difference.
    pub(in crate::listing) fn minus(self, other: Sum) -> Sum {
        let Sum { plus, minus, number } = other;
        self.plus(Sum { plus: minus, minus: plus, number: number.wrapping_neg() })
    }

    /// The difference, if nothing is taken from this but what is in it.
    pub(in crate::listing) fn less(&self, other: &Sum) -> Option<Sum> {
        Some(self.clone().minus(other.clone())).filter(|rest| rest.minus.is_empty())
    }

    /// True when nothing but its number is in it.
    pub(in crate::listing) fn is_number(&self) -> bool {
        self.plus.is_empty() && self.minus.is_empty()
    }

    /// The only term beside its number.
    pub(in crate::listing) fn only(&self) -> Option<&Term> {
        match (self.plus.as_slice(), self.minus.as_slice()) {
            ([term], []) => Some(term),
            _ => None,
        }
    }
}

/// Adds a term, or takes away the same one that is subtracted.
fn add(term: Term, to: &mut Vec<Term>, from: &mut Vec<Term>) {
    match from.iter().position(|other| *other == term) {
        Some(place) => drop(from.swap_remove(place)),
        None => to.push(term),
    }
}
