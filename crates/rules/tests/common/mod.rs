//! Evaluation of rules, and their text for a prover.
#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) mod bits;
pub(crate) mod linear;
pub(crate) mod small;
pub(crate) mod smt;

use cairn_evm::{Word, word};
use cairn_rules::{Fact, Rule, Term};
use small::Small;

/// Random operands that are tried for a rule.
const N_RANDOM: usize = 4000;
/// Random operands of a few bits.
const N_SMALL_RANDOM: usize = 60_000;

/// A value with what is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<W> {
    pub(crate) value: W,
    lo: W,
    hi: W,
    ones: W,
    maybe: W,
}

impl<W: Copy> Known<W> {
    pub(crate) fn exactly(value: W) -> Known<W> {
        Known { value, lo: value, hi: value, ones: value, maybe: value }
    }

    pub(crate) fn fact(&self, fact: Fact) -> W {
        match fact {
            Fact::Lo => self.lo,
            Fact::Hi => self.hi,
            Fact::Ones => self.ones,
            Fact::Maybe => self.maybe,
        }
    }
}

/// Words near the places where semantics change.
pub(crate) fn edge_words() -> Vec<Word> {
    let small = [0u64, 1, 2, 7, 8, 16, 30, 31, 32, 96, 160, 248, 255, 256];
    let mut words: Vec<Word> = small.into_iter().map(Word::from).collect();
    words.extend([word::low_mask(160), !word::low_mask(96), word::MIN_SIGNED, word::MAX_SIGNED]);
    words.extend([Word::MAX, Word::MAX - Word::from(31), Word::from(1) << 128]);
    words
}

/// Numbers of values and constants that a term names.
pub(crate) fn names(term: &Term) -> (usize, usize) {
    let (mut values, mut consts) = (0, 0);
    term.for_each(&mut |term| match term {
        Term::Value(name) | Term::Fact(_, name) => values = values.max(usize::from(*name) + 1),
        Term::Const(name) => consts = consts.max(usize::from(*name) + 1),
        Term::Width | Term::Word(_) | Term::Op(..) => {}
    });
    (values, consts)
}

fn evaluate(term: &Term, values: &[Known<Word>], consts: &[Word]) -> Word {
    let value = term.evaluate(&|leaf| match leaf {
        Term::Value(name) => Some(values[usize::from(*name)].value),
        Term::Fact(fact, name) => Some(values[usize::from(*name)].fact(*fact)),
        Term::Const(name) => Some(consts[usize::from(*name)]),
        Term::Width | Term::Word(_) | Term::Op(..) => None,
    });
    value.expect("a pure opcode with its arity")
}

/// Looks for operands of 256 bits for which the conditions hold and the sides differ. Finding none
/// for which the conditions hold is a fault too.
pub(crate) fn refutation(rule: &Rule) -> Option<String> {
    let (n_values, n_consts) = names(&rule.from);
    let mut n_checked = 0;
    let mut check = |values: &[Known<Word>], consts: &[Word]| {
        if rule.when.iter().any(|condition| evaluate(condition, values, consts).is_zero()) {
            return None;
        }
        n_checked += 1;
        let (from, to) = (evaluate(&rule.from, values, consts), evaluate(&rule.to, values, consts));
        (from != to).then(|| format!("{from:x} is not {to:x} at {values:x?} {consts:x?}"))
    };
    let edges = edge_words();
    for words in tuples(&edges, (n_values + n_consts).min(3)) {
        let mut words = words.into_iter().cycle();
        let consts: Vec<Word> = words.by_ref().take(n_consts).collect();
        let values: Vec<Known<Word>> = words.take(n_values).map(Known::exactly).collect();
        if let Some(found) = check(&values, &consts) {
            return Some(found);
        }
    }
    let mut random = Random::of(rule);
    for _ in 0..N_RANDOM {
        let values: Vec<Known<Word>> = (0..n_values).map(|_| random.known()).collect();
        let consts: Vec<Word> = (0..n_consts).map(|_| random.operand()).collect();
        if let Some(found) = check(&values, &consts) {
            return Some(found);
        }
    }
    (n_checked == 0).then(|| "no operands meet the conditions".to_owned())
}

/// Looks for such operands of `width` bits: among all if there are at most two.
pub(crate) fn small_refutation(rule: &Rule, width: u32) -> Option<String> {
    let small = Small { width };
    let (n_values, n_consts) = names(&rule.from);
    let mut n_checked = 0;
    let mut check = |words: &[u64]| {
        let consts = &words[..n_consts];
        let values: Vec<Known<u64>> = words[n_consts..].iter().map(|word| Known::exactly(*word)).collect();
        if rule.when.iter().any(|condition| small.evaluate(condition, &values, consts) == 0) {
            return None;
        }
        n_checked += 1;
        let (from, to) =
            (small.evaluate(&rule.from, &values, consts), small.evaluate(&rule.to, &values, consts));
        (from != to).then(|| format!("{from:x} is not {to:x} at {width} bits at {values:x?} {consts:x?}"))
    };
    let n = n_values + n_consts;
    if n <= 2 {
        let all: Vec<u64> = (0..=small.max()).collect();
        return tuples(&all, n).iter().find_map(|words| check(words));
    }
    let mut random = Random::of(rule);
    for _ in 0..N_SMALL_RANDOM {
        let words: Vec<u64> = (0..n).map(|_| random.next() & small.max()).collect();
        if let Some(found) = check(&words) {
            return Some(found);
        }
    }
    (n_checked == 0).then(|| "no operands meet the conditions".to_owned())
}

/// All tuples of `n` words.
fn tuples<W: Copy>(words: &[W], n: usize) -> Vec<Vec<W>> {
    (0..n).fold(vec![vec![]], |tuples: Vec<Vec<W>>, _| {
        let extend = |tuple: &Vec<W>| {
            let tuple = tuple.clone();
            words.iter().map(move |word| tuple.iter().copied().chain([*word]).collect())
        };
        tuples.iter().flat_map(extend).collect()
    })
}

/// SplitMix64.
struct Random(u64);

impl Random {
    /// A seed for each rule.
    fn of(rule: &Rule) -> Random {
        Random(rule.name.bytes().fold(0x5eed, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte)))
    }

    fn next(&mut self) -> u64 {
        cairn_testkit::next_random(&mut self.0)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn word(&mut self) -> Word {
        Word::from_limbs([self.next(), self.next(), self.next(), self.next()])
    }

    /// A word near the places where semantics change, or any word.
    fn operand(&mut self) -> Word {
        match self.below(8) {
            0 => Word::from(self.below(4)),
            1 => Word::from(self.below(36)),
            2 => Word::from(8 * self.below(33)),
            3 => Word::from(1) << self.below(256) as usize,
            4 => (Word::from(1) << self.below(256) as usize).wrapping_sub(Word::from(self.below(3))),
            5 => Word::ZERO.wrapping_sub(Word::from(1) << self.below(256) as usize),
            6 => self.word() >> self.below(256) as usize,
            _ => self.word(),
        }
    }

    /// A value of which more or less is known.
    fn known(&mut self) -> Known<Word> {
        let value = self.operand();
        let mut known = Known::exactly(value);
        if self.below(3) > 0 {
            known.lo = known.lo.saturating_sub(self.operand());
            known.hi = known.hi.saturating_add(self.operand());
            known.ones &= self.word();
            known.maybe |= self.operand();
        }
        known
    }
}
