//! Every rewriting of a term keeps its word: random expressions are built twice, as a term and as a
//! word, and the term's facts hold for the word. Operands are those on which rewritings turn.

use cairn_evm::{Opcode, Word, keccak256, word};
use cairn_prove::term::eval::{Evaluation, Given};
use cairn_prove::term::{Leaf, Term, Terms};
use proptest::prelude::*;

/// An expression.
#[derive(Clone, Debug)]
enum Tree {
    Const(Word),
    Input(u8),
    Op(Opcode, Vec<Tree>),
    Ite(Box<[Tree; 3]>),
}

/// The words of the leaves `Any(0, …)` to `Any(2, …)`.
struct Three([Word; 3]);

impl Given for Three {
    fn word(&self, leaf: Leaf, _: &[Word]) -> Word {
        match leaf {
            Leaf::Any(number, _) => self.0[number as usize],
            _ => Word::ZERO,
        }
    }
}

/// Inputs whose words depend on a seed: often at the edges.
struct Seeded(u64);

const NARROW: [u16; 4] = [1, 8, 64, 160];

impl Seeded {
    fn edge(&self, number: u64) -> Word {
        let bytes = [self.0.to_be_bytes(), number.to_be_bytes()].concat();
        let hash = Word::from_be_bytes(keccak256(bytes).0);
        match hash.byte(0) % 8 {
            0 => Word::ZERO,
            1 => Word::from(1),
            2 => Word::MAX,
            3 => word::MIN_SIGNED,
            4 => word::low_mask(usize::from(hash.byte(1))),
            5 => Word::from(hash.byte(2)),
            6 => hash >> 128,
            _ => hash,
        }
    }
}

impl Given for Seeded {
    fn word(&self, leaf: Leaf, args: &[Word]) -> Word {
        match leaf {
            Leaf::Any(number, bits) => self.edge(number.into()) & word::low_mask(bits.into()),
            _ => self.edge(1000 + args.len() as u64),
        }
    }
}

fn leaf_of(index: u8) -> Leaf {
    let index = index % 8;
    match NARROW.get(usize::from(index)) {
        Some(bits) => Leaf::Any(index.into(), *bits),
        None => Leaf::Any(index.into(), 256),
    }
}

fn term(terms: &mut Terms, tree: &Tree) -> Term {
    match tree {
        Tree::Const(word) => terms.word(*word),
        Tree::Input(index) => terms.leaf(leaf_of(*index), &[]),
        Tree::Op(opcode, args) => {
            let args: Vec<Term> = args.iter().map(|arg| term(terms, arg)).collect();
            terms.apply(*opcode, &args).expect("arithmetic")
        }
        Tree::Ite(args) => {
            let condition = term(terms, &args[0]);
            let condition = terms.is_nonzero(condition);
            let (yes, no) = (term(terms, &args[1]), term(terms, &args[2]));
            terms.ite(condition, yes, no)
        }
    }
}

fn value(given: &Seeded, tree: &Tree) -> Word {
    match tree {
        Tree::Const(word) => *word,
        Tree::Input(index) => given.word(leaf_of(*index), &[]),
        Tree::Op(opcode, args) => {
            let args: Vec<Word> = args.iter().map(|arg| value(given, arg)).collect();
            word::eval(*opcode, &args).expect("arithmetic")
        }
        Tree::Ite(args) => value(given, &args[if value(given, &args[0]).is_zero() { 2 } else { 1 }]),
    }
}

fn constants() -> impl Strategy<Value = Word> {
    prop_oneof![
        (0u64..300).prop_map(Word::from),
        (0usize..=256).prop_map(word::low_mask),
        (0usize..256).prop_map(|bit| Word::from(1) << bit),
        (0usize..=256).prop_map(|bits| !word::low_mask(bits)),
        (0usize..32).prop_map(|byte| Word::from(0xff) << (8 * byte)),
        Just(word::MIN_SIGNED),
        any::<[u64; 4]>().prop_map(Word::from_limbs),
        (0u64..300).prop_map(|number| Word::from(number).wrapping_neg()),
    ]
}

fn opcodes() -> impl Strategy<Value = Opcode> {
    let all: Vec<Opcode> = Opcode::all().filter(|opcode| opcode.is_arithmetic()).collect();
    // Those that have more rules come more often.
    let often = [Opcode::ADD, Opcode::SUB, Opcode::AND, Opcode::OR, Opcode::SHL, Opcode::SHR, Opcode::EQ]
        .into_iter()
        .chain([Opcode::LT, Opcode::SLT, Opcode::ISZERO, Opcode::SIGNEXTEND, Opcode::SAR, Opcode::NOT]);
    let often: Vec<Opcode> = often.collect();
    prop_oneof![proptest::sample::select(all), proptest::sample::select(often)]
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![constants().prop_map(Tree::Const), any::<u8>().prop_map(Tree::Input)];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let operation =
            (opcodes(), proptest::collection::vec(inner.clone(), 3)).prop_map(|(opcode, mut args)| {
                args.truncate(opcode.known().inputs.into());
                Tree::Op(opcode, args)
            });
        let choice = proptest::array::uniform3(inner).prop_map(|args| Tree::Ite(Box::new(args)));
        prop_oneof![9 => operation, 1 => choice]
    })
}

fn holds(terms: &Terms, term: Term, word: Word) -> bool {
    let facts = terms.facts(term);
    facts.lo() <= word
        && word <= facts.hi()
        && (word & !facts.possible_ones()).is_zero()
        && word & facts.ones() == facts.ones()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn terms_are_what_they_are_made_of(tree in trees(), seeds in any::<[u64; 6]>()) {
        let mut terms = Terms::default();
        let term = term(&mut terms, &tree);
        for seed in seeds {
            let given = Seeded(seed);
            let mut evaluation = Evaluation::new(&terms, &given);
            let word = evaluation.word(term);
            prop_assert_eq!(word, value(&given, &tree), "{}", cairn_prove::term::show(&terms, term, 9));
            for part in terms.below(&[term]) {
                let word = evaluation.word(part);
                prop_assert!(holds(&terms, part, word), "{}", cairn_prove::term::show(&terms, part, 9));
            }
        }
    }

    /// Two expressions of the same operands are one term only if they are always the same word.
    #[test]
    fn equal_terms_are_equal_words(a in trees(), b in trees(), seed: u64) {
        let mut terms = Terms::default();
        let (x, y) = (term(&mut terms, &a), term(&mut terms, &b));
        let (equal, less) = (terms.eq(x, y), terms.lt(x, y));
        let given = Seeded(seed);
        let (v, w) = (value(&given, &a), value(&given, &b));
        let mut evaluation = Evaluation::new(&terms, &given);
        prop_assert_eq!(evaluation.word(equal), Word::from(u64::from(v == w)));
        prop_assert_eq!(evaluation.word(less), Word::from(u64::from(v < w)));
    }
}

/// Words put together of their own parts are themselves again.
#[test]
fn parts_of_a_word_make_the_word() {
    let mut terms = Terms::default();
    let word = terms.leaf(Leaf::Any(9, 256), &[]);
    let mut sum = terms.zero;
    for index in 0..32 {
        let byte = terms.byte_at(index, word);
        let moved = terms.scale(byte, Word::from(1) << (8 * (31 - index)));
        sum = terms.add(sum, moved);
    }
    assert_eq!(sum, word);
    let low = terms.and_word(word, word::low_mask(96));
    let high = terms.sub(word, low);
    let masked = terms.and_word(word, !word::low_mask(96));
    assert_eq!(high, masked);
}

/// Steps towards a root: sums of a word and what a number divided by it is, where they are least.
#[test]
fn means_with_quotients() {
    let word = |number: u64| Word::from(number);
    let half = Word::MAX >> 1;
    let edges =
        [word(0), word(1), word(2), word(3), word(7), half, half + word(1), Word::MAX - word(1), Word::MAX];
    let mut terms = Terms::default();
    let [x, y] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 256), &[]));
    let quotient = terms.div(y, x);
    let sum = terms.add(quotient, x);
    let mean = terms.apply(Opcode::SHR, &[terms.one, sum]).expect("arithmetic");
    let is_zero = terms.is_zero(mean);
    let bounds = [0, 1, 2, 3].map(|bound| terms.number(bound));
    let less = bounds.map(|bound| terms.lt(sum, bound));
    for (a, b) in edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b))) {
        let given = Two([a, b]);
        let mut evaluation = Evaluation::new(&terms, &given);
        let expected: Word = a.wrapping_add(if a.is_zero() { word(0) } else { b / a });
        assert_eq!(evaluation.word(sum), expected);
        assert_eq!(evaluation.word(is_zero), Word::from(u64::from(expected < word(2))), "{a} {b}");
        for (bound, less) in less.iter().enumerate() {
            let is_less = expected < word(bound as u64);
            assert_eq!(evaluation.word(*less), Word::from(u64::from(is_less)), "{a} {b} {bound}");
        }
    }
}

/// Quotients of quotients by constants, and what they are compared with, where they turn.
#[test]
fn quotients_of_quotients() {
    let word = |number: u64| Word::from(number);
    let divisors = [word(3), word(10), word(1000), (word(1) << 200) + word(7), Word::MAX, word(16)];
    let bounds = [word(0), word(1), word(2), word(10), Word::MAX / word(30), Word::MAX];
    for (first, second) in divisors.iter().flat_map(|a| divisors.iter().map(move |b| (*a, *b))) {
        let mut terms = Terms::default();
        let x = terms.leaf(Leaf::Any(9, 256), &[]);
        let (a, b) = (terms.word(first), terms.word(second));
        let inner = terms.div(x, a);
        let quotient = terms.div(inner, b);
        let product = first.checked_mul(second).unwrap_or(Word::MAX);
        let mut edges = vec![word(0), first, product, Word::MAX, Word::MAX / word(7)];
        for bound in bounds {
            edges.push(product.wrapping_mul(bound));
        }
        for bound in bounds {
            let limit = terms.word(bound);
            let (less, equal) = (terms.lt(quotient, limit), terms.eq(quotient, limit));
            for edge in edges.iter().flat_map(|edge| [edge.wrapping_sub(word(1)), *edge]) {
                let given = One(edge);
                let mut evaluation = Evaluation::new(&terms, &given);
                let expected = edge / first / second;
                assert_eq!(evaluation.word(quotient), expected, "{edge} / {first} / {second}");
                assert_eq!(evaluation.word(less), Word::from(u64::from(expected < bound)));
                assert_eq!(evaluation.word(equal), Word::from(u64::from(expected == bound)));
            }
        }
    }
}

/// A difference that is checked is a comparison of what it is made of; others are not that comparison.
#[test]
fn checked_differences() {
    let mut terms = Terms::default();
    let [x, y, z] = [0, 1, 2].map(|number| terms.leaf(Leaf::Any(number, 256), &[]));
    let (wrapped, sum) = (terms.sub(x, y), terms.add(x, z));
    let (less, rest) = (terms.lt(x, y), terms.sub(sum, y));
    assert_eq!(terms.lt(x, wrapped), less);
    assert_eq!(terms.lt(sum, rest), terms.lt(sum, y));
    // The other way round it is another word, and so is what is taken from something else.
    let (reverse, other) = (terms.sub(y, x), terms.sub(z, y));
    for (a, b) in [(x, reverse), (wrapped, x), (x, other), (y, wrapped)] {
        assert_ne!(terms.lt(a, b), less);
    }
    // So is a difference of differences, whichever of the two is written, and one less a number.
    let (behind, before) = (terms.add(wrapped, z), terms.sub(y, z));
    assert_eq!(terms.lt(x, behind), terms.lt(x, before));
    let (last, two) = (terms.word(Word::MAX), terms.number(2));
    let (less_one, less_two) = (terms.add(x, last), terms.sub(x, two));
    assert_eq!(terms.lt(x, less_one), terms.is_zero(x));
    assert_eq!(terms.lt(x, less_two), terms.lt(x, two));
    // What is more is compared as it is written.
    let more = terms.add(x, two);
    assert_ne!(terms.lt(x, more), terms.lt(x, two));
    let edges: Vec<Word> =
        [0, 1, 2].into_iter().flat_map(|near| [Word::from(near), Word::MAX - Word::from(near)]).collect();
    let edges = [&edges[..], &[Word::from(1) << 255, word::MAX_SIGNED]].concat();
    let all: Vec<Term> =
        vec![x, y, z, wrapped, sum, rest, reverse, other, behind, before, less_one, less_two, more];
    let pairs: Vec<(Term, Term)> = all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b))).collect();
    let compared: Vec<Term> = pairs.iter().map(|(a, b)| terms.lt(*a, *b)).collect();
    for words in edges.iter().flat_map(|a| edges.iter().flat_map(|b| edges.iter().map(|c| [*a, *b, *c]))) {
        let given = Three(words);
        let mut evaluation = Evaluation::new(&terms, &given);
        for ((a, b), less) in pairs.iter().zip(&compared) {
            let expected = evaluation.word(*a) < evaluation.word(*b);
            assert_eq!(evaluation.word(*less), Word::from(u64::from(expected)), "{words:?}");
        }
    }
}

/// What is rounded down beside a multiple is rounded by itself, and nothing else is.
#[test]
fn multiples_are_not_rounded() {
    let mut terms = Terms::default();
    let [x, y] = [8, 9].map(|number| terms.leaf(Leaf::Any(number, 64), &[]));
    let rounded = |terms: &mut Terms, factor: u64, rest: Term, more: u64, bits: usize| {
        let product = terms.scale(x, Word::from(factor));
        let sum = terms.add(product, rest);
        let sum = terms.add_number(sum, more);
        terms.and_word(sum, !word::low_mask(bits))
    };
    let zero = terms.zero;
    let product = terms.scale(x, Word::from(32));
    let expected = terms.add_number(product, 32);
    assert_eq!(rounded(&mut terms, 32, zero, 63, 5), expected);
    assert_eq!(rounded(&mut terms, 96, zero, 31, 5), terms.scale(x, Word::from(96)));
    for (factor, more, bits) in [(32, 64, 5), (31, 63, 5), (32, 63, 6), (16, 63, 5), (32, 31, 5)] {
        assert_ne!(rounded(&mut terms, factor, zero, more, bits), expected, "{factor} x + {more}, {bits}");
    }
    let up = terms.add_number(y, 31);
    let up = terms.and_word(up, !word::low_mask(5));
    let sum = terms.add(expected, up);
    assert_eq!(rounded(&mut terms, 32, y, 63, 5), sum);
}

/// A sum with a mask on it, where its parts and the mask turn.
fn masked_sums() -> impl Strategy<Value = Tree> {
    let part = (0u8..8, constants(), 0u64..12).prop_map(|(input, mask, up)| {
        let masked = Tree::Op(Opcode::AND, vec![Tree::Input(input), Tree::Const(mask)]);
        Tree::Op(Opcode::SHL, vec![Tree::Const(Word::from(up)), masked])
    });
    let sum = (proptest::collection::vec(part, 1..4), constants()).prop_map(|(parts, constant)| {
        let add = |sum, part| Tree::Op(Opcode::ADD, vec![sum, part]);
        parts.into_iter().fold(Tree::Const(constant), add)
    });
    (sum, 0usize..20, 0usize..=256).prop_map(|(sum, low, high)| {
        let mask = word::low_mask(high) & !word::low_mask(low);
        Tree::Op(Opcode::AND, vec![Tree::Const(mask), sum])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn masks_of_sums(tree in masked_sums(), seeds in any::<[u64; 8]>()) {
        let mut terms = Terms::default();
        let term = term(&mut terms, &tree);
        for seed in seeds {
            let given = Seeded(seed);
            let mut evaluation = Evaluation::new(&terms, &given);
            prop_assert_eq!(evaluation.word(term), value(&given, &tree));
            for part in terms.below(&[term]) {
                prop_assert!(holds(&terms, part, evaluation.word(part)));
            }
        }
    }

    /// Words moved down, and choices, against bounds.
    #[test]
    fn comparisons_with_bounds(
        (input, by) in (0u8..8, 0u64..300),
        (yes, no, bound) in (constants(), constants(), constants()),
        (left, right) in (0u8..8, 0u8..8),
        seed: u64,
    ) {
        let moved = Tree::Op(Opcode::SHR, vec![Tree::Const(Word::from(by)), Tree::Input(input)]);
        let less = |a, b| Tree::Op(Opcode::LT, vec![a, b]);
        let condition = less(Tree::Input(left), Tree::Input(right));
        let choice = |a, b| Tree::Ite(Box::new([condition.clone(), a, b]));
        let words = [
            moved.clone(),
            choice(Tree::Const(yes), Tree::Const(no)),
            choice(moved.clone(), Tree::Const(no)),
            choice(Tree::Const(yes), moved),
        ];
        for word in words {
            for opcode in [Opcode::LT, Opcode::EQ, Opcode::GT] {
                let tree = Tree::Op(opcode, vec![word.clone(), Tree::Const(bound)]);
                let mut terms = Terms::default();
                let term = term(&mut terms, &tree);
                let given = Seeded(seed);
                prop_assert_eq!(Evaluation::new(&terms, &given).word(term), value(&given, &tree));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    /// Sums of multiples of a power of two and a number, against a bound that is near the word or anywhere.
    #[test]
    fn multiples_against_bounds(
        (by, times, other) in (0usize..256, constants(), 0u64..4),
        (number, anywhere) in (constants(), constants()),
        (is_near, away) in (any::<bool>(), 0u64..70),
        words in any::<[u64; 2]>(),
        bits in prop_oneof![Just(8u16), Just(64), Just(256)],
    ) {
        let (words, by) = (words.map(Word::from), Word::from(1) << by);
        let mut terms = Terms::default();
        let inputs = [0, 1].map(|number| terms.leaf(Leaf::Any(number, bits), &[]));
        let words = words.map(|word| match bits {
            256 => Word::from_be_bytes(keccak256(word.to_be_bytes::<32>()).0),
            _ => word & word::low_mask(usize::from(bits)),
        });
        let sum = |parts: [Word; 2]| {
            let other = parts[1].wrapping_mul(Word::from(other)).wrapping_neg();
            parts[0].wrapping_mul(times).wrapping_add(other).wrapping_mul(by).wrapping_add(number)
        };
        let factors = [times.wrapping_mul(by), Word::from(other).wrapping_mul(by).wrapping_neg()];
        let mut term = terms.word(number);
        for (input, factor) in inputs.into_iter().zip(factors) {
            let part = terms.scale(input, factor);
            term = terms.add(term, part);
        }
        let near = sum(words).wrapping_add(Word::from(35)).wrapping_sub(Word::from(away));
        let bound = if is_near { near } else { anywhere };
        let limit = terms.word(bound);
        let (below, above) = (terms.lt(term, limit), terms.lt(limit, term));
        let given = Two(words);
        let mut evaluation = Evaluation::new(&terms, &given);
        prop_assert_eq!(evaluation.word(term), sum(words));
        prop_assert_eq!(evaluation.word(below), Word::from(sum(words) < bound));
        prop_assert_eq!(evaluation.word(above), Word::from(bound < sum(words)));
    }
}

/// One word for every leaf.
struct One(Word);

impl Given for One {
    fn word(&self, _: Leaf, _: &[Word]) -> Word {
        self.0
    }
}

/// Two words by number.
struct Two([Word; 2]);

impl Given for Two {
    fn word(&self, leaf: Leaf, _: &[Word]) -> Word {
        match leaf {
            Leaf::Any(number, _) => self.0[number as usize],
            _ => Word::ZERO,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// The word is at the edge of what does not wrap, or anywhere: `x == 0 || x * n / x == n` and `x * n / n == x`.
    #[test]
    fn checked_products_are_bounds(number in constants(), seed in any::<u64>(), near in 0u64..5) {
        struct At(Word);
        impl Given for At {
            fn word(&self, _: Leaf, _: &[Word]) -> Word {
                self.0
            }
        }
        let mut terms = Terms::default();
        let input = terms.leaf(Leaf::Any(0, 256), &[]);
        let factor = terms.word(number);
        let product = terms.mul(input, factor);
        let (by_input, by_number) = (terms.div(product, input), terms.div(product, factor));
        let equal = [terms.eq(by_input, factor), terms.eq(by_number, input)];
        let edge = Word::MAX.checked_div(number).unwrap_or(Word::ZERO);
        let moved = edge.wrapping_add(Word::from(near)).wrapping_sub(Word::from(2));
        for word in [moved, Seeded(seed).edge(0), Word::ZERO, Word::from(1)] {
            let wrapped = word.wrapping_mul(number);
            let quotient = |divisor: Word| wrapped.checked_div(divisor).unwrap_or(Word::ZERO);
            let expected = [quotient(word) == number, quotient(number) == word];
            let given = At(word);
            let mut evaluation = Evaluation::new(&terms, &given);
            let found = equal.map(|term| !evaluation.word(term).is_zero());
            prop_assert_eq!(found, expected, "{} times {}", word, number);
        }
    }
}

#[test]
fn masks_that_take_away_what_is_not_seen() {
    let mut terms = Terms::default();
    let [time, before] = [(0, 256), (1, 32)].map(|(n, bits)| terms.leaf(Leaf::Any(n, bits), &[]));
    let mut between = |inner: u64, outer: u64| {
        let inner = terms.and_word(time, Word::from(inner));
        let difference = terms.sub(inner, before);
        let scaled = terms.scale(difference, Word::from(4));
        terms.and_word(scaled, Word::from(outer))
    };
    let plain = between(u64::MAX, u64::MAX >> 32);
    assert_eq!(between(u64::MAX >> 32, u64::MAX >> 32), plain);
    // Moved up by two bits, the upper two are not seen.
    assert_eq!(between(u64::MAX >> 34, u64::MAX >> 32), plain);
    assert_ne!(between(u64::MAX >> 35, u64::MAX >> 32), plain);
}
