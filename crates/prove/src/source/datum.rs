//! Values of EVM-IR: words, numbers of several words, composites.

use crate::machine::{Machine, Step, Stop};
use crate::term::Term;
use cairn_evm::{Word, word};
use cairn_ir::Type;

/// A value on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Datum {
    /// Nothing yet.
    None,
    /// At most 256 bits.
    Word(Term),
    /// More: words, the least significant first, with the upper bits of the last zero.
    Wide(Vec<Term>),
}

/// Bits of a value of the type.
///
/// # Errors
/// The machine does not describe fixed-point and floating-point numbers and composites.
pub(super) fn bits(ty: Type) -> Step<usize> {
    match ty {
        Type::Int(bits) => Ok(usize::from(bits)),
        Type::Bool => Ok(1),
        Type::Ptr(..) => Ok(256),
        Type::Ufixed(..) | Type::Fixed(..) => Stop::blocked("fixed-point numbers"),
        Type::Float(_) => Stop::blocked("floating-point numbers"),
        Type::Composite(_) => Stop::blocked("composites"),
        Type::Void | Type::Unreachable => Stop::blocked("a value without a type"),
    }
}

impl Datum {
    /// The words, the least significant first; as many as are asked for.
    pub(super) fn limbs(&self, machine: &Machine, count: usize) -> Vec<Term> {
        let mut limbs = match self {
            Datum::None => Vec::new(),
            Datum::Word(term) => vec![*term],
            Datum::Wide(limbs) => limbs.clone(),
        };
        limbs.resize(count, machine.terms.zero);
        limbs
    }

    /// A number cut to so many bits.
    pub(super) fn cut(machine: &mut Machine, mut limbs: Vec<Term>, bits: usize) -> Datum {
        let count = bits.div_ceil(256);
        limbs.resize(count, machine.terms.zero);
        if !bits.is_multiple_of(256) {
            let last = limbs[count - 1];
            limbs[count - 1] = machine.terms.and_word(last, word::low_mask(bits % 256));
        }
        match limbs[..] {
            [word] => Datum::Word(word),
            _ => Datum::Wide(limbs),
        }
    }

    /// A word cut to so many bits.
    pub(super) fn word(machine: &mut Machine, word: Term, bits: usize) -> Datum {
        Datum::cut(machine, vec![word], bits)
    }

    /// 1 if it is not zero.
    pub(super) fn truth(&self, machine: &mut Machine) -> Term {
        let limbs = self.limbs(machine, self.count());
        let mut result = machine.terms.zero;
        for limb in limbs {
            let truth = machine.terms.is_nonzero(limb);
            result = machine.terms.or(result, truth);
        }
        result
    }

    /// This one where the condition, 0 or 1, holds, else the other; `None` if they have not as many words.
    pub(super) fn choice(&self, other: &Datum, condition: Term, machine: &mut Machine) -> Option<Datum> {
        let mut choose = |yes: Term, no: Term| machine.terms.ite(condition, yes, no);
        match (self, other) {
            (Datum::Word(yes), Datum::Word(no)) => Some(Datum::Word(choose(*yes, *no))),
            (Datum::Wide(yes), Datum::Wide(no)) if yes.len() == no.len() => {
                Some(Datum::Wide(yes.iter().zip(no).map(|(yes, no)| choose(*yes, *no)).collect()))
            }
            _ => None,
        }
    }

    /// Number of words.
    pub(super) fn count(&self) -> usize {
        match self {
            Datum::None => 0,
            Datum::Word(_) => 1,
            Datum::Wide(limbs) => limbs.len(),
        }
    }
}

/// A constant of the type: negative numbers are two's complement of a word, cut.
pub(super) fn constant(machine: &mut Machine, word: Word, bits: usize) -> Datum {
    let term = machine.terms.word(word);
    Datum::word(machine, term, bits)
}
