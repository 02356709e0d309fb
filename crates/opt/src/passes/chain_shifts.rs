//! `chain-shifts`: computes the longer of two shifts of a word from the shorter, where the word is for them alone.
//!
//! ```text
//!   %name = evm.shr 224, %word              %name = evm.shr 224, %word
//!   %bits = evm.shr 236, %word         =>   %bits = evm.shr 12, %name
//!   … %name …                               … %name …
//! ```
//!
//! `simplify` makes one shift of two, which serves where nobody else asks for the first. Where somebody does, both
//! are copied from the word, which is kept for the second; so the second is computed from the first, which is kept
//! anyway: a dispatch by a table asks for bits of the name, and then for the name. The amounts are constant, the
//! longer one below 256, the word has no other use, and the shorter shift has one behind.
//!
//! Needs nothing. Preserves everything but where constants stand. Cost: linear.

use crate::edit::constant_before;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Function, Inst, Op, Payload, Value};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "chain-shifts",
    summary: "computes the longer of two shifts of a word from the shorter",
    needs: &[],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// A word shifted right by a constant.
struct Shift {
    inst: Inst,
    amount: usize,
    word: Value,
}

/// Runs the pass.
pub(crate) fn run(func: &mut Function, _: &mut PassContext<'_>) -> Changed {
    let blocks: Vec<Block> = func.layout.blocks().collect();
    let pairs: Vec<(Shift, Shift)> =
        blocks.into_iter().flat_map(|block| neighbours(shifts(func, block))).collect();
    if pairs.is_empty() {
        return Changed::No;
    }
    let uses = func.count_uses();
    let mut changed = false;
    for (first, second) in pairs {
        let is_for_both = uses[first.word] == 2 && uses[func.dfg.result(first.inst)] > 0;
        if !is_for_both || first.amount >= second.amount {
            continue;
        }
        let rest = constant_before(func, second.inst, Word::from(second.amount - first.amount));
        let shorter = func.dfg.result(first.inst);
        func.dfg.replace_inst(second.inst, Op::Evm(Opcode::SHR), &[rest, shorter], Payload::None);
        changed = true;
    }
    Changed::from(changed)
}

/// The shifts of a block, in order.
fn shifts(func: &Function, block: Block) -> Vec<Shift> {
    let shift = |inst: Inst| {
        let [amount, word] = *func.dfg.args(inst) else { return None };
        let amount = usize::try_from(func.dfg.as_const(amount)?).ok().filter(|amount| *amount < 256)?;
        let is_word = func.dfg.as_const(word).is_none();
        (func.dfg.op(inst) == Op::Evm(Opcode::SHR) && is_word).then_some(Shift { inst, amount, word })
    };
    func.layout.insts(block).filter_map(shift).collect()
}

/// Pairs of shifts of one word that stand behind each other.
fn neighbours(shifts: Vec<Shift>) -> impl Iterator<Item = (Shift, Shift)> {
    let mut before: Option<Shift> = None;
    shifts.into_iter().filter_map(move |shift| match before.take() {
        Some(first) if first.word == shift.word => Some((first, shift)),
        _ => {
            before = Some(shift);
            None
        }
    })
}
