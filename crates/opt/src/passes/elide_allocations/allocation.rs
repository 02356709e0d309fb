//! Functions that do nothing but move the pointer to free memory, and those that load it before and fill what
//! they allocate, as long as what they are given is small.

use super::buffers::{Buffers, is_move};
use super::callee::Callees;
use crate::pointer_word;
use cairn_evm::{Effects, Opcode, Word, word};
use cairn_ir::{Block, Function, Inst, Op, Payload, Value};
use smallvec::SmallVec;

/// Bits of sizes that the pointer is moved by without a check failing for it, ever: of call data and return
/// data, rounded up. A move costs more than 8 gas, so a frame has fewer than 2^32 of them (A16), and adds
/// up less than 2^60.
pub(super) const SIZE_BITS: usize = 28;

/// Bits of what an allocating function is given: what it adds, rounds up and moves the pointer by then has
/// less than [`SIZE_BITS`].
pub(super) const LENGTH_BITS: usize = SIZE_BITS - 1;

/// Blocks of a function that are followed.
const MAX_BLOCKS: usize = 8;

/// How deep a value is looked into.
const MAX_DEPTH: u32 = 8;

/// The parameter that a function moves the pointer behind, if that is all that it does as long as it is
/// a pointer and the other parameters are below 2^28: then no check of its fails.
pub(super) fn moved_parameter(func: &Function, buffers: &Buffers, callees: &Callees) -> Option<usize> {
    let is_silent = func.signature.results.is_empty();
    let pointers = func.params().iter().enumerate().filter(|_| is_silent);
    pointers
        .filter(|(index, _)| buffers.params()[*index].moves_pointer)
        .find(|(_, value)| {
            Sizes { func, pointer: **value, bits: SIZE_BITS, callees }.returned_by_move(|_| false).is_some()
        })
        .map(|(index, _)| index)
}

/// True for a function that loads the pointer, moves it behind what it fills there, gives back where that is and
/// does nothing else, as long as its parameters are below 2^27.
pub(super) fn only_allocates(func: &Function, buffers: &Buffers, callees: &Callees) -> bool {
    let mut loads =
        func.layout.insts(func.layout.entry()).filter(|inst| pointer_word::is_loaded(func, *inst));
    let (Some(load), None, [_]) = (loads.next(), loads.next(), &func.signature.results[..]) else {
        return false;
    };
    let pointer = func.dfg.result(load);
    let is_in_buffer = |value: Value| buffers.loads_of(value).any(|origin| buffers.value(origin) == pointer);
    let fills = |inst: Inst| {
        let args = func.dfg.args(inst);
        let is_fill = matches!(func.dfg.op(inst), Op::Evm(Opcode::MSTORE | Opcode::CALLDATACOPY));
        is_fill && is_in_buffer(args[0])
    };
    let sizes = Sizes { func, pointer, bits: LENGTH_BITS, callees };
    let returned = sizes.returned_by_move(fills);
    returned.is_some_and(|values| is_in_buffer(values[0]))
}

/// By how many bytes a function moves the pointer behind a parameter, if it does nothing else ([`moved_parameter`])
/// and that follows from words that other parameters are.
pub(super) fn moved_by(
    func: &Function,
    behind: usize,
    words: &[Option<Word>],
    callees: &Callees,
) -> Option<Word> {
    let pointer = func.params()[behind];
    let path = Sizes { func, pointer, bits: SIZE_BITS, callees }.path();
    let mut insts = path.iter().flat_map(|block| func.layout.insts(*block));
    let stored = insts.find(|inst| is_move(func, *inst)).map(|inst| func.dfg.args(inst)[1])?;
    let by = match func.dfg.as_evm(stored)? {
        (Opcode::ADD, &[start, by] | &[by, start]) if start == pointer => by,
        _ => return None,
    };
    word_of(func, by, words, 0)
}

/// The word that a value is when parameters are these.
fn word_of(func: &Function, value: Value, params: &[Option<Word>], depth: u32) -> Option<Word> {
    if let Some(index) = func.param_index(value) {
        return params[index];
    }
    let inst = func.dfg.def_inst(value).filter(|_| depth < MAX_DEPTH)?;
    match func.dfg.op(inst) {
        Op::Constant => func.dfg.inst_const(inst),
        Op::Evm(opcode @ (Opcode::ADD | Opcode::AND | Opcode::NOT)) => {
            let words = func.dfg.args(inst).iter().map(|arg| word_of(func, *arg, params, depth + 1));
            word::eval(opcode, &words.collect::<Option<SmallVec<[Word; 2]>>>()?)
        }
        _ => None,
    }
}

/// A function with a value that is a pointer, while all parameters else are small.
struct Sizes<'a> {
    func: &'a Function,
    pointer: Value,
    /// Bits of the other parameters.
    bits: usize,
    callees: &'a Callees,
}

impl<'a> Sizes<'a> {
    /// The blocks that run.
    fn path(&self) -> Vec<Block> {
        let next = |block: &Block| self.func.terminator(*block).and_then(|end| self.next(end));
        std::iter::successors(Some(self.func.layout.entry()), next).take(MAX_BLOCKS).collect()
    }

    /// What the function returns, if it stores the pointer to free memory once and does nothing else but fill
    /// memory.
    fn returned_by_move(&self, fills: impl Fn(Inst) -> bool) -> Option<&'a [Value]> {
        let (func, path) = (self.func, self.path());
        let mut n_moves = 0;
        for inst in path.iter().flat_map(|block| func.layout.insts(*block)) {
            let effects = func.dfg.op(inst).effects();
            match is_move(func, inst) || self.is_call_that_moves(inst) {
                true => n_moves += 1,
                false if func.dfg.op(inst).is_terminator() || fills(inst) => {}
                false if effects.intersects(Effects::WRITES) => return None,
                false => {}
            }
        }
        let end = func.terminator(*path.last()?)?;
        (n_moves == 1 && func.dfg.op(end) == Op::Iret).then(|| func.dfg.args(end))
    }

    /// True for a call that moves the pointer, for which none of its checks fails.
    fn is_call_that_moves(&self, inst: Inst) -> bool {
        let args = self.func.dfg.args(inst);
        let is_small =
            |value: &Value| self.most(*value, 0).is_some_and(|most| most <= word::low_mask(SIZE_BITS));
        self.callees.moved_behind(self.func, inst).is_some_and(|index| {
            let mut sizes = args.iter().enumerate().filter(|(other, _)| *other != index);
            args[index] == self.pointer && sizes.all(|(_, size)| is_small(size))
        })
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
            return Some(word::low_mask(self.bits));
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
