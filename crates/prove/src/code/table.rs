//! Jumps to a place out of a table: a constant word that is shifted by an index and masked.

use crate::term::{Node, Term, Terms};
use cairn_evm::{Opcode, Word, word};
use std::collections::BTreeMap;

/// Bits of an index that may be one or zero.
const MAX_BITS: usize = 8;

/// The place as a choice by the index; `None` if it is no such place.
pub(super) fn as_choice(terms: &mut Terms, target: Term) -> Option<Term> {
    let index = index_of(terms, target)?;
    let mut places: BTreeMap<Word, Vec<Word>> = BTreeMap::new();
    for value in values(terms, index)? {
        places.entry(place_of(terms, target, (index, value))?).or_default().push(value);
    }
    // The place of most indices needs no condition: it is that of all others.
    let most = places.iter().max_by_key(|(_, values)| values.len()).map(|(place, _)| *place)?;
    let mut choice = terms.word(most);
    for (place, values) in places.into_iter().filter(|(place, _)| *place != most) {
        let mut is_there = terms.zero;
        for value in values {
            let value = terms.word(value);
            let equal = terms.eq(index, value);
            is_there = terms.or(is_there, equal);
        }
        let place = terms.word(place);
        choice = terms.ite(is_there, place, choice);
    }
    Some(choice)
}

/// The word by which a constant is shifted, or of which a byte is taken.
fn index_of(terms: &Terms, target: Term) -> Option<Term> {
    match terms.node(target) {
        Node::Op(Opcode::SHR | Opcode::BYTE, args) if terms.as_word(args[1]).is_some() => Some(args[0]),
        Node::Op(Opcode::AND, args) if terms.as_word(args[1]).is_some() => index_of(terms, args[0]),
        Node::Sum(parts, _) if parts.len() == 1 => index_of(terms, parts[0].0),
        _ => None,
    }
}

/// All words that the bits of a term allow.
fn values(terms: &Terms, index: Term) -> Option<Vec<Word>> {
    let (fixed, possible) = (terms.facts(index).ones(), terms.facts(index).possible_ones());
    let free = possible & !fixed;
    if free.count_ones() > MAX_BITS {
        return None;
    }
    let mut all = vec![fixed];
    for bit in (0..256).filter(|bit| free.bit(*bit)) {
        let with: Vec<Word> = all.iter().map(|value| *value | Word::from(1) << bit).collect();
        all.extend(with);
    }
    Some(all)
}

/// The place when the index is a certain word.
fn place_of(terms: &Terms, target: Term, given: (Term, Word)) -> Option<Word> {
    if target == given.0 {
        return Some(given.1);
    }
    match terms.node(target) {
        Node::Const(word) => Some(*word),
        Node::Op(opcode, args) => {
            let words: Option<Vec<Word>> = args.iter().map(|arg| place_of(terms, *arg, given)).collect();
            word::eval(*opcode, &words?)
        }
        Node::Sum(parts, constant) => parts.iter().try_fold(*constant, |sum, (part, coefficient)| {
            Some(sum.wrapping_add(place_of(terms, *part, given)?.wrapping_mul(*coefficient)))
        }),
        Node::Ite(_) | Node::Leaf(..) => None,
    }
}
