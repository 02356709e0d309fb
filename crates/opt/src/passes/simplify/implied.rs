//! Checks that a later check of the same row makes again.
//!
//! ```text
//! ^a:                                               ^a:
//!   %end = evm.add %offset, 0x24                      …
//!   %short = evm.lt %size, %end                       evm.br ^b
//!   evm.condbr %short, ^fail, ^b                    ^b:
//! ^b:                                                 …
//!   %n = evm.calldataload %at                 =>
//!   %much = evm.shr 64, %n
//!   evm.condbr %much, ^fail, ^c
//! ^c:
//!   %all = evm.add %end, %n
//!   %cut = evm.lt %size, %all
//!   evm.condbr %cut, ^fail, ^go
//! ```
//!
//! A *row* is a way from check to check whose failures revert without data, with nothing between them that is seen
//! after a revert. Who fails the first check and not another one of the row on the way may fail later in it: nobody
//! can tell. So a check goes that compares a word with a sum where a later one compares it with a sum that is
//! greater: of the same words and others, with a constant that is as great or greater, without wrapping. How great
//! words are is known before the check, or told by checks behind it that did not fail. Decoders of call data
//! check that the length of an array lies in it and then that its end does.
//!
//! Cost: at most [`MAX_ROW`] blocks for each check.

use super::Simplifier;
use crate::checks::{Check, checks, fails_silently};
use crate::silent::leaves_no_trace;
use crate::truth::Truth;
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{Block, Inst, Value};
use smallvec::SmallVec;

/// Checks of a row that are looked at.
const MAX_ROW: usize = 6;
/// How deep sums and conditions are looked into.
const DEPTH: u32 = 6;

/// What a check fails on: a word that is below another, or at most that.
#[derive(Clone, Copy)]
struct Comparison {
    low: Value,
    high: Value,
    is_strict: bool,
}

/// The words of a sum, and the constant in it.
struct Sum {
    words: SmallVec<[Value; 4]>,
    constant: Word,
}

/// What checks that did not fail tell: words and the greatest that they are.
type Bounds = SmallVec<[(Value, Word); 4]>;

impl Simplifier<'_> {
    /// The way on from a check that a later one makes again.
    pub(super) fn way_past_implied(&self, branch: Inst) -> Option<Block> {
        let block = self.func.layout.inst_block(branch)?;
        let first = self.silent_check(block)?;
        let wanted = self.comparison(first.condition, failure(&first), DEPTH)?;
        let mut bounds = Bounds::new();
        let (mut from, mut next) = (block, first.rest.block);
        for _ in 0..MAX_ROW {
            let is_row = self.cfg.preds(next) == [from] && leaves_no_trace(self.func, next);
            let check = self.silent_check(next).filter(|_| is_row)?;
            let found = self.comparison(check.condition, failure(&check), DEPTH);
            if found.is_some_and(|found| self.implies(wanted, found, &bounds)) {
                return Some(first.rest.block);
            }
            self.note_bounds(check.condition, !failure(&check), DEPTH, &mut bounds);
            (from, next) = (next, check.rest.block);
        }
        None
    }

    /// The check at the end of a block whose failure reverts without data.
    fn silent_check(&self, block: Block) -> Option<Check> {
        let func = &*self.func;
        let is_plain = |block: Block| func.dfg.params(block).is_empty();
        let mut found = checks(func, block)?.into_iter();
        found.find(|check| is_plain(check.rest.block) && fails_silently(func, check.fail))
    }

    /// The comparison that holds exactly if the condition does, or fails.
    fn comparison(&self, condition: Value, truth: Truth, depth: u32) -> Option<Comparison> {
        let (opcode, args) = self.func.dfg.as_evm(condition).filter(|_| depth > 0)?;
        let of = |low: Value, high: Value, is_strict: bool| Some(Comparison { low, high, is_strict });
        match (opcode, args, truth) {
            (Opcode::ISZERO, [inner], _) => self.comparison(*inner, !truth, depth - 1),
            (Opcode::LT, [a, b], Truth::Holds) | (Opcode::GT, [b, a], Truth::Holds) => of(*a, *b, true),
            (Opcode::LT, [a, b], Truth::Fails) | (Opcode::GT, [b, a], Truth::Fails) => of(*b, *a, false),
            _ => None,
        }
    }

    /// True if one comparison holds wherever another does, as long as words are in their bounds.
    fn implies(&self, first: Comparison, later: Comparison, bounds: &Bounds) -> bool {
        if !self.is_same_word(first.low, later.low) {
            return false;
        }
        let (lesser, greater) = (self.sum(first.high), self.sum(later.high));
        let step = Word::from(u8::from(later.is_strict && !first.is_strict));
        let is_covered = lesser.constant.checked_add(step).is_some_and(|least| least <= greater.constant);
        let mut others = greater.words.clone();
        let has_words = lesser.words.iter().all(|word| {
            let place = others.iter().position(|other| other == word);
            place.map(|place| others.swap_remove(place)).is_some()
        });
        let most = greater
            .words
            .iter()
            .try_fold(greater.constant, |sum, word| sum.checked_add(self.most(*word, bounds, DEPTH)));
        is_covered && has_words && most.is_some()
    }

    /// True for one value, or what no program changes.
    fn is_same_word(&self, a: Value, b: Value) -> bool {
        let is_size =
            |value| self.func.dfg.as_evm(value).is_some_and(|(opcode, _)| opcode == Opcode::CALLDATASIZE);
        a == b || (is_size(a) && is_size(b))
    }

    /// A value as a sum, modulo 2^256.
    fn sum(&self, value: Value) -> Sum {
        let mut sum = Sum { words: SmallVec::new(), constant: Word::ZERO };
        self.add_to_sum(value, DEPTH, &mut sum);
        sum
    }

    fn add_to_sum(&self, value: Value, depth: u32, sum: &mut Sum) {
        if let Some(word) = self.func.dfg.as_const(value) {
            sum.constant = sum.constant.wrapping_add(word);
            return;
        }
        match self.func.dfg.as_evm(value).filter(|_| depth > 0) {
            Some((Opcode::ADD, [a, b])) => {
                self.add_to_sum(*a, depth - 1, sum);
                self.add_to_sum(*b, depth - 1, sum);
            }
            _ => sum.words.push(value),
        }
    }

    /// No less than a word ever is that no check has found too great.
    fn most(&self, value: Value, bounds: &Bounds, depth: u32) -> Word {
        let told = bounds.iter().filter(|(of, _)| *of == value).map(|(_, most)| *most).min();
        let known = told.map_or(self.facts[value].hi(), |told| told.min(self.facts[value].hi()));
        let shifted = match self.func.dfg.as_evm(value).filter(|_| depth > 0) {
            Some((Opcode::SHL, [amount, shifted])) => self.amount(*amount).and_then(|amount| {
                let most = self.most(*shifted, bounds, depth - 1);
                (most <= Word::MAX >> amount).then(|| most << amount)
            }),
            _ => None,
        };
        shifted.map_or(known, |shifted| shifted.min(known))
    }

    /// Bits of a shift that leaves some; nothing is known of words that were not visited but what they are.
    fn amount(&self, value: Value) -> Option<usize> {
        let bits = self.func.dfg.as_const(value).and_then(|word| usize::try_from(word).ok());
        bits.filter(|bits| *bits < 256)
    }

    /// Notes what a condition tells that holds, or fails.
    fn note_bounds(&self, condition: Value, truth: Truth, depth: u32, bounds: &mut Bounds) {
        let Some((opcode, args)) = self.func.dfg.as_evm(condition).filter(|_| depth > 0) else { return };
        match (opcode, args, truth) {
            (Opcode::ISZERO, [inner], _) => self.note_bounds(*inner, !truth, depth - 1, bounds),
            (Opcode::OR, [a, b], Truth::Fails) => {
                self.note_bounds(*a, truth, depth - 1, bounds);
                self.note_bounds(*b, truth, depth - 1, bounds);
            }
            (Opcode::SHR, [amount, shifted], Truth::Fails) => {
                if let Some(amount) = self.amount(*amount) {
                    bounds.push((*shifted, word::low_mask(amount)));
                }
            }
            (Opcode::GT, [value, most], Truth::Fails) | (Opcode::LT, [most, value], Truth::Fails) => {
                if let Some(most) = self.func.dfg.as_const(*most) {
                    bounds.push((*value, most));
                }
            }
            _ => {}
        }
    }
}

/// What its condition does where a check fails.
fn failure(check: &Check) -> Truth {
    if check.fails_if_true { Truth::Holds } else { Truth::Fails }
}
