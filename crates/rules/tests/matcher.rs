//! The matcher, on expressions in an arena.

use cairn_evm::{Fork, Opcode, Word};
use cairn_rules::{Built, RuleSet, Shape};
use smallvec::SmallVec;

/// A constant or an operation; neither for a leaf.
type Node = (Option<Word>, Option<(Opcode, Vec<usize>)>);

#[derive(Default)]
struct Arena {
    nodes: Vec<Node>,
}

impl Arena {
    fn leaf(&mut self) -> usize {
        self.nodes.push((None, None));
        self.nodes.len() - 1
    }

    fn word(&mut self, word: u64) -> usize {
        self.nodes.push((Some(Word::from(word)), None));
        self.nodes.len() - 1
    }

    fn op(&mut self, op: Opcode, args: &[usize]) -> usize {
        self.nodes.push((None, Some((op, args.to_vec()))));
        self.nodes.len() - 1
    }
}

impl Shape for &Arena {
    type Value = usize;

    fn as_const(&self, value: usize) -> Option<Word> {
        self.nodes[value].0
    }

    fn as_op(&self, value: usize) -> Option<(Opcode, SmallVec<[usize; 3]>)> {
        self.nodes[value].1.as_ref().map(|(op, args)| (*op, args.iter().copied().collect()))
    }

    fn is_same(&self, a: usize, b: usize) -> bool {
        a == b
    }
}

fn applied(arena: &Arena, op: Opcode, args: &[usize]) -> Option<(&'static str, Built<usize>)> {
    RuleSet::solc(Fork::Osaka).rewrite(&arena, op, args).map(|(rule, built)| (rule.name, built))
}

fn op(opcode: Opcode, args: [Built<usize>; 2]) -> Built<usize> {
    Built::Op(opcode, args.map(Box::new).into_iter().collect())
}

#[test]
fn commutative_operations_match_in_both_orders() {
    let mut arena = Arena::default();
    let (x, zero) = (arena.leaf(), arena.word(0));
    assert_eq!(applied(&arena, Opcode::ADD, &[zero, x]), Some(("add-zero", Built::Value(x))));
    assert_eq!(applied(&arena, Opcode::ADD, &[x, zero]), Some(("add-zero", Built::Value(x))));
    assert_eq!(applied(&arena, Opcode::SUB, &[x, zero]), Some(("sub-zero", Built::Value(x))));
    assert_eq!(applied(&arena, Opcode::SUB, &[zero, x]), None);
}

#[test]
fn inner_orders_are_tried_too() {
    let mut arena = Arena::default();
    let (x, y) = (arena.leaf(), arena.leaf());
    let both = arena.op(Opcode::XOR, &[y, x]);
    assert_eq!(applied(&arena, Opcode::XOR, &[both, x]), Some(("xor-cancels", Built::Value(y))));
    assert_eq!(applied(&arena, Opcode::XOR, &[y, both]), Some(("xor-cancels", Built::Value(x))));
}

#[test]
fn the_order_of_operands_is_kept_where_it_shows() {
    let mut arena = Arena::default();
    let (x, y, seven) = (arena.leaf(), arena.leaf(), arena.word(7));
    let sum = arena.op(Opcode::ADD, &[seven, x]);
    let seven = || Built::Constant(Word::from(7), seven);
    for (args, inner) in [([sum, y], [x, y]), ([y, sum], [y, x])] {
        let built = applied(&arena, Opcode::ADD, &args).map(|(_, built)| built);
        let inner = op(Opcode::ADD, inner.map(Built::Value));
        assert_eq!(built, Some(op(Opcode::ADD, [inner, seven()])));
    }
}

#[test]
fn joined_shifts_do_not_wrap() {
    let mut arena = Arena::default();
    let x = arena.leaf();
    let [a, b, huge] = [200, 100, u64::MAX].map(|word| arena.word(word));
    let inner = arena.op(Opcode::SHL, &[b, x]);
    assert_eq!(applied(&arena, Opcode::SHL, &[a, inner]), Some(("shl-shl-out", Built::Word(Word::ZERO))));
    assert_eq!(applied(&arena, Opcode::SHL, &[huge, inner]), Some(("shl-out", Built::Word(Word::ZERO))));
}

#[test]
fn conditions_bar_a_rule() {
    let mut arena = Arena::default();
    let (x, six, eight) = (arena.leaf(), arena.word(6), arena.word(8));
    assert_eq!(applied(&arena, Opcode::MUL, &[x, six]), None);
    let built = op(Opcode::SHL, [Built::Word(Word::from(3)), Built::Value(x)]);
    assert_eq!(applied(&arena, Opcode::MUL, &[x, eight]), Some(("mul-power-of-two", built)));
}

#[test]
fn forks_without_shifts_have_no_rule_that_makes_one() {
    let mut arena = Arena::default();
    let (x, eight) = (arena.leaf(), arena.word(8));
    for (fork, is_rewritten) in [(Fork::Byzantium, false), (Fork::Constantinople, true)] {
        // The exponent is computed, so `clz` is not needed.
        let found = RuleSet::all(fork).rewrite(&&arena, Opcode::MUL, &[x, eight]);
        assert_eq!(found.is_some(), is_rewritten, "{fork}");
    }
}

#[test]
fn constants_fold() {
    let words = [Word::from(1), Word::MAX];
    assert_eq!(RuleSet::all(Fork::Osaka).fold(Opcode::SAR, &words), Some(Word::MAX));
    assert_eq!(RuleSet::solc(Fork::Osaka).fold(Opcode::SAR, &words), None);
    assert_eq!(RuleSet::solc(Fork::Osaka).fold(Opcode::SHR, &words), Some(Word::MAX >> 1));
}
