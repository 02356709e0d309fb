//! What is known of words that could be any, as conditions: then a solver needs no functions.
//!
//! Equal operands make equal words; words of calldata and return data that overlap have bytes in common,
//! where the question is exact; hashes are equal exactly if what is hashed is. Said of each two words of which it
//! is not plain: what differs in its operands on every run says nothing of each other.

use super::Exactness;
use crate::term::{Function, Leaf, Node, Opaque, Term, Terms};
use cairn_evm::Opcode;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What has to hold besides the conditions.
#[derive(Default)]
pub(super) struct Consistency {
    /// Conditions, 0 or 1.
    pub(super) conditions: Vec<Term>,
    /// Two hashes, and the condition under which they hash the same.
    pub(super) hashes: Vec<([Term; 2], Term)>,
}

impl Consistency {
    /// True if nothing has to hold.
    pub(super) fn is_empty(&self) -> bool {
        self.conditions.is_empty() && self.hashes.is_empty()
    }
}

impl Exactness {
    /// What is taken for any function.
    pub(super) fn opaque(self) -> Opaque {
        match self {
            Exactness::Abstract => Opaque::Products,
            Exactness::Exact => Opaque::Quotients,
        }
    }
}

/// Words that say something of each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Same(Function),
    /// Bytes of calldata, or of what a call returned.
    Bytes(Option<u32>),
    Hashes,
}

impl Group {
    fn of(terms: &Terms, atom: Term, exactness: Exactness) -> Option<Group> {
        if terms.as_quotient(atom).is_some() {
            return None;
        }
        let function = terms.function(atom)?;
        let is_exact = exactness == Exactness::Exact;
        Some(match function {
            Function::Leaf(Leaf::Keccak(_)) => Group::Hashes,
            Function::Leaf(Leaf::Calldata | Leaf::CalldataByte) if is_exact => Group::Bytes(None),
            Function::Leaf(Leaf::Returned(call) | Leaf::ReturnedByte(call)) if is_exact => {
                Group::Bytes(Some(call))
            }
            other => Group::Same(other),
        })
    }
}

/// Pairs of words that are compared; a question with more is too large for any answer.
const MAX_COMPARED: usize = 100_000;

/// What has to hold of the words that some conditions are made of, and of those that this is made of; `None` if that
/// is too much.
pub(super) fn consistency(
    terms: &mut Terms,
    conditions: &[Term],
    exactness: Exactness,
) -> Option<Consistency> {
    let opaque = exactness.opaque();
    let mut found = Consistency::default();
    let mut groups: BTreeMap<Group, Vec<Term>> = BTreeMap::new();
    let mut seen = FxHashSet::default();
    let mut compared = 0;
    let mut open = terms.atoms(conditions, opaque);
    while let Some(atom) = open.pop() {
        if !seen.insert(atom) {
            continue;
        }
        if let Some(bound) = bound(terms, atom) {
            open.extend(terms.atoms(&[bound], opaque));
            found.conditions.push(bound);
        }
        let Some(group) = Group::of(terms, atom, exactness) else { continue };
        let others = groups.entry(group).or_default();
        compared += others.len();
        if compared > MAX_COMPARED {
            return None;
        }
        for other in others.clone() {
            let condition = match group {
                Group::Hashes => {
                    let same = same_hashed(terms, atom, other);
                    found.hashes.push(([atom, other], same));
                    same
                }
                Group::Same(_) => equal_where_same(terms, atom, other),
                Group::Bytes(_) => agree(terms, atom, other),
            };
            open.extend(terms.atoms(&[condition], opaque));
            if group != Group::Hashes && condition != terms.one {
                found.conditions.push(condition);
            }
        }
        others.push(atom);
    }
    Some(found)
}

/// What bounds a quotient or remainder; by a constant that says all.
fn bound(terms: &mut Terms, atom: Term) -> Option<Term> {
    let Node::Op(opcode, args) = terms.node(atom) else { return None };
    let (opcode, a, b) = (*opcode, args[0], *args.get(1)?);
    match (opcode, terms.as_quotient(atom)) {
        (Opcode::DIV, Some((_, by))) => {
            // No product of the quotient wraps.
            let product = terms.scale(atom, by);
            let rest = terms.sub(a, product);
            let (is_more, is_rest) = (terms.lt(a, product), terms.lt(rest, b));
            let is_not_more = terms.is_zero(is_more);
            Some(terms.and(is_not_more, is_rest))
        }
        (_, Some((_, by))) => {
            let quotient = terms.div(a, b);
            let product = terms.scale(quotient, by);
            let rest = terms.sub(a, product);
            Some(terms.eq(atom, rest))
        }
        (Opcode::DIV, None) => {
            let is_more = terms.lt(a, atom);
            Some(terms.is_zero(is_more))
        }
        (Opcode::MOD, None) => {
            let (is_zero, is_less) = (terms.is_zero(b), terms.lt(atom, b));
            Some(terms.or(is_zero, is_less))
        }
        _ => None,
    }
}

fn same_hashed(terms: &mut Terms, a: Term, b: Term) -> Term {
    match terms.function(a) == terms.function(b) {
        true => terms.same_operands(a, b),
        false => terms.zero,
    }
}

fn equal_where_same(terms: &mut Terms, a: Term, b: Term) -> Term {
    let same = terms.same_operands(a, b);
    if same == terms.zero {
        return terms.one;
    }
    let equal = terms.eq(a, b);
    implies(terms, same, equal)
}

fn implies(terms: &mut Terms, condition: Term, consequence: Term) -> Term {
    let fails = terms.is_zero(condition);
    terms.or(fails, consequence)
}

/// Bytes that two words of the same data have in common.
fn agree(terms: &mut Terms, a: Term, b: Term) -> Term {
    let is_byte =
        |term: Term| matches!(terms.node(term), Node::Leaf(Leaf::CalldataByte | Leaf::ReturnedByte(_), _));
    match (is_byte(a), is_byte(b)) {
        (true, true) => equal_where_same(terms, a, b),
        (true, false) => byte_of(terms, a, b),
        (false, true) => byte_of(terms, b, a),
        (false, false) => {
            let (first, second) = (overlap(terms, a, b), overlap(terms, b, a));
            terms.and(first, second)
        }
    }
}

/// How far the first lies behind the second, and whether that is inside of its word. Positions don't wrap: behind the
/// last one is nothing.
fn behind(terms: &mut Terms, a: Term, b: Term) -> (Term, Term) {
    let (a_at, b_at) = (terms.operands(a)[0], terms.operands(b)[0]);
    let offset = terms.sub(a_at, b_at);
    let size = terms.number(32);
    let (is_close, is_before) = (terms.lt(offset, size), terms.lt(a_at, b_at));
    let is_behind = terms.is_zero(is_before);
    (offset, terms.and(is_close, is_behind))
}

fn byte_of(terms: &mut Terms, byte: Term, word: Term) -> Term {
    let (offset, is_inside) = behind(terms, byte, word);
    if is_inside == terms.zero {
        return terms.one;
    }
    let there = terms.byte(offset, word);
    let equal = terms.eq(byte, there);
    implies(terms, is_inside, equal)
}

/// Where a word begins inside of another, the end of that is its beginning.
fn overlap(terms: &mut Terms, later: Term, earlier: Term) -> Term {
    let (offset, is_inside) = behind(terms, later, earlier);
    if is_inside == terms.zero {
        return terms.one;
    }
    let bits = terms.scale(offset, cairn_evm::Word::from(8));
    let end = terms.shl(bits, earlier);
    let beginning = terms.shr(bits, later);
    let beginning = terms.shl(bits, beginning);
    let equal = terms.eq(end, beginning);
    implies(terms, is_inside, equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Space;
    use crate::term::eval::{Evaluation, Given, Model};
    use cairn_evm::Word;

    /// Data as it is: bytes at positions, words under keys.
    struct Real {
        choices: Vec<u64>,
    }

    impl Real {
        fn byte(at: Word) -> Word {
            Word::from(at.wrapping_mul(Word::from(167)).byte(0) % 3)
        }
    }

    impl Given for Real {
        fn word(&self, leaf: Leaf, args: &[Word]) -> Word {
            match leaf {
                Leaf::Any(number, _) => Word::from(self.choices[number as usize]),
                Leaf::CalldataByte => Real::byte(args[0]),
                Leaf::Calldata => (0..32u64).fold(Word::ZERO, |word, index| {
                    (word << 8) | Real::byte(args[0].wrapping_add(Word::from(index)))
                }),
                _ => args.iter().fold(Word::from(5), |sum, arg| sum.wrapping_mul(Word::from(31)) ^ *arg),
            }
        }
    }

    /// Words at positions and under keys that may be the same, compared with each other.
    fn conditions(terms: &mut Terms) -> Vec<Term> {
        let positions: Vec<Term> = (0..3).map(|number| terms.leaf(Leaf::Any(number, 64), &[])).collect();
        let mut words = Vec::new();
        for position in positions.clone() {
            let next = terms.add_number(position, 7);
            let fixed = terms.number(20);
            for at in [position, next, fixed] {
                words.push(terms.leaf(Leaf::Calldata, &[at]));
                words.push(terms.leaf(Leaf::CalldataByte, &[at]));
                words.push(terms.leaf(Leaf::Held(Space::Storage, 0), &[at]));
            }
            let slot = terms.one;
            let hash = terms.hash(64, &[position, slot]);
            words.push(terms.leaf(Leaf::Held(Space::Storage, 0), &[hash]));
            words.push(terms.div(hash, position));
            words.push(terms.rem(hash, position));
            words.push(terms.mul(hash, position));
            let word = terms.leaf(Leaf::Calldata, &[position]);
            let ten = terms.number(10);
            let tenth = terms.div(word, ten);
            words.extend([tenth, terms.div(tenth, ten), terms.rem(tenth, ten), terms.rem(word, next)]);
        }
        let last = words[0];
        let mut all: Vec<Term> = words.into_iter().map(|word| terms.lt(word, last)).collect();
        all.retain(|condition| *condition != terms.zero);
        all
    }

    #[test]
    fn what_is_said_holds_of_all_data() {
        for exactness in [Exactness::Abstract, Exactness::Exact] {
            let mut terms = Terms::default();
            let conditions = conditions(&mut terms);
            let found = consistency(&mut terms, &conditions, exactness).expect("few");
            assert!(found.conditions.len() > 20 && !found.hashes.is_empty());
            for seed in 0..2_000u64 {
                let choices = vec![seed % 41, seed / 41 % 43, seed * seed % 37];
                let real = Real { choices };
                let mut evaluation = Evaluation::new(&terms, &real);
                for condition in &found.conditions {
                    let shown = crate::term::show(&terms, *condition, 6);
                    assert_eq!(evaluation.word(*condition), Word::from(1), "{:?}: {shown}", real.choices);
                }
                for ([a, b], same) in &found.hashes {
                    let is_same = evaluation.word(*a) == evaluation.word(*b);
                    assert_eq!(evaluation.word(*same), Word::from(u64::from(is_same)));
                }
            }
        }
    }

    #[test]
    fn too_many_words_are_not_compared() {
        let mut terms = Terms::default();
        let mut held = |number: u32| {
            let key = terms.leaf(Leaf::Any(number, 64), &[]);
            let word = terms.leaf(Leaf::Held(Space::Storage, 0), &[key]);
            terms.is_zero(word)
        };
        let conditions: Vec<Term> = (0..500).map(&mut held).collect();
        assert!(consistency(&mut terms, &conditions, Exactness::Abstract).is_none());
        assert!(consistency(&mut terms, &conditions[..50], Exactness::Abstract).is_some());
    }

    /// Words of which one contradicts the other are found out.
    #[test]
    fn words_that_overlap_are_no_others() {
        let mut terms = Terms::default();
        let positions = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 64), &[]));
        let words = positions.map(|at| terms.leaf(Leaf::Calldata, &[at]));
        let condition = terms.lt(words[0], words[1]);
        let found = consistency(&mut terms, &[condition], Exactness::Exact).expect("few");
        let holds = |places: [u64; 2], values: [Word; 2]| {
            let mut model = Model::default();
            for (number, place) in places.into_iter().enumerate() {
                model.words.insert((Leaf::Any(number as u32, 64), Vec::new()), Word::from(place));
                model.words.insert((Leaf::Calldata, vec![Word::from(place)]), values[number]);
            }
            let mut evaluation = Evaluation::new(&terms, &model);
            found.conditions.iter().all(|condition| !evaluation.word(*condition).is_zero())
        };
        let (zero, ones) = (Word::ZERO, Word::MAX);
        assert!(holds([0, 32], [zero, ones]) && holds([80, 12], [zero, ones]));
        assert!(!holds([0, 31], [zero, ones]) && !holds([31, 0], [zero, ones]));
        assert!(holds([0, 31], [Word::from(7), Word::from(7) << 248]));
        assert!(!holds([0, 31], [Word::from(7), Word::from(8) << 248]));
        assert!(holds([31, 0], [Word::from(7) << 248, Word::from(7)]));
    }
}
