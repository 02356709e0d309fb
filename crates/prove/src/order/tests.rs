//! What holds of some words is never called impossible, and what memory is asked is decided.

use super::is_impossible;
use crate::term::eval::{Evaluation, Given};
use crate::term::{Leaf, Term, Terms};
use cairn_evm::{Opcode, Word, keccak256, word};

/// Random words, the same for each seed.
struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    fn word(&mut self) -> Word {
        self.drawn += 1;
        Word::from_be_bytes(keccak256([self.seed.to_be_bytes(), self.drawn.to_be_bytes()].concat()).0)
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.word() % Word::from(bound)).to()
    }

    /// Often at an edge.
    fn edge(&mut self) -> Word {
        let bits = self.below(257) as usize;
        match self.below(6) {
            0 => Word::ZERO,
            1 => word::low_mask(bits),
            2 => !word::low_mask(bits),
            3 => Word::from(self.below(200)),
            4 => Word::from(self.below(200)).wrapping_neg(),
            _ => self.word() & word::low_mask(bits),
        }
    }
}

const WIDTHS: [u16; 6] = [1, 8, 62, 64, 160, 256];

struct Words(Vec<Word>);

impl Given for Words {
    fn word(&self, leaf: Leaf, _: &[Word]) -> Word {
        match leaf {
            Leaf::Any(number, bits) => self.0[number as usize] & word::low_mask(bits.into()),
            _ => Word::ZERO,
        }
    }
}

/// A term of words and terms that were made before.
fn made(terms: &mut Terms, random: &mut Random, known: &[Term]) -> Term {
    let one = known[random.below(known.len() as u64) as usize];
    let other = known[random.below(known.len() as u64) as usize];
    match random.below(14) {
        0 => terms.add(one, other),
        1 => terms.sub(one, other),
        2 => terms.add_number(one, random.below(200)),
        3 => {
            let constant = terms.word(random.edge());
            terms.add(one, constant)
        }
        4 => terms.scale(one, Word::from(random.below(40))),
        5 => {
            let up = terms.add_number(one, 31);
            let mask = [!word::low_mask(5), word::low_mask(64) & !word::low_mask(5), word::low_mask(64)];
            let mask = mask[random.below(3) as usize];
            terms.and_word(up, mask)
        }
        6 => {
            let by = terms.number(random.below(70));
            terms.shr(by, one)
        }
        7 => {
            let by = terms.number(1 + random.below(70));
            terms.div(one, by)
        }
        8 => terms.lt(one, other),
        9 => terms.and(one, other),
        10 => terms.or(one, other),
        11 => terms.xor(one, other),
        12 => {
            let (common, others, by) = (terms.and(one, other), terms.xor(one, other), terms.one);
            let half = terms.shr(by, others);
            terms.add(common, half)
        }
        _ => terms.word(random.edge()),
    }
}

fn compared(terms: &mut Terms, random: &mut Random, known: &[Term]) -> Term {
    let [a, b] = [(); 2].map(|()| known[random.below(known.len() as u64) as usize]);
    let opcode = [Opcode::LT, Opcode::LT, Opcode::GT, Opcode::SLT, Opcode::EQ][random.below(5) as usize];
    terms.apply(opcode, &[a, b]).expect("arithmetic")
}

#[test]
fn what_holds_is_possible() {
    let mut decided = 0;
    for seed in 0..3_000 {
        let mut random = Random { seed, drawn: 0 };
        let mut terms = Terms::default();
        let words = Words((0..4).map(|_| random.edge()).collect());
        let mut known: Vec<Term> = (0..4)
            .map(|number| terms.leaf(Leaf::Any(number, WIDTHS[random.below(6) as usize]), &[]))
            .collect();
        for _ in 0..random.below(10) {
            let term = made(&mut terms, &mut random, &known);
            known.push(term);
        }
        let (mut conditions, mut wrong) = (Vec::new(), Vec::new());
        for _ in 0..1 + random.below(8) {
            let (one, other) =
                (compared(&mut terms, &mut random, &known), compared(&mut terms, &mut random, &known));
            let condition = match random.below(4) {
                0 => terms.or(one, other),
                1 => terms.and(one, other),
                _ => one,
            };
            let negation = terms.is_zero(condition);
            let holds = !Evaluation::new(&terms, &words).word(condition).is_zero();
            conditions.push(if holds { condition } else { negation });
            wrong.push(if holds { negation } else { condition });
        }
        assert!(!is_impossible(&terms, &conditions), "seed {seed}");
        // Not all can be told, but some must be.
        wrong.extend(&conditions);
        decided += usize::from(is_impossible(&terms, &wrong[conditions.len() - 1..]));
    }
    assert!(decided > 1_000, "{decided}");
}

/// What is copied to behind a rounded length does not reach what is behind that.
#[test]
fn regions_of_memory() {
    let mut terms = Terms::default();
    let [length, other] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 62), &[]));
    let up = terms.add_number(length, 31);
    let rounded = terms.and_word(up, !word::low_mask(5));
    let first = terms.number(160);
    let second = terms.add_number(rounded, 160);
    let third = terms.add(second, other);
    let overlap = |terms: &mut Terms, at: Term, length: Term, from: Term| {
        let offset = terms.sub(from, at);
        let back = terms.sub(at, from);
        let word = terms.number(32);
        let (begins, ends) = (terms.lt(offset, length), terms.lt(back, word));
        terms.or(begins, ends)
    };
    let is_some = terms.is_nonzero(length);
    for from in [second, third] {
        let question = overlap(&mut terms, first, length, from);
        assert!(is_impossible(&terms, &[question, is_some]));
    }
    let less = terms.number(8);
    let nearer = terms.sub(second, less);
    let question = overlap(&mut terms, first, length, nearer);
    assert!(!is_impossible(&terms, &[question, is_some]));
}

/// A word that is less than ten after ten times one more and a tenth of that has ten digits, no nine.
#[test]
fn chains_of_quotients() {
    let mut terms = Terms::default();
    let word = terms.leaf(Leaf::Any(0, 250), &[]);
    let ten = terms.number(10);
    let last = (0..10).fold(word, |word, _| {
        let next = terms.add_number(word, 1);
        terms.div(next, ten)
    });
    let is_done = terms.is_zero(last);
    for (bound, is_possible) in [(8_888_888_889, false), (8_888_888_888, true)] {
        let bound = terms.number(bound);
        let is_less = terms.lt(word, bound);
        let is_not_less = terms.is_zero(is_less);
        assert_eq!(!is_impossible(&terms, &[is_not_less, is_done]), is_possible);
    }
}

/// The mean of two words without a carry lies between them; which of them is the greater one counts.
#[test]
fn means() {
    let mut terms = Terms::default();
    let [low, high] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 256), &[]));
    let (common, one) = (terms.and(low, high), terms.number(1));
    let others = terms.xor(low, high);
    let half = terms.shr(one, others);
    let mean = terms.add(common, half);
    let (is_less, below, at_end) = (terms.lt(low, high), terms.lt(mean, low), terms.lt(mean, high));
    let not_below_end = terms.is_zero(at_end);
    assert!(is_impossible(&terms, &[is_less, below]) && is_impossible(&terms, &[is_less, not_below_end]));
    assert!(!is_impossible(&terms, &[below]) && !is_impossible(&terms, &[not_below_end]));
    // One more than the mean may be the end, and is no more.
    let next = terms.add(mean, one);
    let (is_end, is_behind) = (terms.eq(next, high), terms.lt(high, next));
    assert!(!is_impossible(&terms, &[is_less, is_end]) && is_impossible(&terms, &[is_less, is_behind]));
}

/// A word less a comparison that only holds if the word is not zero does not wrap.
#[test]
fn comparisons_as_numbers() {
    let mut terms = Terms::default();
    let [word, other] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 256), &[]));
    let is_more = terms.lt(other, word);
    let (less, more) = (terms.sub(word, is_more), terms.add(other, is_more));
    let wraps = [terms.lt(word, less), terms.lt(more, other)];
    assert!(wraps.iter().all(|wraps| is_impossible(&terms, &[*wraps])));
    let more = terms.add(word, is_more);
    let wraps = terms.lt(more, word);
    assert!(!is_impossible(&terms, &[wraps]));
}

/// A rounded word that is cut to 64 bits, and a condition on the same word with one bit more.
#[test]
fn masks_of_one_word() {
    let mut terms = Terms::default();
    let length = terms.leaf(Leaf::Any(0, 64), &[]);
    let up = terms.add_number(length, 63);
    let rounded = terms.and_word(up, word::low_mask(65) & !word::low_mask(5));
    let cut = terms.and_word(up, word::low_mask(64) & !word::low_mask(5));
    let limit = terms.word(word::low_mask(64) - Word::from(0x7f));
    let (is_near, ends_before) = (terms.lt(rounded, limit), terms.lt(cut, length));
    assert!(is_impossible(&terms, &[ends_before, is_near]));
    // The bit that is cut off counts.
    assert!(!is_impossible(&terms, &[ends_before]));
}

/// The middle of a range that is searched by halves, begun a root of its length before the end, is no last word.
#[test]
fn middles_behind_a_root() {
    let mut terms = Terms::default();
    let length = terms.leaf(Leaf::Any(0, 256), &[]);
    let one = terms.one;
    let start = terms.word(Word::from(3) << 126);
    let root = (0..6).fold(start, |root, _| {
        let quotient = terms.div(length, root);
        let sum = terms.add(root, quotient);
        terms.shr(one, sum)
    });
    let quotient = terms.div(length, root);
    let is_more = terms.lt(quotient, root);
    let root = terms.sub(root, is_more);
    let middle = |terms: &mut Terms, low: Term| {
        let (common, others) = (terms.and(low, length), terms.xor(low, length));
        let half = terms.shr(one, others);
        terms.add(common, half)
    };
    let bound = terms.word(Word::from(1) << 254);
    let is_short = terms.lt(length, bound);
    let is_long = terms.is_zero(is_short);
    let mut conditions = vec![is_long];
    let before = terms.sub(length, root);
    let wraps = terms.lt(length, before);
    conditions.push(terms.is_zero(wraps));
    let mut low = terms.add(before, one);
    let wraps = terms.lt(low, before);
    conditions.push(terms.is_zero(wraps));
    for _ in 0..2 {
        conditions.push(terms.lt(low, length));
        let mid = middle(&mut terms, low);
        low = terms.add(mid, one);
        let wraps = terms.lt(low, mid);
        let ends = terms.lt(length, low);
        for fault in [wraps, ends] {
            assert!(is_impossible(&terms, &[&conditions[..], &[fault]].concat()));
        }
        assert!(!is_impossible(&terms, &conditions));
        conditions.push(terms.is_zero(wraps));
    }
}
