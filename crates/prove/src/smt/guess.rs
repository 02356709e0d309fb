//! Words for which conditions hold, guessed from those that were found before.
//!
//! Most of what is asked of a solver can hold, and a few steps from a known model do it: one input at a time becomes
//! what makes a condition hold (`inverse`), is moved by what a comparison lacks, or to an edge. A guess is
//! evaluated, so what is found holds: hashes are what the model says, or, where an exact answer is wanted, what they
//! are, and words that overlap agree.

use super::Exactness;
use super::inverse::inputs_for;
use crate::term::eval::{Evaluation, Given, Invented, Model};
use crate::term::{Leaf, Node, Term, Terms};
use cairn_evm::{Opcode, Word};
use std::collections::{BTreeMap, VecDeque};

/// Words that are moved, one after the other.
const MAX_STEPS: usize = 40;
/// Words that are tried in a step by other than their inverse values.
const MAX_LEAVES: usize = 6;
/// Conditions that fail for which a step is looked for.
const MAX_TURNS: usize = 4;
/// Words that were moved last, which stay for a while.
const MAX_MOVED: usize = 4;
/// Comparisons of a condition that are looked at.
const MAX_COMPARISONS: usize = 4;

/// An input by what it is and its operands.
type Key = (Leaf, Vec<Word>);

/// Where the steps of a guess have been.
struct Walk {
    /// The fewest conditions that failed.
    least: usize,
    /// What was moved last.
    moved: VecDeque<Key>,
}

/// What is asked.
pub(super) struct Question<'a> {
    pub(super) terms: &'a Terms,
    pub(super) conditions: &'a [Term],
    pub(super) exactness: Exactness,
}

impl Question<'_> {
    /// A model in which all conditions hold, a few steps from the one in which most do.
    pub(super) fn guess(&self, models: &[&Model]) -> Option<Box<Model>> {
        let empty = Model::default();
        let all = models.iter().copied().chain([&empty]);
        let nearest = all.min_by_key(|model| self.failing(self.conditions, model).len())?;
        let mut model = nearest.clone();
        let mut walk = Walk { least: usize::MAX, moved: VecDeque::new() };
        for turn in 0..MAX_STEPS {
            let fails = self.failing(self.conditions, &model);
            if fails.is_empty() {
                break;
            }
            model = self.step(&model, &fails, turn, &mut walk)?;
        }
        self.holds(&model).then(|| Box::new(model))
    }

    /// A model with another word. The first in which fewer conditions fail is taken; where there is none, that in which
    /// fewest do, even if they are more: so a place is left where no single word helps. A word that was moved a moment
    /// ago stays, unless never so few failed.
    fn step(&self, model: &Model, fails: &[Term], turn: usize, walk: &mut Walk) -> Option<Model> {
        let mut best: Option<(usize, Key, Model)> = None;
        let turns = (0..fails.len().min(MAX_TURNS)).map(|next| fails[(turn + next) % fails.len()]);
        for condition in turns {
            for (key, word) in self.moves(model, condition) {
                let mut other = model.clone();
                other.words.insert(key.clone(), word);
                if !self.failing(&[condition], &other).is_empty() {
                    continue;
                }
                let left = self.failing(self.conditions, &other).len();
                let stays = walk.moved.contains(&key) && left >= walk.least;
                if !stays && best.as_ref().is_none_or(|(least, ..)| left < *least) {
                    best = Some((left, key, other));
                }
            }
            if best.as_ref().is_some_and(|(least, ..)| *least < fails.len()) {
                break;
            }
        }
        let (left, key, other) = best?;
        walk.least = walk.least.min(left);
        walk.moved.push_front(key);
        walk.moved.truncate(MAX_MOVED);
        Some(other)
    }

    /// True if a model is an answer.
    pub(super) fn holds(&self, model: &Model) -> bool {
        let agree = || self.exactness == Exactness::Abstract || self.words_agree(model);
        self.failing(self.conditions, model).is_empty() && agree()
    }

    fn evaluation<'m>(&'m self, given: &'m dyn Given) -> Evaluation<'m> {
        Evaluation::new(self.terms, given)
    }

    /// Conditions that do not hold in a model.
    fn failing(&self, conditions: &[Term], model: &Model) -> Vec<Term> {
        let invented = Invented(model);
        let mut evaluation = match self.exactness {
            Exactness::Abstract => self.evaluation(&invented),
            Exactness::Exact => self.evaluation(model),
        };
        evaluation.prepare(conditions);
        conditions.iter().copied().filter(|condition| evaluation.word(*condition).is_zero()).collect()
    }

    /// Words to be tried for a condition that fails, the best first.
    fn moves(&self, model: &Model, condition: Term) -> Vec<(Key, Word)> {
        let terms = self.terms;
        let invented = Invented(model);
        let mut evaluation = self.evaluation(&invented);
        let mut found = inputs_for(terms, &mut evaluation, condition);
        let mut comparisons = Vec::new();
        collect_comparisons(terms, condition, &mut comparisons);
        let mut gap = |[a, b]: &[Term; 2]| evaluation.word(*a).wrapping_sub(evaluation.word(*b));
        let gaps: Vec<Word> = comparisons.iter().map(&mut gap).collect();
        let below = terms.below(&[condition]);
        let is_input = |term: &&Term| matches!(terms.node(**term), Node::Leaf(leaf, _) if !leaf.is_hash());
        for term in below.iter().rev().filter(is_input).take(MAX_LEAVES) {
            let words = candidates(evaluation.word(*term), &gaps, terms.facts(*term).hi());
            found.extend(words.into_iter().map(|word| (*term, word)));
        }
        found.retain(|(term, word)| (terms.facts(*term).lo()..=terms.facts(*term).hi()).contains(word));
        let key = |(term, word): (Term, Word)| match terms.node(term) {
            Node::Leaf(leaf, args) => {
                Some(((*leaf, args.iter().map(|arg| evaluation.word(*arg)).collect()), word))
            }
            _ => None,
        };
        found.into_iter().filter_map(key).collect()
    }

    /// True if words of calldata and return data that overlap are made of the same bytes.
    fn words_agree(&self, model: &Model) -> bool {
        let mut evaluation = self.evaluation(model);
        let mut bytes: BTreeMap<(Option<u32>, Word), u8> = BTreeMap::new();
        for term in self.terms.below(self.conditions) {
            let Node::Leaf(leaf, args) = self.terms.node(term) else { continue };
            let (source, first) = match leaf {
                Leaf::Calldata => (None, 0),
                Leaf::CalldataByte => (None, 31),
                Leaf::Returned(call) => (Some(*call), 0),
                Leaf::ReturnedByte(call) => (Some(*call), 31),
                _ => continue,
            };
            let (at, word) = (evaluation.word(args[0]), evaluation.word(term).to_be_bytes::<32>());
            for (index, byte) in word[first..].iter().enumerate() {
                let place = (source, at.wrapping_add(Word::from(index)));
                if *bytes.entry(place).or_insert(*byte) != *byte {
                    return false;
                }
            }
        }
        true
    }
}

/// The operands of comparisons that a condition is made of.
fn collect_comparisons(terms: &Terms, condition: Term, found: &mut Vec<[Term; 2]>) {
    if found.len() >= MAX_COMPARISONS {
        return;
    }
    match terms.node(condition) {
        Node::Op(Opcode::EQ | Opcode::AND | Opcode::OR, args) if terms.facts(args[0]).is_bool() => {
            args.iter().for_each(|arg| collect_comparisons(terms, *arg, found));
        }
        Node::Op(Opcode::EQ | Opcode::LT | Opcode::SLT, args) => found.push([args[0], args[1]]),
        _ => {}
    }
}

/// What a word may be changed to: where a comparison turns, or an edge.
fn candidates(word: Word, gaps: &[Word], greatest: Word) -> Vec<Word> {
    let one = Word::from(1);
    let mut all = Vec::new();
    for gap in gaps {
        for gap in [*gap, gap.wrapping_add(one), gap.wrapping_sub(one)] {
            all.extend([word.wrapping_sub(gap), word.wrapping_add(gap)]);
        }
    }
    all.extend([Word::ZERO, one, Word::from(32), greatest]);
    all.retain(|other| *other != word);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_moved_to_where_comparisons_turn() {
        let mut terms = Terms::default();
        let [a, b] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 64), &[]));
        let limit = terms.number(1000);
        let past = terms.add_number(a, 77);
        let (less, small) = (terms.lt(limit, b), terms.lt(b, past));
        let flag = terms.leaf(Leaf::Any(2, 1), &[]);
        let never = terms.lt(b, limit);
        let (possible, impossible) = ([less, small, flag], [less, never]);
        let [possible, impossible] = [&possible[..], &impossible[..]].map(|conditions| Question {
            terms: &terms,
            conditions,
            exactness: Exactness::Abstract,
        });
        let found = possible.guess(&[]).expect("a > 924, b > 1000");
        assert!(possible.holds(&found));
        assert!(impossible.guess(&[&found]).is_none());
    }

    #[test]
    fn words_that_overlap_agree_exactly() {
        let mut terms = Terms::default();
        let [at, next] = [4, 5].map(|at| terms.number(at));
        let [word, other] = [at, next].map(|at| terms.leaf(Leaf::Calldata, &[at]));
        let (ones, zero) = (terms.word(Word::MAX), terms.zero);
        let conditions = [terms.eq(word, ones), terms.eq(other, zero)];
        let question = |exactness| Question { terms: &terms, conditions: &conditions, exactness };
        assert!(question(Exactness::Abstract).guess(&[]).is_some());
        assert!(question(Exactness::Exact).guess(&[]).is_none());
    }
}
