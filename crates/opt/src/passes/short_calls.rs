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

use crate::checks::fails_silently;
use crate::edit::remove_unreachable_blocks;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::refused::{Known, MAX_DEPTH, is_first_word, is_refused};
use cairn_analysis::Cfg;
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{Block, BlockCall, Function, Inst, Op, Payload, Value};

/// Checks of one function that are looked at.
const MAX_CHECKS: usize = 8;

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
        fails_silently(func, fail).then_some(check)
    }

    /// True when short call data fails without the check, too.
    fn is_needless(&self, func: &Function, cfg: &Cfg) -> bool {
        is_refused(func, cfg, &self.short, (self.block, self.rest.block))
    }
}

/// The number of bytes that a condition compares the size of call data with, and whether it holds
/// for less.
fn size_test(func: &Function, condition: Value, depth: u32) -> Option<(usize, bool)> {
    let (opcode, args) = func.dfg.as_evm(condition).filter(|_| depth > 0)?;
    let is_size = |value: &Value| func.dfg.as_evm(*value).is_some_and(|(op, _)| op == Opcode::CALLDATASIZE);
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

/// What holds of call data with less than `limit` bytes.
#[derive(Clone, Copy)]
struct Short {
    limit: usize,
}

impl Known for Short {
    fn zeros(&self, func: &Function, value: Value) -> Word {
        match func.dfg.as_evm(value) {
            Some((opcode, args)) if is_first_word(func, opcode, args) => {
                word::low_mask(256 - 8 * (self.limit - 1).min(32))
            }
            _ => Word::ZERO,
        }
    }

    fn truth(&self, func: &Function, value: Value) -> Option<bool> {
        let (limit, is_less) = size_test(func, value, MAX_DEPTH)?;
        // What is below this limit is below a greater one.
        (self.limit <= limit).then_some(is_less)
    }
}
