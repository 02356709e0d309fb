//! `encode-constants`: computes constants where that is cheaper than pushing their bytes.
//!
//! Effect: `PUSH32 ff…ff` → `PUSH0 NOT`, `PUSH20 ff…ff` → `PUSH0 NOT PUSH1 96 SHR`,
//! `PUSH32 12345678 00…` → `PUSH4 12345678 PUSH1 224 SHL`, `PUSH32 0101…01` →
//! `PUSH1 255 PUSH0 NOT DIV` (any quotient by a short number), and the complements of the others.
//! The choice is by gas · executions against bytes · price of a byte; by bytes alone where execution is bound
//! to fail. Of many executions only [`MAX_EXECUTIONS`] count. Shifts only where the fork has them.
//! Needs: to run last, for folding undoes it.

use super::cost::item_cost;
use super::flow::bound_to_fail;
use super::pass::{Level, Pass, PassContext, PassOptions};
use crate::program::{Item, ItemKind, Program};
use cairn_evm::{Cost, CostModel};
use cairn_evm::{Opcode, Word};
use smallvec::{SmallVec, smallvec};

/// Most executions that a constant is priced for. Long masks and selectors are an eighth of code in which every
/// constant is one push, and computing them costs a thousandth of the gas: code should rather be small enough to
/// be deployed (EIP-170).
const MAX_EXECUTIONS: u64 = 640;

/// Code that pushes one word; at most two shifts and two complements.
type Encoding = SmallVec<[ItemKind; 8]>;

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "encode-constants",
    summary: "computes constants where that is cheaper than pushing their bytes",
    level: Level::Full,
    run,
};

fn run(program: &mut Program, cx: &PassContext) -> usize {
    let mut changes = 0;
    // Most constants stay single pushes.
    let mut items = Vec::with_capacity(program.items.len() + program.items.len() / 16);
    let fails = bound_to_fail(&program.items, program.num_labels);
    let never = cx.never_run();
    for (item, fails) in program.items.iter().zip(fails) {
        match item.kind {
            ItemKind::Push(word) if word.byte_len() > 2 => {
                let encoding = best_encoding(word, if fails { &never } else { cx });
                changes += usize::from(encoding.len() > 1);
                items.extend(encoding.into_iter().map(|kind| Item { kind, ..*item }));
            }
            _ => items.push(*item),
        }
    }
    program.items = items;
    changes
}

/// What the code costs that a word is pushed by in deployed code.
pub fn word_cost(word: Word, options: &PassOptions) -> Cost {
    best_cost(word, &PassContext::new(options.fork, CostModel::deployed(options.runs)))
}

/// What the cheapest encoding of a word costs.
pub(super) fn best_cost(word: Word, cx: &PassContext) -> Cost {
    if word.byte_len() <= 2 { Cost::of_push(word, cx.fork) } else { cost(&best_encoding(word, cx), cx) }
}

fn cost(encoding: &Encoding, cx: &PassContext) -> Cost {
    encoding.iter().map(|kind| item_cost(*kind, cx.fork)).sum()
}

/// What constants are priced by.
pub(super) fn price(cx: &PassContext) -> CostModel {
    CostModel { executions: cx.cost.executions.min(MAX_EXECUTIONS), ..cx.cost }
}

fn best_encoding(word: Word, cx: &PassContext) -> Encoding {
    let mut best: Encoding = smallvec![ItemKind::Push(word)];
    let price = price(cx);
    let mut best_weight = price.weigh(cost(&best, cx));
    let mut consider = |encoding: Encoding| {
        let weight = price.weigh(cost(&encoding, cx));
        if weight < best_weight {
            (best, best_weight) = (encoding, weight);
        }
    };
    let complement = |mut encoding: Encoding| {
        encoding.push(ItemKind::Op(Opcode::NOT));
        encoding
    };
    consider(smallvec![ItemKind::Push(!word), ItemKind::Op(Opcode::NOT)]);
    if Opcode::SHL.exists_in(cx.fork) {
        shifted(word).into_iter().for_each(&mut consider);
        shifted(!word).into_iter().map(complement).for_each(&mut consider);
    }
    quotient(word).into_iter().for_each(&mut consider);
    best
}

/// Encodings by shifts: a short word to the left; ones to the right, then perhaps to the left.
fn shifted(word: Word) -> SmallVec<[Encoding; 2]> {
    let mut encodings = SmallVec::new();
    if word.is_zero() {
        return encodings;
    }
    let zeros = word.trailing_zeros();
    let narrow = word >> zeros;
    let shift = |amount: usize, opcode| [ItemKind::Push(Word::from(amount)), ItemKind::Op(opcode)];
    if zeros > 0 {
        let mut encoding: Encoding = smallvec![ItemKind::Push(narrow)];
        encoding.extend(shift(zeros, Opcode::SHL));
        encodings.push(encoding);
    }
    let width = narrow.bit_len();
    if narrow.count_ones() == width {
        let mut encoding: Encoding = smallvec![ItemKind::Push(Word::ZERO), ItemKind::Op(Opcode::NOT)];
        if zeros + width < 256 {
            encoding.extend(shift(256 - width, Opcode::SHR));
        }
        if zeros > 0 {
            encoding.extend(shift(zeros, Opcode::SHL));
        }
        encodings.push(encoding);
    }
    encodings
}

/// 2²⁵⁶ − 1 divided by a short divisor, rounded down: a repeated pattern of bits, a bound of factors.
fn quotient(word: Word) -> Option<Encoding> {
    let divisor = Word::MAX.checked_div(word)?;
    let exact = Word::MAX / divisor == word && divisor > Word::ONE;
    let ones = [ItemKind::Push(Word::ZERO), ItemKind::Op(Opcode::NOT)];
    exact.then(|| {
        std::iter::once(ItemKind::Push(divisor)).chain(ones).chain([ItemKind::Op(Opcode::DIV)]).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::CostModel;
    use cairn_evm::{Fork, word};

    fn encode(word: Word, runs: u64, fork: Fork) -> Vec<ItemKind> {
        let cx = PassContext::new(fork, CostModel::deployed(runs));
        let mut program = Program { items: vec![ItemKind::Push(word).into()], ..Program::default() };
        run(&mut program, &cx);
        program.items.iter().map(|item| item.kind).collect()
    }

    fn push(word: u64) -> ItemKind {
        ItemKind::Push(Word::from(word))
    }

    fn op(opcode: Opcode) -> ItemKind {
        ItemKind::Op(opcode)
    }

    /// The word that an encoding leaves on an empty stack.
    fn value(encoding: &[ItemKind]) -> Word {
        let mut stack = Vec::new();
        for kind in encoding {
            match kind {
                ItemKind::Push(word) => stack.push(*word),
                ItemKind::Op(opcode) => {
                    let inputs = usize::from(opcode.known().inputs);
                    let operands: Vec<Word> = stack.drain(stack.len() - inputs..).rev().collect();
                    stack.push(word::eval(*opcode, &operands).expect("a computation"));
                }
                _ => panic!("{kind:?} is no part of an encoding"),
            }
        }
        assert_eq!(stack.len(), 1);
        stack[0]
    }

    #[test]
    fn shapes() {
        let osaka = |word| encode(word, 200, Fork::Osaka);
        assert_eq!(osaka(Word::MAX), [push(0), op(Opcode::NOT)]);
        assert_eq!(osaka(word::low_mask(160)), [push(0), op(Opcode::NOT), push(96), op(Opcode::SHR)]);
        let selector = Word::from(0x1234_5678) << 224;
        assert_eq!(osaka(selector), [push(0x1234_5678 >> 3), push(227), op(Opcode::SHL)]);
        let ones = Word::MAX / Word::from(255);
        assert_eq!(osaka(ones), [push(255), push(0), op(Opcode::NOT), op(Opcode::DIV)]);
        assert_eq!(osaka(!Word::from(31)), [push(31), op(Opcode::NOT)]);
        assert_eq!(osaka(Word::from(0x12_3456)), [push(0x12_3456)]);
    }

    #[test]
    fn what_fails_is_short_however_often_the_rest_runs() {
        let push = Item::from(ItemKind::Push(word::low_mask(160)));
        let mut program = Program::new("a");
        program.items.extend([push, Item::from(Opcode::STOP), push, Item::from(Opcode::REVERT)]);
        let cx = PassContext::new(Fork::Osaka, CostModel::deployed(1_000_000));
        assert_eq!(run(&mut program, &cx), 1);
        let kinds: Vec<ItemKind> = program.items.iter().map(|item| item.kind).collect();
        let computed = encode(word::low_mask(160), 1, Fork::Osaka);
        let expected = [&[push.kind, op(Opcode::STOP)], &computed[..], &[op(Opcode::REVERT)]].concat();
        assert_eq!(kinds, expected);
    }

    #[test]
    fn many_runs_prefer_gas() {
        assert_eq!(encode(word::low_mask(160), 1000, Fork::Osaka), [ItemKind::Push(word::low_mask(160))]);
        // But no number of runs is worth any number of bytes.
        let selector = Word::from(0x1234_5678) << 224;
        assert_eq!(encode(selector, 1_000_000, Fork::Osaka).len(), 3);
    }

    #[test]
    fn no_shifts_before_constantinople() {
        let divided = [ItemKind::Push(Word::ONE << 96), push(0), op(Opcode::NOT), op(Opcode::DIV)];
        assert_eq!(encode(word::low_mask(160), 1, Fork::Byzantium), divided);
        assert_eq!(encode(Word::MAX, 1, Fork::Byzantium), [push(0), op(Opcode::NOT)]);
    }

    #[test]
    fn encodings_have_the_value() {
        let mut words = vec![Word::ONE, Word::MAX];
        for low in 0..256 {
            for width in [1, 7, 8, 31, 100, 160, 255] {
                let ones: Word = word::low_mask(width) << low;
                let short: Word = Word::from(0xabcd_ef01_u64) << low;
                words.extend([ones, !ones, short, !short]);
            }
        }
        words.extend((1..2000u64).map(|divisor| Word::MAX / Word::from(divisor)));
        for word in words {
            assert_eq!(value(&encode(word, 1, Fork::Osaka)), word);
        }
    }
}
