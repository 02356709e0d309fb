//! Words of inputs with which a term is a wanted word.
//!
//! From the term down: one operand is to become what makes the word, the others stay what they are in the model. Where
//! several words do it, one near to what the operand is now is wanted, so that less of what else hold changes. Source:
//! A. Niemetz, M. Preiner, A. Biere, *Precise and Complete Propagation Based Local Search for Satisfiability Modulo
//! Theories*, CAV 2016 (inverse values); here all operands are followed, not one by chance.

use crate::order::Truth;
use crate::term::eval::Evaluation;
use crate::term::{Node, Term, Terms};
use cairn_evm::{Opcode, Word, word};

/// Words that are found for a term at most.
const MAX_FOUND: usize = 16;
/// How far below the term inputs are looked for.
const MAX_DEPTH: usize = 40;
/// Terms that are looked at: a term is come to on as many ways as lead to it, each with a word of its own.
const MAX_WANTED: usize = 1000;

/// What inputs would have to be.
struct Inverse<'a, 'e> {
    terms: &'a Terms,
    /// The model that they are to be changed in.
    now: &'e mut Evaluation<'a>,
    found: Vec<(Term, Word)>,
    /// How many terms were looked at.
    wanted: usize,
}

/// Inputs below a condition that does not hold, and a word for each with which it is likely to.
pub(super) fn inputs_for<'a>(
    terms: &'a Terms,
    now: &mut Evaluation<'a>,
    condition: Term,
) -> Vec<(Term, Word)> {
    let mut inverse = Inverse { terms, now, found: Vec::new(), wanted: 0 };
    inverse.want_truth(condition, Truth::Holds, MAX_DEPTH);
    inverse.found
}

impl Inverse<'_, '_> {
    /// The term is to be zero or not.
    fn want_truth(&mut self, term: Term, wish: Truth, depth: usize) {
        if wish == Truth::of(self.now.word(term)) {
            return;
        }
        self.want(term, wish.word(), depth);
        if wish == Truth::Holds && !self.terms.facts(term).is_bool() {
            self.want(term, self.terms.facts(term).hi(), depth);
        }
    }

    /// The term is to be this word.
    fn want(&mut self, term: Term, wanted: Word, depth: usize) {
        self.wanted += 1;
        let is_enough = depth == 0 || self.found.len() >= MAX_FOUND || self.wanted > MAX_WANTED;
        if is_enough || !self.terms.facts(term).has(wanted) || self.now.word(term) == wanted {
            return;
        }
        let (terms, depth) = (self.terms, depth - 1);
        match terms.node(term) {
            Node::Const(_) => {}
            Node::Leaf(leaf, _) if leaf.is_hash() => {}
            Node::Leaf(..) => {
                if !self.found.contains(&(term, wanted)) {
                    self.found.push((term, wanted));
                }
            }
            Node::Sum(parts, _) => {
                let gap = wanted.wrapping_sub(self.now.word(term));
                for (part, coefficient) in parts {
                    if let Some(more) = quotient(gap, *coefficient) {
                        let word = self.now.word(*part).wrapping_add(more);
                        self.want(*part, word, depth);
                    }
                }
            }
            Node::Ite([condition, yes, no]) => {
                let now = Truth::of(self.now.word(*condition));
                let (taken, other) = if now == Truth::Holds { (*yes, *no) } else { (*no, *yes) };
                self.want(taken, wanted, depth);
                if self.now.word(other) == wanted {
                    self.want_truth(*condition, now.other(), depth);
                }
            }
            Node::Op(opcode, args) => self.want_of(*opcode, args, wanted, depth),
        }
    }

    /// The operation is to make this word.
    fn want_of(&mut self, opcode: Opcode, args: &[Term], wanted: Word, depth: usize) {
        let wish = Truth::of(wanted);
        match opcode {
            Opcode::EQ => self.want_equal([args[0], args[1]], wish, depth),
            Opcode::LT => self.want_less([args[0], args[1]], wish, depth, Word::ZERO),
            Opcode::SLT => self.want_less([args[0], args[1]], wish, depth, word::MIN_SIGNED),
            _ => {
                let words: Vec<Word> = args.iter().map(|arg| self.now.word(*arg)).collect();
                for (index, arg) in args.iter().enumerate() {
                    if let Some(word) = operand(opcode, &words, index, wanted) {
                        self.want(*arg, word, depth);
                    }
                }
            }
        }
    }

    fn want_equal(&mut self, args: [Term; 2], wish: Truth, depth: usize) {
        let [a, b] = args.map(|arg| self.now.word(arg));
        if wish == Truth::Holds {
            self.want(args[0], b, depth);
            self.want(args[1], a, depth);
            return;
        }
        let one = Word::from(1);
        for (arg, word) in args.into_iter().zip([a, b]) {
            for other in [word.wrapping_add(one), word.wrapping_sub(one), self.terms.facts(arg).hi()] {
                self.want(arg, other, depth);
            }
        }
    }

    /// One is to be less than the other, or not, in the order that begins at a word.
    fn want_less(&mut self, args: [Term; 2], wish: Truth, depth: usize, least: Word) {
        let words = args.map(|arg| self.now.word(arg));
        let greatest = least.wrapping_sub(Word::from(1));
        // Where it is not to be less, the other one is to be as much or less.
        let [low, high] = if wish == Truth::Holds { [0, 1] } else { [1, 0] };
        let step = wish.word();
        if step.is_zero() || words[high] != least {
            self.want(args[low], words[high].wrapping_sub(step), depth);
        }
        if step.is_zero() || words[low] != greatest {
            self.want(args[high], words[low].wrapping_add(step), depth);
        }
        let ends = match least.is_zero() {
            true => [self.terms.facts(args[low]).lo(), self.terms.facts(args[high]).hi()],
            false => [least, greatest],
        };
        self.want(args[low], ends[0], depth);
        self.want(args[high], ends[1], depth);
    }
}

/// What one operand has to be for an operation to make a word, where the others are what they are; as near to what it
/// is now as is plain, and `None` where none does or none is plain.
fn operand(opcode: Opcode, words: &[Word], index: usize, wanted: Word) -> Option<Word> {
    let own = words[index];
    let other = *words.get(1 - index.min(1))?;
    let shift = usize::try_from(words[0]).ok().filter(|shift| *shift < 256);
    let word = match (opcode, index) {
        (Opcode::AND, _) => (own & !other) | wanted,
        (Opcode::OR, _) => (own & other) | (wanted & !other),
        (Opcode::XOR, _) => wanted ^ other,
        (Opcode::MUL, _) => own.wrapping_add(quotient(wanted.wrapping_sub(own.wrapping_mul(other)), other)?),
        (Opcode::SHR | Opcode::SAR, 1) => (wanted << shift?) | (own & word::low_mask(shift?)),
        (Opcode::SHL, 1) => (wanted >> shift?) | (own & !(Word::MAX >> shift?)),
        (Opcode::BYTE, 1) => {
            let up = 8 * 31_usize.checked_sub(shift?)?;
            (own & !(Word::from(0xff) << up)) | (wanted << up)
        }
        (Opcode::SIGNEXTEND, 1) => {
            let kept = word::low_mask((8 * shift? + 8).min(256));
            (own & !kept) | (wanted & kept)
        }
        (Opcode::DIV, 0) => wanted.wrapping_mul(other).wrapping_add(own.checked_rem(other)?),
        (Opcode::MOD, 0) => own.wrapping_sub(own.checked_rem(other)?).wrapping_add(wanted),
        _ => return None,
    };
    let changed: Vec<Word> = (0..words.len()).map(|at| if at == index { word } else { words[at] }).collect();
    (word::eval(opcode, &changed) == Some(wanted)).then_some(word)
}

/// A word whose product with a factor, modulo 2^256, is this one; of those for a power of two the one next to zero as a
/// signed number.
fn quotient(product: Word, factor: Word) -> Option<Word> {
    let zeros = factor.trailing_zeros();
    if zeros == 256 || product.trailing_zeros() < zeros {
        return None;
    }
    let inverse = (factor >> zeros).inv_ring()?;
    Some(product.arithmetic_shr(zeros).wrapping_mul(inverse))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Leaf;
    use crate::term::eval::Model;
    use std::collections::BTreeSet;

    fn w(number: u64) -> Word {
        Word::from(number)
    }

    /// Of every opcode that makes a word, on all words of a few.
    #[test]
    fn operands_make_what_is_wanted() {
        let few = [w(0), w(7), w(12), w(0xff00), Word::MAX, word::MIN_SIGNED];
        let mut found = BTreeSet::new();
        for opcode in Opcode::all().filter(|opcode| opcode.is_arithmetic()) {
            let count = usize::from(opcode.known().inputs);
            for number in 0..few.len().pow(count as u32 + 1) {
                let mut all = (0..=count).map(|at| few[number / few.len().pow(at as u32) % few.len()]);
                let wanted = all.next().expect("one more than operands");
                let mut words: Vec<Word> = all.collect();
                for index in 0..count {
                    let Some(word) = operand(opcode, &words, index, wanted) else { continue };
                    let before = std::mem::replace(&mut words[index], word);
                    assert_eq!(word::eval(opcode, &words), Some(wanted), "{opcode:?} {words:?}");
                    words[index] = before;
                    found.insert(opcode);
                }
            }
        }
        assert_eq!(found.len(), 11, "{found:?}");
    }

    #[test]
    fn inputs_below_shifts_and_masks_are_found() {
        let mut terms = Terms::default();
        let word = terms.leaf(Leaf::Any(0, 256), &[]);
        let by = terms.number(160);
        let shifted = terms.shr(by, word);
        let field = terms.and_word(shifted, w(0xffff));
        let limit = terms.number(1000);
        let is_more = terms.lt(limit, field);
        let mut model = Model::default();
        let kept = (w(5) << 200) | w(77);
        model.words.insert((Leaf::Any(0, 256), vec![]), kept);
        let given = model.clone();
        let mut now = Evaluation::new(&terms, &given);
        let found = inputs_for(&terms, &mut now, is_more);
        // The rest of the word stays as it is.
        assert!(found.contains(&(word, kept | (w(1001) << 160))), "{found:?}");
        for (_, input) in found {
            model.words.insert((Leaf::Any(0, 256), vec![]), input);
            assert!(!Evaluation::new(&terms, &model).word(is_more).is_zero());
        }
    }

    /// Each word comes to the one before on two ways, and the first one is a hash, which is not chosen.
    #[test]
    fn many_ways_end() {
        let mut terms = Terms::default();
        let [seven, mut word] = [terms.number(7), terms.leaf(Leaf::KeccakOfRegion(0), &[])];
        for _ in 0..MAX_DEPTH / 2 {
            let moved = terms.shr(seven, word);
            word = terms.xor(word, moved);
        }
        let nine = terms.number(9);
        let condition = terms.eq(word, nine);
        let given = Model::default();
        let mut now = Evaluation::new(&terms, &given);
        let mut inverse = Inverse { terms: &terms, now: &mut now, found: Vec::new(), wanted: 0 };
        inverse.want_truth(condition, Truth::Holds, MAX_DEPTH);
        assert!(inverse.found.is_empty());
        assert!(inverse.wanted > MAX_WANTED, "{}", inverse.wanted);
    }

    #[test]
    fn parts_of_sums_are_moved_by_quotients() {
        assert_eq!(quotient(w(12), w(4)), Some(w(3)));
        assert_eq!(quotient(w(12).wrapping_neg(), w(4)), Some(w(3).wrapping_neg()));
        assert_eq!(quotient(w(12), w(8)), None);
        assert_eq!(quotient(w(12), Word::ZERO), None);
        assert_eq!(quotient(w(25), w(5).wrapping_neg()), Some(w(5).wrapping_neg()));
        let near = quotient(w(7), w(3)).expect("odd");
        assert_eq!(near.wrapping_mul(w(3)), w(7));
    }
}
