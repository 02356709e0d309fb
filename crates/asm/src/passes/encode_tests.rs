//! `encode-tests`: asks by a comparison whether a word has high bits, where that is cheaper than a shift.
//!
//! Effect: `PUSH1 32 SHR ISZERO ISZERO` → `PUSH4 0xffffffff LT`, `PUSH1 64 SHR ISZERO` →
//! `PUSH9 0x010000000000000000 GT`: 6 gas instead of 12 or 9, for the bytes of the constant, whose own encoding counts.
//! The choice is as that of `encode-constants`, which comes behind. Where a branch alone asks, the shift is
//! its condition, and there is nothing to compare.
//! Needs: to run behind the rounds, for rules prefer the shift. Cost: linear.

use super::cost::item_cost;
use super::encode_constants::{best_cost, price};
use super::flow::bound_to_fail;
use super::pass::{Level, Pass, PassContext};
use crate::program::{Item, ItemKind, Program};
use cairn_evm::{Cost, Opcode, Word, word};

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "encode-tests",
    summary: "asks by a comparison whether a word has high bits, where that is cheaper",
    level: Level::Quick,
    run,
};

fn run(program: &mut Program, cx: &PassContext) -> usize {
    let mut changes = 0;
    let mut items: Vec<Item> = Vec::with_capacity(program.items.len());
    let fails = bound_to_fail(&program.items, program.num_labels);
    let never = cx.never_run();
    let mut at = 0;
    while at < program.items.len() {
        let test = Test::at(&program.items[at..]);
        match test.filter(|test| test.pays(if fails[at] { &never } else { cx })) {
            Some(test) => {
                let first = program.items[at];
                items.extend(test.comparison().map(|kind| Item { kind, ..first }));
                at += test.length();
                changes += 1;
            }
            None => {
                items.push(program.items[at]);
                at += 1;
            }
        }
    }
    program.items = items;
    changes
}

/// Whether the word on top has bits from this one on.
#[derive(Clone, Copy)]
struct Test {
    bit: usize,
    /// It has none.
    is_negated: bool,
}

impl Test {
    /// The test that begins here.
    fn at(items: &[Item]) -> Option<Test> {
        let is = |index: usize, opcode: Opcode| {
            items.get(index).is_some_and(|item| item.kind == ItemKind::Op(opcode))
        };
        let ItemKind::Push(amount) = items.first()?.kind else { return None };
        let bit = usize::try_from(amount).ok().filter(|bit| (1..256).contains(bit))?;
        let is_test = is(1, Opcode::SHR) && is(2, Opcode::ISZERO);
        is_test.then(|| Test { bit, is_negated: !is(3, Opcode::ISZERO) })
    }

    /// Items of the test by a shift.
    fn length(self) -> usize {
        if self.is_negated { 3 } else { 4 }
    }

    fn comparison(self) -> [ItemKind; 2] {
        let (constant, opcode) = match self.is_negated {
            true => (Word::from(1) << self.bit, Opcode::GT),
            false => (word::low_mask(self.bit), Opcode::LT),
        };
        [ItemKind::Push(constant), ItemKind::Op(opcode)]
    }

    fn pays(self, cx: &PassContext) -> bool {
        let op = |opcode| item_cost(ItemKind::Op(opcode), cx.fork);
        let tests = (0..self.length() - 2).map(|_| op(Opcode::ISZERO)).sum::<Cost>();
        let by_shift = Cost::of_push(Word::from(self.bit), cx.fork) + op(Opcode::SHR) + tests;
        let [ItemKind::Push(constant), comparison] = self.comparison() else { return false };
        let by_comparison = best_cost(constant, cx) + item_cost(comparison, cx.fork);
        price(cx).weigh(by_comparison) < price(cx).weigh(by_shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::{CostModel, Fork};

    /// The code of a test of this bit behind the pass, for so many executions.
    fn encoded(bit: u64, tests: usize, runs: u64) -> Vec<ItemKind> {
        let mut items = vec![ItemKind::Push(Word::from(bit)), ItemKind::Op(Opcode::SHR)];
        items.extend(std::iter::repeat_n(ItemKind::Op(Opcode::ISZERO), tests));
        let mut program = Program::new("a");
        program.items = items.into_iter().map(Item::from).collect();
        run(&mut program, &PassContext::new(Fork::Osaka, CostModel::deployed(runs)));
        program.items.iter().map(|item| item.kind).collect()
    }

    #[test]
    fn a_comparison_says_the_same() {
        let words = |bit: usize| [Word::ZERO, word::low_mask(bit), Word::from(1) << bit, Word::MAX];
        for (bit, is_negated) in [(1, false), (32, true), (32, false), (128, true), (255, false)] {
            let [ItemKind::Push(constant), ItemKind::Op(opcode)] = Test { bit, is_negated }.comparison()
            else {
                panic!("a constant and a comparison")
            };
            for word in words(bit) {
                let has_bits = !(word >> bit).is_zero();
                let expected = Word::from(u64::from(has_bits != is_negated));
                assert_eq!(
                    word::eval(opcode, &[constant, word]),
                    Some(expected),
                    "{bit} {is_negated} {word}"
                );
            }
        }
    }

    #[test]
    fn bytes_count_as_executions_say() {
        assert_eq!(encoded(32, 2, 200).len(), 2);
        assert_eq!(encoded(128, 2, 200).len(), 4);
        assert_eq!(encoded(32, 2, 1).len(), 4);
        assert_eq!(encoded(64, 1, 200).len(), 3);
        assert_eq!(encoded(64, 1, 10_000).len(), 2);
    }

    #[test]
    fn other_shifts_stay() {
        assert_eq!(encoded(0, 2, 200).len(), 4);
        assert_eq!(encoded(256, 2, 200).len(), 4);
        assert_eq!(encoded(8, 0, 200).len(), 2);
    }
}
