//! Functions that look at the pointer to free memory by anything but a load of its word: that return it with
//! what lies around it, hash it, log it, copy it, or load a part of it.
//!
//! Memory from 0 on that assembly first fills and then gives on does not have the pointer in it. So stores and
//! copies are followed over the blocks of a function: up to which byte the word is filled with something else,
//! or, behind a copy of a length that is not known, that the region has what was copied. That nobody stores a
//! pointer there that was loaded is seen elsewhere: it escapes.
//!
//! Cost: linear; a state of a block changes a bounded number of times.

use crate::memory::WORD;
use crate::pointer_word::{self, ADDRESS};
use crate::ranges::Shapes;
use crate::return_data;
use crate::word_access::{WordAccess, Written};
use cairn_analysis::callgraph;
use cairn_evm::Opcode;
use cairn_evm::memory::{MemoryLength, MemoryRegion, memory_read, memory_write};
use cairn_ir::{Block, EntityRef, Func, Function, Inst, Op, SecondaryMap, Value};

/// What the pointer's word has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Something else in its bytes below this address, the pointer in the rest, maybe.
    FilledTo(u64),
    /// Something else, as far as so many bytes from this address on reach.
    CoveredBy { start: u64, length: Length },
}

const POINTER: Content = Content::FilledTo(ADDRESS);
const OTHER: Content = Content::FilledTo(ADDRESS + WORD);

impl Content {
    fn join(self, other: Content) -> Content {
        match (self, other) {
            (Content::FilledTo(one), Content::FilledTo(other)) => Content::FilledTo(one.min(other)),
            _ if self == other => self,
            (
                Content::CoveredBy { start, length: Length::ReturnData(_) },
                Content::CoveredBy { start: other, length: Length::ReturnData(_) },
            ) if start == other => Content::CoveredBy { start, length: Length::ReturnData(None) },
            _ => POINTER,
        }
    }

    /// When there may be other return data.
    fn behind_change_of_return_data(self) -> Content {
        match self {
            Content::CoveredBy { start, length: Length::ReturnData(size) } => {
                size.map_or(POINTER, |size| Content::CoveredBy { start, length: Length::Operand(size) })
            }
            _ => self,
        }
    }
}

/// How long a region is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Known(u64),
    /// All of the call data.
    CallData,
    /// All of the return data there is, until the next call, and the operand that says so.
    ReturnData(Option<Value>),
    Operand(Value),
}

impl Length {
    /// True if both are as long, the other one now.
    fn is(self, now: Length) -> bool {
        let operand = |length| match length {
            Length::ReturnData(size) => size,
            Length::Operand(size) => Some(size),
            Length::Known(_) | Length::CallData => None,
        };
        match (self, now) {
            (Length::ReturnData(_), Length::ReturnData(_)) => true,
            _ => self == now || operand(self).is_some_and(|size| operand(now) == Some(size)),
        }
    }
}

/// Looks through the functions of a module, callees first.
pub(super) struct Looks<'a> {
    access: &'a WordAccess<'a>,
    shapes: &'a Shapes,
    /// What a function leaves there; nothing else than the pointer of those that were not looked through.
    left: SecondaryMap<Func, Option<Content>>,
}

impl<'a> Looks<'a> {
    pub(super) fn new(access: &'a WordAccess<'a>, shapes: &'a Shapes) -> Looks<'a> {
        Looks { access, shapes, left: SecondaryMap::new() }
    }

    /// True if a function, without what it calls, may look at the word.
    pub(super) fn looks(&mut self, id: Func) -> bool {
        let (func, cfg) = (&self.access.module.funcs[id], self.shapes.cfg(id));
        let mut starts: Vec<Option<Content>> = vec![None; func.num_blocks()];
        starts[func.layout.entry().index()] = Some(POINTER);
        let (mut left, mut work): (_, Vec<Block>) = (OTHER, cfg.rpo().iter().rev().copied().collect());
        while let Some(block) = work.pop() {
            let Some(mut content) = starts[block.index()] else { continue };
            for inst in func.layout.insts(block) {
                let reads = self.access.reads(id, block, inst) && !pointer_word::is_loaded(func, inst);
                if reads && shows(func, inst, content) {
                    return true;
                }
                content = self.behind(id, block, inst, content);
            }
            if func.terminator(block).is_some_and(|end| func.dfg.op(end) == Op::Iret) {
                left = left.join(content);
            }
            for next in cfg.succs(block) {
                let start = &mut starts[next.index()];
                let joined = start.map_or(content, |start| start.join(content));
                if *start != Some(joined) {
                    *start = Some(joined);
                    work.push(*next);
                }
            }
        }
        // A value of its own says nothing to others.
        self.left[id] = Some(left).filter(|left| matches!(left, Content::FilledTo(_)));
        false
    }

    /// What is there behind an instruction.
    fn behind(&self, id: Func, block: Block, inst: Inst, before: Content) -> Content {
        let func = &self.access.module.funcs[id];
        if let Some(callee) = callgraph::callee(func, inst) {
            return self.left[callee].unwrap_or(POINTER);
        }
        let Op::Evm(opcode) = func.dfg.op(inst) else { return before };
        let before = match return_data::changes(func, inst) {
            true => before.behind_change_of_return_data(),
            false => before,
        };
        match self.access.written(id, block, inst) {
            None => before,
            Some(Written::Word(stored)) => {
                let stored = self.access.ranges.at(id, block, stored);
                if stored.is_none_or(|stored| stored.all.is_grown) { POINTER } else { OTHER }
            }
            Some(Written::Other) => behind_fill(func, inst, opcode, before),
        }
    }
}

/// What is there behind an operation that writes other bytes of the word, or near it.
fn behind_fill(func: &Function, inst: Inst, opcode: Opcode, before: Content) -> Content {
    let region = memory_write(opcode).filter(|_| fills(opcode));
    let filled = if let Content::FilledTo(end) = before { end } else { ADDRESS };
    match region.and_then(|region| from_constant(func, inst, region)) {
        Some((start, Length::Known(length))) if start <= filled => {
            Content::FilledTo(filled.max(start.saturating_add(length)).min(ADDRESS + WORD))
        }
        Some((start, length)) if start <= ADDRESS => Content::CoveredBy { start, length },
        _ => before,
    }
}

/// True if what an instruction reads may be the pointer.
fn shows(func: &Function, inst: Inst, content: Content) -> bool {
    let read = match func.dfg.op(inst) {
        Op::Evm(opcode) => memory_read(opcode).and_then(|region| from_constant(func, inst, region)),
        _ => None,
    };
    match (content, read) {
        (OTHER, _) => false,
        (Content::FilledTo(end), Some((start, Length::Known(length)))) => start.saturating_add(length) > end,
        (Content::CoveredBy { start, length }, Some((from, now))) => start != from || !length.is(now),
        _ => true,
    }
}

/// True for operations that write all of their region; outputs of calls may be shorter.
fn fills(opcode: Opcode) -> bool {
    let is_copy = matches!(opcode, Opcode::CALLDATACOPY | Opcode::CODECOPY | Opcode::RETURNDATACOPY);
    is_copy || matches!(opcode, Opcode::MSTORE | Opcode::MSTORE8 | Opcode::MCOPY | Opcode::EXTCODECOPY)
}

/// Where a region begins, if that is a constant, and how long it is.
fn from_constant(func: &Function, inst: Inst, region: MemoryRegion) -> Option<(u64, Length)> {
    let args = func.dfg.args(inst);
    let number = |value: Value| func.dfg.as_const(value).and_then(|word| u64::try_from(word).ok());
    let length = match region.length {
        MemoryLength::Fixed(bytes) => Length::Known(bytes.into()),
        MemoryLength::Operand(index) => {
            let length = args[usize::from(index)];
            match number(length) {
                Some(bytes) => Length::Known(bytes),
                None if is_call_data_size(func, length) => Length::CallData,
                None if return_data::is_size_at(func, inst, length) => Length::ReturnData(Some(length)),
                None => Length::Operand(length),
            }
        }
    };
    Some((number(args[usize::from(region.start)])?, length))
}

/// True for the size of call data, which is the same whoever asks.
fn is_call_data_size(func: &Function, value: Value) -> bool {
    func.dfg.as_evm(value).is_some_and(|(opcode, _)| opcode == Opcode::CALLDATASIZE)
}
