//! Every rule holds on edge operands, is named once, and is used by the matcher.

use super::*;
use cairn_evm::{Fork, word};
use smallvec::SmallVec;
use std::collections::BTreeSet;

fn edge_words() -> Vec<Word> {
    let mut words: Vec<Word> = [0u64, 1, 2, 3, 7, 8, 31, 32, 96, 160, 248, 255, 256, 0xff, 0xffff]
        .into_iter()
        .map(Word::from)
        .collect();
    words.extend([word::low_mask(160), !word::low_mask(96), word::MIN_SIGNED, word::MAX_SIGNED]);
    words.extend([Word::MAX, Word::MAX - Word::from(31), Word::from(1) << 128, Word::from(0x1234_5678)]);
    words
}

fn count_names(term: &Term, values: &mut usize, consts: &mut usize) {
    match term {
        Term::Any(name) => *values = (*values).max(usize::from(*name) + 1),
        Term::Const(name) => *consts = (*consts).max(usize::from(*name) + 1),
        Term::Word(_) => {}
        Term::Op(_, args) => args.iter().for_each(|arg| count_names(arg, values, consts)),
    }
}

fn evaluate(term: &Term, values: &[Word], consts: &[Word]) -> Word {
    match term {
        Term::Any(name) => values[usize::from(*name)],
        Term::Const(name) => consts[usize::from(*name)],
        Term::Word(word) => *word,
        Term::Op(op, args) => {
            let args: Vec<Word> = args.iter().map(|arg| evaluate(arg, values, consts)).collect();
            word::eval(*op, &args).expect("a pure opcode with its arity")
        }
    }
}

/// All tuples of `n` words.
fn tuples(words: &[Word], n: usize) -> Vec<Vec<Word>> {
    (0..n).fold(vec![vec![]], |tuples, _| {
        let extend = |tuple: &Vec<Word>| {
            let tuple = tuple.clone();
            words.iter().map(move |word| tuple.iter().copied().chain([*word]).collect())
        };
        tuples.iter().flat_map(extend).collect()
    })
}

#[test]
fn both_sides_are_equal_on_edge_operands() {
    let words = edge_words();
    for rule in all() {
        let (mut n_values, mut n_consts) = (0, 0);
        count_names(&rule.from, &mut n_values, &mut n_consts);
        let mut n_checked = 0;
        for consts in tuples(&words, n_consts) {
            if rule.when.iter().any(|condition| evaluate(condition, &[], &consts).is_zero()) {
                continue;
            }
            for values in tuples(&words, n_values) {
                let sides = [&rule.from, &rule.to].map(|side| evaluate(side, &values, &consts));
                assert_eq!(sides[0], sides[1], "{} at {values:x?} {consts:x?}", rule.name);
                n_checked += 1;
            }
        }
        assert!(n_checked > 0, "no edge operands meet the condition of {}", rule.name);
    }
}

#[test]
fn names_are_unique() {
    let names: BTreeSet<&str> = all().map(|rule| rule.name).collect();
    assert_eq!(names.len(), all().count());
}

#[test]
fn right_sides_use_only_what_left_sides_bind() {
    for rule in all() {
        let (mut bound, mut used) = ((0, 0), (0, 0));
        count_names(&rule.from, &mut bound.0, &mut bound.1);
        count_names(&rule.to, &mut used.0, &mut used.1);
        rule.when.iter().for_each(|condition| count_names(condition, &mut used.0, &mut used.1));
        assert!(used.0 <= bound.0 && used.1 <= bound.1, "{}", rule.name);
    }
}

/// A constant or an operation; neither for a leaf.
type Node = (Option<Word>, Option<(Opcode, Vec<usize>)>);

/// Expressions by index, for the matcher.
#[derive(Default)]
struct Arena {
    nodes: Vec<Node>,
}

impl Arena {
    fn leaf(&mut self) -> usize {
        self.nodes.push((None, None));
        self.nodes.len() - 1
    }

    fn word(&mut self, word: Word) -> usize {
        self.nodes.push((Some(word), None));
        self.nodes.len() - 1
    }

    fn op(&mut self, op: Opcode, args: &[usize]) -> usize {
        self.nodes.push((None, Some((op, args.to_vec()))));
        self.nodes.len() - 1
    }
}

impl Shape for Arena {
    type Value = usize;

    fn as_const(&self, value: usize) -> Option<Word> {
        self.nodes[value].0
    }

    fn as_op(&self, value: usize) -> Option<(Opcode, SmallVec<[usize; 3]>)> {
        self.nodes[value].1.as_ref().map(|(op, args)| (*op, args.iter().copied().collect()))
    }
}

fn applied(arena: &Arena, op: Opcode, args: &[usize]) -> Option<(&'static str, Built<usize>)> {
    RuleSet::new(Fork::Osaka).rewrite(arena, op, args).map(|(rule, built)| (rule.name, built))
}

#[test]
fn commutative_operations_match_in_both_orders() {
    let mut arena = Arena::default();
    let (x, zero) = (arena.leaf(), arena.word(Word::ZERO));
    assert_eq!(applied(&arena, Opcode::ADD, &[zero, x]), Some(("add-zero", Built::Value(x))));
    assert_eq!(applied(&arena, Opcode::ADD, &[x, zero]), Some(("add-zero", Built::Value(x))));
    assert_eq!(applied(&arena, Opcode::SUB, &[x, zero]), Some(("sub-zero", Built::Value(x))));
    assert_eq!(applied(&arena, Opcode::SUB, &[zero, x]), None);
}

#[test]
fn a_choice_inside_is_taken_back_when_the_rest_does_not_match() {
    let mut arena = Arena::default();
    let (x, y) = (arena.leaf(), arena.leaf());
    let sum = arena.op(Opcode::ADD, &[y, x]);
    assert_eq!(applied(&arena, Opcode::SUB, &[sum, x]), Some(("sub-cancels-add", Built::Value(y))));
    assert_eq!(applied(&arena, Opcode::SUB, &[sum, y]), Some(("sub-cancels-add", Built::Value(x))));
}

#[test]
fn joined_shifts_do_not_wrap() {
    let mut arena = Arena::default();
    let x = arena.leaf();
    let [a, b, huge] = [Word::from(200), Word::from(100), Word::MAX].map(|word| arena.word(word));
    let inner = arena.op(Opcode::SHL, &[b, x]);
    assert_eq!(applied(&arena, Opcode::SHL, &[a, inner]), Some(("shl-shl-out", Built::Word(Word::ZERO))));
    assert_eq!(applied(&arena, Opcode::SHL, &[huge, inner]), Some(("shl-out", Built::Word(Word::ZERO))));
}

#[test]
fn conditions_bar_a_rule() {
    let mut arena = Arena::default();
    let x = arena.leaf();
    let [six, eight] = [6u64, 8].map(|word| arena.word(Word::from(word)));
    assert_eq!(applied(&arena, Opcode::MUL, &[x, six]), None);
    let built = Built::Op(
        Opcode::SHL,
        [Built::Word(Word::from(3)), Built::Value(x)].map(Box::new).into_iter().collect(),
    );
    assert_eq!(applied(&arena, Opcode::MUL, &[x, eight]), Some(("mul-power-of-two", built)));
}

#[test]
fn forks_without_shifts_have_no_rule_that_makes_one() {
    let mut arena = Arena::default();
    let (x, eight) = (arena.leaf(), arena.word(Word::from(8)));
    let old = RuleSet::new(Fork::Byzantium);
    assert!(old.rewrite(&arena, Opcode::MUL, &[x, eight]).is_none());
    let new = RuleSet::new(Fork::Constantinople);
    assert!(new.rewrite(&arena, Opcode::MUL, &[x, eight]).is_some(), "`clz` is computed, not made");
}
