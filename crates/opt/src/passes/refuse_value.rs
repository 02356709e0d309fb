//! `refuse-value`: lets the dispatch refuse value, without a check of its own.
//!
//! A dispatch reads the first word of call data, which names the function. Read at
//! `0 - callvalue` it is the same word without value. With any it is what stands far up in the address space,
//! where no call data reaches (A12): zero. So a call with value names the function zero, and a dispatch that
//! knows no such function fails as the check does.
//!
//! ```text
//! ^e:                                  ^e:
//!   %v = evm.callvalue                   %v = evm.callvalue
//!   evm.condbr %v, ^fail, ^d       =>    evm.br ^d
//! ^d:                                  ^d:
//!   %word = evm.calldataload %zero       %w = evm.callvalue
//!                                        %at = evm.sub %zero, %w
//!                                        %word = evm.calldataload %at
//!   %name = evm.shr %c224, %word         %name = evm.shr %c224, %word
//!   %is_f = evm.eq %name, %c0x12345678   %is_f = evm.eq %name, %c0x12345678
//!   evm.condbr %is_f, ^f, ^fail          evm.condbr %is_f, ^f, ^fail
//! ```
//!
//! Fires for a check whose failing way reverts without data, if every way from the other that the word zero
//! can take does so, too, with nothing before that is seen after a revert
//! ([`refused`](crate::refused)). The word must be read behind the check alone, or right before it. Calls with
//! value cost more gas (A1), all others 10 gas less.
//!
//! What was simplified because the check had been passed stays true: value does not get there. It
//! can't be found out anew, so this comes after the last `simplify`.
//!
//! Needs nothing, preserves promotion. Cost: blocks for each check of value before a word, of which most
//! programs have at most one; at most [`MAX_TRIALS`] are looked at.

use crate::checks::fails_silently;
use crate::edit::remove_unreachable_blocks;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::refused::{Known, is_first_word, is_refused};
use crate::silent::is_forgotten;
use cairn_analysis::{Cfg, Dominators};
use cairn_evm::{Opcode, Word};
use cairn_ir::cursor::Cursor;
use cairn_ir::{Block, BlockCall, Function, Inst, Op, Payload, Type, Value};

/// Pairs of a check and a word that are looked at in one function.
const MAX_TRIALS: usize = 8;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "refuse-value",
    summary: "lets the dispatch refuse value instead of a check before it",
    needs: &[],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, _: &mut PassContext<'_>) -> Changed {
    let cfg = Cfg::compute(func);
    let checks: Vec<Check> = cfg.rpo().iter().filter_map(|block| Check::at_end_of(func, *block)).collect();
    if checks.is_empty() {
        return Changed::No;
    }
    let dominators = Dominators::compute(&cfg);
    let words = first_words(func, &cfg);
    let pairs = checks.iter().flat_map(|check| words.iter().map(move |word| (check, word)));
    let pairs = pairs.filter(|(check, word)| word.is_read_behind(func, &cfg, &dominators, check));
    let found = pairs.take(MAX_TRIALS).find(|(check, word)| {
        let named_zero = NamedZero { word: func.dfg.result(word.load) };
        is_refused(func, &cfg, &named_zero, (check.block, check.rest.block))
    });
    let Some((check, word)) = found else { return Changed::No };
    let (branch, rest, load) = (check.branch, check.rest, word.load);
    func.dfg.replace_inst(branch, Op::Br, &[], Payload::Jump(rest));
    read_unless_paid(func, load);
    // The way to fail that only the check led to.
    remove_unreachable_blocks(func);
    Changed::Yes
}

/// A branch that sends value to a revert.
struct Check {
    block: Block,
    branch: Inst,
    /// Where calls without value go.
    rest: BlockCall,
}

impl Check {
    fn at_end_of(func: &Function, block: Block) -> Option<Check> {
        let branch = func.terminator(block)?;
        let Payload::Branch([nonzero, zero]) = func.dfg.inst(branch).payload else { return None };
        let (fail, rest) = match func.dfg.as_evm(func.dfg.args(branch)[0])? {
            (Opcode::CALLVALUE, _) => (nonzero, zero),
            (Opcode::ISZERO, [value]) if is_value(func, *value) => (zero, nonzero),
            _ => return None,
        };
        fails_silently(func, fail).then_some(Check { block, branch, rest })
    }
}

fn is_value(func: &Function, value: Value) -> bool {
    func.dfg.as_evm(value).is_some_and(|(opcode, _)| opcode == Opcode::CALLVALUE)
}

/// A load of the first word of call data.
struct FirstWord {
    block: Block,
    load: Inst,
}

fn first_words(func: &Function, cfg: &Cfg) -> Vec<FirstWord> {
    let is_load = |inst: &Inst| match func.dfg.op(*inst) {
        Op::Evm(opcode) => is_first_word(func, opcode, func.dfg.args(*inst)),
        _ => false,
    };
    let of_block =
        |block: Block| func.layout.insts(block).filter(is_load).map(move |load| FirstWord { block, load });
    cfg.rpo().iter().flat_map(|block| of_block(*block)).collect()
}

impl FirstWord {
    /// True when only ways past the check see the word, and what nobody sees before it.
    fn is_read_behind(&self, func: &Function, cfg: &Cfg, dominators: &Dominators, check: &Check) -> bool {
        if self.block == check.block {
            let before_end = |inst: &Inst| *inst != check.branch;
            let behind = func.layout.insts(self.block).skip_while(|inst| *inst != self.load);
            return behind.take_while(before_end).all(|inst| is_forgotten(func, inst));
        }
        let rest = check.rest.block;
        cfg.preds(rest) == [check.block] && dominators.dominates(rest, self.block)
    }
}

/// What holds of a call whose first word is taken to be zero because it has value.
struct NamedZero {
    word: Value,
}

impl Known for NamedZero {
    fn zeros(&self, _: &Function, value: Value) -> Word {
        if value == self.word { Word::MAX } else { Word::ZERO }
    }

    fn truth(&self, func: &Function, value: Value) -> Option<bool> {
        is_value(func, value).then_some(true)
    }
}

/// Has a load of the first word find zero in calls with value.
fn read_unless_paid(func: &mut Function, load: Inst) {
    let mut cursor = Cursor::before(func, load);
    let value = cursor.evm(Opcode::CALLVALUE, &[], Type::U256);
    let zero = cursor.func.dfg.args(load)[0];
    let place = cursor.evm(Opcode::SUB, &[zero, value], Type::U256);
    func.dfg.args_mut(load)[0] = place;
}
