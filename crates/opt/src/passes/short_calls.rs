//! `short-calls`: leaves out the check for call data too short to name a function.
//!
//! Where call data ends, reading it gives zeros. So the name of a function that call data of less than
//! four bytes seems to give ends with a zero byte, and a dispatch that knows no such name fails as the
//! check does.
//!
//! ```text
//! ^e:                                  ^e:
//!   %n = evm.calldatasize                %n = evm.calldatasize
//!   %short = evm.lt %n, %four            %short = evm.lt %n, %four
//!   evm.condbr %short, ^fail, ^d   =>    evm.br ^d
//! ^d:                                  ^d:
//!   %word = evm.calldataload %zero       …
//!   %name = evm.shr %c224, %word
//!   %is_f = evm.eq %name, %c0x12345678
//!   evm.condbr %is_f, ^f, ^fail
//! ```
//!
//! The short way must revert without data. Then every way from the other arm that short call data can
//! take must end so, too, with nothing before that is seen after a revert. Which ways those are follows
//! from the bits that are zero then and from comparisons of the size; any other branch may go both ways.
//! Unknown calls cost more gas (A1), all others 21 gas less.
//!
//! What was simplified because the check had been passed stays true: short call data does not get there.
//! It can't be found out anew, so this comes after the last `simplify`.
//!
//! Needs nothing, preserves promotion. Cost: blocks for each check of the size, of which most programs
//! have one; at most [`MAX_CHECKS`] are looked at.

use crate::edit::remove_unreachable_blocks;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::silent::{leaves_no_trace, reverts_without_data};
use cairn_analysis::Cfg;
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{Block, BlockCall, EntityRef, Function, Inst, Op, Payload, Value};

/// Checks of one function that are looked at.
const MAX_CHECKS: usize = 8;
/// Blocks that only jump which are followed.
const MAX_JUMPS: usize = 4;
/// How deep a value is looked into.
const MAX_DEPTH: u32 = 8;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "short-calls",
    summary: "leaves out the check for call data too short to name a function",
    needs: &[],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, _: &mut PassContext<'_>) -> Changed {
    let cfg = Cfg::compute(func);
    let checks = cfg.rpo().iter().filter_map(|block| Check::at_end_of(func, *block));
    let needless: Vec<Check> =
        checks.take(MAX_CHECKS).filter(|check| check.is_needless(func, &cfg)).collect();
    for check in &needless {
        func.dfg.replace_inst(check.branch, Op::Br, &[], Payload::Jump(check.rest));
    }
    if !needless.is_empty() {
        remove_unreachable_blocks(func);
    }
    Changed::from(!needless.is_empty())
}

/// A branch that sends call data below some size to a revert.
struct Check {
    block: Block,
    branch: Inst,
    /// Where longer call data goes.
    rest: BlockCall,
    short: Short,
}

impl Check {
    fn at_end_of(func: &Function, block: Block) -> Option<Check> {
        let branch = func.terminator(block)?;
        let Payload::Branch([nonzero, zero]) = func.dfg.inst(branch).payload else { return None };
        let (limit, is_short_if_true) = size_test(func, func.dfg.args(branch)[0], MAX_DEPTH)?;
        let (fail, rest) = if is_short_if_true { (nonzero, zero) } else { (zero, nonzero) };
        let check = Check { block, branch, rest, short: Short { limit } };
        fails_silently(func, fail.block).then_some(check)
    }

    /// True when short call data fails without the check, too.
    fn is_needless(&self, func: &Function, cfg: &Cfg) -> bool {
        let mut seen = vec![false; func.num_blocks()];
        let mut worklist = vec![(self.block, self.rest.block)];
        while let Some((from, block)) = worklist.pop() {
            if reverts_without_data(func, block) {
                continue;
            }
            // Going round for ever is no revert.
            if cfg.is_retreating(from, block) || !leaves_no_trace(func, block) {
                return false;
            }
            if std::mem::replace(&mut seen[block.index()], true) {
                continue;
            }
            let Some(last) = func.terminator(block) else { return false };
            match func.dfg.inst(last).payload {
                Payload::Jump(target) => worklist.push((block, target.block)),
                Payload::Branch([nonzero, zero]) => {
                    let truth = self.short.truth(func, func.dfg.args(last)[0], MAX_DEPTH);
                    let arms = [(nonzero, truth != Some(false)), (zero, truth != Some(true))];
                    let open = arms.iter().filter(|(_, is_open)| *is_open);
                    worklist.extend(open.map(|(call, _)| (block, call.block)));
                }
                Payload::Switch(_) => {
                    func.dfg.for_each_target(last, |call| worklist.push((block, call.block)))
                }
                _ => return false,
            }
        }
        true
    }
}

/// True when a block, or one that blocks lead to which only jump, reverts without data.
fn fails_silently(func: &Function, block: Block) -> bool {
    let next = |block: &Block| {
        let only = func.terminator(*block).filter(|last| func.layout.first_inst(*block) == Some(*last))?;
        match func.dfg.inst(only).payload {
            Payload::Jump(target) => Some(target.block),
            _ => None,
        }
    };
    let ends = std::iter::successors(Some(block), next).take(MAX_JUMPS);
    ends.last().is_some_and(|end| reverts_without_data(func, end))
}

/// The number of bytes that a condition compares the size of call data with, and whether it holds
/// for less.
fn size_test(func: &Function, condition: Value, depth: u32) -> Option<(usize, bool)> {
    let (opcode, args) = operation(func, condition).filter(|_| depth > 0)?;
    let is_size = |value: &Value| operation(func, *value).is_some_and(|(op, _)| op == Opcode::CALLDATASIZE);
    let number = |value: Value| func.dfg.as_const(value).and_then(|word| u16::try_from(word).ok());
    let (limit, is_less) = match (opcode, args) {
        (Opcode::ISZERO, [inner]) => {
            let (limit, is_less) = size_test(func, *inner, depth - 1)?;
            return Some((limit, !is_less));
        }
        (Opcode::LT, [size, limit]) if is_size(size) => (number(*limit)?, true),
        (Opcode::GT, [limit, size]) if is_size(size) => (number(*limit)?, true),
        (Opcode::LT, [limit, size]) if is_size(size) => (number(*limit)?.checked_add(1)?, false),
        (Opcode::GT, [size, limit]) if is_size(size) => (number(*limit)?.checked_add(1)?, false),
        (Opcode::SHR, [amount, size]) if is_size(size) => (1u16.checked_shl(number(*amount)?.into())?, false),
        _ => return None,
    };
    (limit > 0).then_some((usize::from(limit), is_less))
}

fn operation(func: &Function, value: Value) -> Option<(Opcode, &[Value])> {
    let inst = func.dfg.def_inst(value)?;
    match func.dfg.op(inst) {
        Op::Evm(opcode) => Some((opcode, func.dfg.args(inst))),
        _ => None,
    }
}

/// What holds of call data with less than `limit` bytes.
#[derive(Clone, Copy)]
struct Short {
    limit: usize,
}

impl Short {
    /// Bits of a value that are zero.
    fn zeros(self, func: &Function, value: Value, depth: u32) -> Word {
        if let Some(word) = func.dfg.as_const(value) {
            return !word;
        }
        let Some((opcode, args)) = operation(func, value).filter(|_| depth > 0) else { return Word::ZERO };
        let of = |value| self.zeros(func, value, depth - 1);
        match opcode {
            Opcode::CALLDATALOAD if func.dfg.as_const(args[0]).is_some_and(|from| from.is_zero()) => {
                word::low_mask(256 - 8 * (self.limit - 1).min(32))
            }
            Opcode::SHR => match func.dfg.as_const(args[0]).and_then(|amount| usize::try_from(amount).ok()) {
                Some(amount) if amount < 256 => (of(args[1]) >> amount) | !(Word::MAX >> amount),
                _ => Word::ZERO,
            },
            Opcode::AND => of(args[0]) | of(args[1]),
            Opcode::OR | Opcode::XOR => of(args[0]) & of(args[1]),
            _ => Word::ZERO,
        }
    }

    /// Whether a value is zero, if that is known.
    fn truth(self, func: &Function, value: Value, depth: u32) -> Option<bool> {
        if self.zeros(func, value, depth) == Word::MAX {
            return Some(false);
        }
        if let Some((limit, is_less)) = size_test(func, value, depth) {
            // What is below this limit is below a greater one.
            return (self.limit <= limit).then_some(is_less);
        }
        let (opcode, args) = operation(func, value).filter(|_| depth > 0)?;
        let truth = |value| self.truth(func, value, depth - 1);
        // True when one has a bit that the other can't have.
        let differ = || {
            let differs = |one, other| {
                func.dfg.as_const(one).is_some_and(|word| !(word & self.zeros(func, other, depth)).is_zero())
            };
            differs(args[0], args[1]) || differs(args[1], args[0])
        };
        match opcode {
            Opcode::ISZERO => truth(args[0]).map(|truth| !truth),
            Opcode::EQ => differ().then_some(false),
            Opcode::XOR | Opcode::SUB => differ().then_some(true),
            Opcode::OR => match (truth(args[0]), truth(args[1])) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            // Of words that are not both zero or one, a bit may be common or not.
            Opcode::AND => match (truth(args[0]), truth(args[1])) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                _ => None,
            },
            _ => None,
        }
    }
}
