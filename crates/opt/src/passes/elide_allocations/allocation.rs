//! Functions that do nothing but move the pointer to free memory, as long as what they are given is small.

use super::buffers::{Buffers, is_move};
use crate::pointer_word;
use cairn_evm::{Effects, Opcode, Word, word};
use cairn_ir::{Block, Function, Inst, Op, Payload, Value};

/// Bits of sizes that the pointer is moved by without a check failing for it, ever: of call data and return
/// data, rounded up. A move costs more than 8 gas, so a frame has fewer than 2^32 of them (A16), and adds
/// up less than 2^60.
pub(super) const SIZE_BITS: usize = 28;

/// Blocks of a function that are followed.
const MAX_BLOCKS: usize = 8;

/// How deep a value is looked into.
const MAX_DEPTH: u32 = 8;

/// The parameter that a function moves the pointer behind, if that is all that it does as long as it is
/// a pointer and the other parameters are below 2^28: then no check of its fails.
pub(super) fn moved_parameter(func: &Function, buffers: &Buffers) -> Option<usize> {
    let is_silent = func.signature.results.is_empty();
    let pointers = func.params().iter().enumerate().filter(|_| is_silent);
    pointers
        .filter(|(index, _)| buffers.params()[*index].moves_pointer)
        .find(|(_, value)| Sizes { func, pointer: **value }.only_move_pointer())
        .map(|(index, _)| index)
}

/// A function one of whose parameters is a pointer, while all others are small.
struct Sizes<'a> {
    func: &'a Function,
    pointer: Value,
}

impl Sizes<'_> {
    /// True if the function stores the pointer to free memory once, does nothing else and returns.
    fn only_move_pointer(&self) -> bool {
        let func = self.func;
        let (mut block, mut n_moves) = (func.layout.entry(), 0);
        for _ in 0..MAX_BLOCKS {
            for inst in func.layout.insts(block).filter(|inst| !func.dfg.op(*inst).is_terminator()) {
                let effects = func.dfg.op(inst).effects();
                match is_move(func, inst) {
                    true => n_moves += 1,
                    false if effects.intersects(Effects::WRITES) => return false,
                    false => {}
                }
            }
            let next = func.terminator(block).and_then(|end| self.next(end));
            match next {
                Some(next) => block = next,
                None => break,
            }
        }
        n_moves == 1 && func.terminator(block).is_some_and(|end| func.dfg.op(end) == Op::Iret)
    }

    /// Where a branch goes.
    fn next(&self, end: Inst) -> Option<Block> {
        let dfg = &self.func.dfg;
        let call = match dfg.inst(end).payload {
            Payload::Jump(call) => call,
            Payload::Branch([_, other]) if self.is_zero(dfg.args(end)[0], 0) => other,
            Payload::Branch([taken, _]) if self.is_not(dfg.args(end)[0]) => taken,
            _ => return None,
        };
        dfg.call_args(&call).is_empty().then_some(call.block)
    }

    /// True for `iszero` of what is zero.
    fn is_not(&self, value: Value) -> bool {
        let dfg = &self.func.dfg;
        dfg.def_inst(value)
            .is_some_and(|inst| dfg.op(inst) == Op::Evm(Opcode::ISZERO) && self.is_zero(dfg.args(inst)[0], 0))
    }

    /// True for conditions that only sums that are too large meet.
    fn is_zero(&self, value: Value, depth: u32) -> bool {
        let dfg = &self.func.dfg;
        let Some(inst) = dfg.def_inst(value).filter(|_| depth < MAX_DEPTH) else {
            return false;
        };
        let args = dfg.args(inst);
        let word = |index: usize| dfg.as_const(args[index]);
        match dfg.op(inst) {
            Op::Evm(Opcode::OR) => args.iter().all(|arg| self.is_zero(*arg, depth + 1)),
            Op::Evm(Opcode::GT) => {
                word(1).zip(self.most(args[0], 0)).is_some_and(|(word, most)| most <= word)
            }
            Op::Evm(Opcode::LT) => self.is_sum_with(args[0], args[1]),
            Op::Evm(Opcode::SHR) => {
                let by = word(0).and_then(|by| usize::try_from(by).ok());
                by.zip(self.most(args[1], 0))
                    .is_some_and(|(by, most)| by < Word::BITS && (most >> by).is_zero())
            }
            _ => false,
        }
    }

    /// True for a sum of a value and another one that does not wrap.
    fn is_sum_with(&self, sum: Value, part: Value) -> bool {
        let dfg = &self.func.dfg;
        let is_sum = dfg
            .def_inst(sum)
            .is_some_and(|inst| dfg.op(inst) == Op::Evm(Opcode::ADD) && dfg.args(inst).contains(&part));
        is_sum && self.most(sum, 0).is_some()
    }

    /// The most that a value can be; no sum in it wraps.
    fn most(&self, value: Value, depth: u32) -> Option<Word> {
        let dfg = &self.func.dfg;
        if value == self.pointer {
            return Some(word::low_mask(pointer_word::BITS));
        }
        if self.func.params().contains(&value) {
            return Some(word::low_mask(SIZE_BITS));
        }
        let inst = dfg.def_inst(value).filter(|_| depth < MAX_DEPTH)?;
        let args = dfg.args(inst);
        let most = |index: usize| self.most(args[index], depth + 1);
        match dfg.op(inst) {
            Op::Constant => dfg.inst_const(inst),
            Op::Evm(Opcode::ADD) => most(0)?.checked_add(most(1)?),
            Op::Evm(Opcode::AND) => most(0).into_iter().chain(most(1)).min(),
            _ => None,
        }
    }
}
