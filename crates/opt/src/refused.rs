//! Calls that are refused: whatever way they take, they revert without data, and nothing before that is
//! seen afterwards.
//!
//! Which ways a call can take follows from what is [`Known`] of it: bits that are zero, words that are or are
//! not. A branch that nothing is known of may go both ways. Going round for ever is no revert.

use crate::silent::{leaves_no_trace, reverts_without_data};
use cairn_analysis::Cfg;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, EntityRef, Function, Payload, Value};

/// How deep a value is looked into.
pub(crate) const MAX_DEPTH: u32 = 8;

/// What is known of a call beyond what follows from operands.
pub(crate) trait Known {
    /// Bits of a value that are zero.
    fn zeros(&self, func: &Function, value: Value) -> Word;
    /// Whether a value is not zero, if that is known.
    fn truth(&self, func: &Function, value: Value) -> Option<bool>;
}

/// True when such a call is refused that goes from one block to another.
pub(crate) fn is_refused(func: &Function, cfg: &Cfg, known: &impl Known, edge: (Block, Block)) -> bool {
    let mut seen = vec![false; func.num_blocks()];
    let mut worklist = vec![edge];
    while let Some((from, block)) = worklist.pop() {
        if reverts_without_data(func, block) {
            continue;
        }
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
                let truth = truth(func, known, func.dfg.args(last)[0], MAX_DEPTH);
                let arms = [(nonzero, truth != Some(false)), (zero, truth != Some(true))];
                let open = arms.iter().filter(|(_, is_open)| *is_open);
                worklist.extend(open.map(|(call, _)| (block, call.block)));
            }
            Payload::Switch(_) => {
                func.dfg.for_each_target(last, |call| worklist.push((block, call.block)));
            }
            _ => return false,
        }
    }
    true
}

/// True when an operation loads the first word of call data.
pub(crate) fn is_first_word(func: &Function, opcode: Opcode, args: &[Value]) -> bool {
    opcode == Opcode::CALLDATALOAD && func.dfg.as_const(args[0]).is_some_and(|from| from.is_zero())
}

/// Bits of a value that are zero.
fn zeros(func: &Function, known: &impl Known, value: Value, depth: u32) -> Word {
    if let Some(word) = func.dfg.as_const(value) {
        return !word;
    }
    let Some((opcode, args)) = func.dfg.as_evm(value).filter(|_| depth > 0) else {
        return known.zeros(func, value);
    };
    let of = |value| zeros(func, known, value, depth - 1);
    let shifted = |shift: fn(Word, usize) -> Word| {
        let amount = func.dfg.as_const(args[0]).and_then(|amount| usize::try_from(amount).ok());
        let amount = amount.filter(|amount| *amount < 256)?;
        Some(shift(of(args[1]), amount) | !shift(Word::MAX, amount))
    };
    let follows = match opcode {
        Opcode::SHR => shifted(|word, amount| word >> amount).unwrap_or_default(),
        Opcode::AND => of(args[0]) | of(args[1]),
        Opcode::OR | Opcode::XOR => of(args[0]) & of(args[1]),
        // Nothing, divided.
        Opcode::DIV if of(args[0]) == Word::MAX => Word::MAX,
        _ => Word::ZERO,
    };
    follows | known.zeros(func, value)
}

/// Whether a value is not zero, if that is known.
fn truth(func: &Function, known: &impl Known, value: Value, depth: u32) -> Option<bool> {
    if zeros(func, known, value, depth) == Word::MAX {
        return Some(false);
    }
    if let Some(truth) = known.truth(func, value) {
        return Some(truth);
    }
    let (opcode, args) = func.dfg.as_evm(value).filter(|_| depth > 0)?;
    let truth = |value| truth(func, known, value, depth - 1);
    // True when one has a bit that the other can't have.
    let differ = || {
        let differs = |one, other| {
            let word = func.dfg.as_const(one);
            word.is_some_and(|word| !(word & zeros(func, known, other, depth)).is_zero())
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
