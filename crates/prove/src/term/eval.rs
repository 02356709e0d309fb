//! What a term is when the inputs are known.

use super::{Leaf, Node, Term, Terms};
use cairn_evm::{Opcode, Word, keccak256, word};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Words of leaves.
pub trait Given {
    /// The word of a leaf whose operands have these words; not asked for hashes of known length.
    fn word(&self, leaf: Leaf, args: &[Word]) -> Word;

    /// The hash of words, where it is not to be computed.
    fn hash(&self, _: Leaf, _: &[Word]) -> Option<Word> {
        None
    }
}

/// Words of leaves by operands; zero for those not in it.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The words.
    pub words: BTreeMap<(Leaf, Vec<Word>), Word>,
}

/// A model with the hashes that it says, which are only as far from each other as real ones.
pub(crate) struct Invented<'a>(pub(crate) &'a Model);

impl Given for Invented<'_> {
    fn word(&self, leaf: Leaf, args: &[Word]) -> Word {
        self.0.word(leaf, args)
    }

    fn hash(&self, leaf: Leaf, args: &[Word]) -> Option<Word> {
        self.0.words.get(&(leaf, args.to_vec())).copied()
    }
}

impl Given for Model {
    fn word(&self, leaf: Leaf, args: &[Word]) -> Word {
        self.words.get(&(leaf, args.to_vec())).copied().unwrap_or_default()
    }
}

/// Words of terms under an assignment, computed once each.
pub struct Evaluation<'a> {
    terms: &'a Terms,
    given: &'a dyn Given,
    known: FxHashMap<Term, Word>,
}

impl<'a> Evaluation<'a> {
    /// Nothing is computed yet.
    pub fn new(terms: &'a Terms, given: &'a dyn Given) -> Self {
        Evaluation { terms, given, known: FxHashMap::default() }
    }

    /// Computes all at once.
    pub fn prepare(&mut self, terms: &[Term]) {
        for part in self.terms.below(terms) {
            if !self.known.contains_key(&part) {
                let word = self.compute(part);
                self.known.insert(part, word);
            }
        }
    }

    /// The word of a term.
    pub fn word(&mut self, term: Term) -> Word {
        if !self.known.contains_key(&term) {
            self.prepare(&[term]);
        }
        self.known[&term]
    }

    /// The word of a term whose operands are computed.
    fn compute(&self, term: Term) -> Word {
        let words = |args: &[Term]| -> Vec<Word> { args.iter().map(|arg| self.known[arg]).collect() };
        match self.terms.node(term) {
            Node::Const(word) => *word,
            Node::Sum(parts, constant) => parts.iter().fold(*constant, |sum, (part, coefficient)| {
                sum.wrapping_add(self.known[part].wrapping_mul(*coefficient))
            }),
            Node::Op(opcode, args) => evaluate(*opcode, &words(args)),
            Node::Ite([condition, yes, no]) => {
                self.known[if self.known[condition].is_zero() { no } else { yes }]
            }
            Node::Leaf(leaf @ Leaf::Keccak(length), args) => {
                let words = words(args);
                self.given.hash(*leaf, &words).unwrap_or_else(|| hash(&words, *length as usize))
            }
            Node::Leaf(leaf, args) => self.given.word(*leaf, &words(args)),
        }
    }
}

fn evaluate(opcode: Opcode, words: &[Word]) -> Word {
    word::eval(opcode, words).expect("invariant: terms are made of arithmetic opcodes")
}

/// Keccak-256 of the first bytes of words.
pub fn hash(words: &[Word], length: usize) -> Word {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes::<32>()).collect();
    bytes.truncate(length);
    Word::from_be_bytes(keccak256(bytes).0)
}

#[cfg(test)]
pub(crate) mod testing {
    //! Words for the tests of terms.

    use super::*;

    /// Words of the leaves with the numbers 0 and 1, cut to the leaf's bits.
    pub(crate) struct Numbered(pub(crate) [Word; 2]);

    impl Given for Numbered {
        fn word(&self, leaf: Leaf, _: &[Word]) -> Word {
            match leaf {
                Leaf::Any(number, bits) => self.0[number as usize] & word::low_mask(bits.into()),
                _ => Word::ZERO,
            }
        }
    }
}
