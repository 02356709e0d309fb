//! Opcodes on numbers of several words, the least significant first.
//!
//! Sums, bits, comparisons, products and shifts by constants are described; the rest is not.

use crate::machine::{Machine, Step, Stop};
use crate::term::{Term, Terms};
use cairn_evm::{Opcode, Word};

/// What an opcode gives on operands of equally many words; bits above the width of the result are
/// not cut.
pub(super) fn apply(
    machine: &mut Machine,
    opcode: Opcode,
    args: &[Vec<Term>],
    width: usize,
) -> Step<Vec<Term>> {
    let terms = &mut machine.terms;
    let result = match (opcode, args) {
        (Opcode::ADD, [a, b]) => {
            let carry = terms.zero;
            add(terms, a, b, carry)
        }
        (Opcode::SUB, [a, b]) => {
            let inverted: Vec<Term> = b.iter().map(|limb| terms.not(*limb)).collect();
            let carry = terms.one;
            add(terms, a, &inverted, carry)
        }
        (Opcode::MUL, [a, b]) => mul(terms, a, b),
        (Opcode::AND | Opcode::OR | Opcode::XOR, [a, b]) => {
            let pairs = a.iter().zip(b);
            pairs.map(|(a, b)| terms.apply(opcode, &[*a, *b]).unwrap_or(terms.zero)).collect()
        }
        (Opcode::NOT, [a]) => a.iter().map(|limb| terms.not(*limb)).collect(),
        (Opcode::ISZERO, [a]) => vec![is_zero(terms, a)],
        (Opcode::EQ, [a, b]) => {
            let differing: Vec<Term> = a.iter().zip(b).map(|(a, b)| terms.xor(*a, *b)).collect();
            vec![is_zero(terms, &differing)]
        }
        (Opcode::LT, [a, b]) => vec![lt(terms, a, b)],
        (Opcode::GT, [a, b]) => vec![lt(terms, b, a)],
        (Opcode::SHL | Opcode::SHR, [by, a]) => match amount(terms, by) {
            Some(by) if by >= Word::from(width) => vec![terms.zero; a.len()],
            Some(by) if opcode == Opcode::SHL => shl(terms, a, by.to()),
            Some(by) => shr(terms, a, by.to()),
            None => return Stop::blocked("a wide shift by an amount that is not known"),
        },
        _ => return Stop::blocked(format!("wide {}", opcode.known().lower)),
    };
    Ok(result)
}

fn amount(terms: &Terms, by: &[Term]) -> Option<Word> {
    let words: Option<Vec<Word>> = by.iter().map(|limb| terms.as_word(*limb)).collect();
    let words = words?;
    let is_small = words[1..].iter().all(|word| word.is_zero());
    Some(if is_small { words[0] } else { Word::MAX })
}

fn add(terms: &mut Terms, a: &[Term], b: &[Term], mut carry: Term) -> Vec<Term> {
    let mut result = Vec::new();
    for (a, b) in a.iter().zip(b) {
        let partial = terms.add(*a, *b);
        let sum = terms.add(partial, carry);
        let (first, second) = (terms.lt(partial, *a), terms.lt(sum, partial));
        carry = terms.or(first, second);
        result.push(sum);
    }
    result
}

fn is_zero(terms: &mut Terms, a: &[Term]) -> Term {
    let mut any = terms.zero;
    for limb in a {
        any = terms.or(any, *limb);
    }
    terms.is_zero(any)
}

fn lt(terms: &mut Terms, a: &[Term], b: &[Term]) -> Term {
    let mut result = terms.zero;
    for (a, b) in a.iter().zip(b) {
        let (less, equal) = (terms.lt(*a, *b), terms.eq(*a, *b));
        let lower = terms.and(equal, result);
        result = terms.or(less, lower);
    }
    result
}

fn mul(terms: &mut Terms, a: &[Term], b: &[Term]) -> Vec<Term> {
    let count = a.len();
    let mut result = vec![terms.zero; count];
    for (index, a) in a.iter().enumerate() {
        for (other, b) in b.iter().enumerate().take(count - index) {
            let (low, high) = product(terms, *a, *b);
            let mut addend = vec![terms.zero; count];
            addend[index + other] = low;
            if index + other + 1 < count {
                addend[index + other + 1] = high;
            }
            let carry = terms.zero;
            result = add(terms, &result, &addend, carry);
        }
    }
    result
}

/// The two words of a product.
pub(super) fn product(terms: &mut Terms, a: Term, b: Term) -> (Term, Term) {
    let low = terms.mul(a, b);
    let greatest = terms.word(Word::MAX);
    let rest = terms.apply(Opcode::MULMOD, &[a, b, greatest]).unwrap_or(terms.zero);
    let borrow = terms.lt(rest, low);
    let difference = terms.sub(rest, low);
    (low, terms.sub(difference, borrow))
}

fn shl(terms: &mut Terms, a: &[Term], by: usize) -> Vec<Term> {
    let (words, bits) = (by / 256, by % 256);
    let limb = |index: usize| index.checked_sub(words).and_then(|index| a.get(index)).copied();
    (0..a.len()).map(|index| join(terms, limb(index), index.checked_sub(1).and_then(limb), bits)).collect()
}

/// The upper part of the word `above` and what moves into it from `below`.
fn join(terms: &mut Terms, above: Option<Term>, below: Option<Term>, bits: usize) -> Term {
    let above = above.unwrap_or(terms.zero);
    let moved = terms.scale(above, Word::from(1) << bits);
    let Some(below) = below.filter(|_| bits > 0) else { return moved };
    let by = terms.number(256 - bits as u64);
    let carried = terms.shr(by, below);
    terms.or(moved, carried)
}

fn shr(terms: &mut Terms, a: &[Term], by: usize) -> Vec<Term> {
    let (words, bits) = (by / 256, by % 256);
    let limb = |index: usize| a.get(index + words).copied();
    let mut result = Vec::new();
    for index in 0..a.len() {
        result.push(match (limb(index), limb(index + 1)) {
            (None, _) => terms.zero,
            (Some(limb), _) if bits == 0 => limb,
            (Some(limb), above) => {
                let by = terms.number(bits as u64);
                let moved = terms.shr(by, limb);
                let above = above.unwrap_or(terms.zero);
                let carried = terms.scale(above, Word::from(1) << (256 - bits));
                terms.or(moved, carried)
            }
        });
    }
    result
}
