//! Evaluation of terms, for the tests.

use cairn_evm::{Word, word};
use cairn_rules::Term;

/// Words near the places where semantics change.
pub(crate) fn edge_words() -> Vec<Word> {
    let small = [0u64, 1, 2, 3, 7, 8, 16, 31, 32, 96, 160, 248, 255, 256];
    let mut words: Vec<Word> = small.into_iter().map(Word::from).collect();
    words.extend([word::low_mask(160), !word::low_mask(96), word::MIN_SIGNED, word::MAX_SIGNED]);
    words.extend([Word::MAX, Word::MAX - Word::from(31), Word::from(1) << 128, Word::from(0x1234_5678)]);
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

/// The value of a term where exactly the values are known.
pub(crate) fn evaluate(term: &Term, values: &[Word], consts: &[Word]) -> Word {
    let value = term.evaluate(&|leaf| match leaf {
        Term::Value(name) | Term::Fact(_, name) => Some(values[usize::from(*name)]),
        Term::Const(name) => Some(consts[usize::from(*name)]),
        Term::Width | Term::Word(_) | Term::Op(..) => None,
    });
    value.expect("a pure opcode with its arity")
}

/// All tuples of `n` words.
pub(crate) fn tuples(words: &[Word], n: usize) -> Vec<Vec<Word>> {
    (0..n).fold(vec![vec![]], |tuples, _| {
        let extend = |tuple: &Vec<Word>| {
            let tuple = tuple.clone();
            words.iter().map(move |word| tuple.iter().copied().chain([*word]).collect())
        };
        tuples.iter().flat_map(extend).collect()
    })
}
