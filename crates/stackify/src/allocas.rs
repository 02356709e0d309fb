//! What a function does with the addresses of its `alloca`s.
//!
//! A pointer is the result of an `alloca` or a sum or difference of a pointer and something else.
//! An `alloca` is
//! - a [`Escape::Slot`] if it is one word that is only loaded and stored whole,
//! - [`Escape::Local`] if its pointers are only used as addresses of memory operations,
//! - [`Escape::Escaped`] otherwise: its address may be anywhere.

use cairn_evm::{Opcode, Word, memory};
use cairn_ir::{Block, Function, Inst, Op, Payload, SecondaryMap, Value};
use cranelift_entity::EntitySet;
use cranelift_entity::packed_option::PackedOption;

/// How far the address of an `alloca` gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Escape {
    /// One word, loaded and stored whole.
    #[default]
    Slot,
    /// Used as an address of memory operations.
    Local,
    /// Known to others.
    Escaped,
}

/// The `alloca`s of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocas {
    escape: SecondaryMap<Inst, Escape>,
    points_into: SecondaryMap<Value, PackedOption<Inst>>,
    /// How far behind the start of its `alloca` a pointer is, where that is a constant.
    offsets: SecondaryMap<Value, Option<Word>>,
}

impl Allocas {
    /// Examines a function. Linear.
    pub(crate) fn of(func: &Function) -> Allocas {
        let mut allocas = Allocas::default();
        let blocks = dominators_first(func);
        for block in &blocks {
            for inst in func.layout.insts(*block) {
                allocas.find_pointer(func, inst);
            }
        }
        for block in &blocks {
            for inst in func.layout.insts(*block) {
                allocas.examine_uses(func, inst);
            }
        }
        allocas
    }

    /// How far the address of an `alloca` gets.
    pub(crate) fn escape(&self, alloca: Inst) -> Escape {
        self.escape[alloca]
    }

    /// The `alloca` that a value points into.
    pub(crate) fn points_into(&self, value: Value) -> Option<Inst> {
        self.points_into[value].expand()
    }

    /// The `alloca` and the offset of a value that is a constant address in its memory, or that memory's
    /// start. A sum that leaves the memory is no constant of the frame.
    pub(crate) fn address(&self, func: &Function, value: Value) -> Option<(Inst, u64)> {
        let alloca = self.points_into(value)?;
        let offset = u64::try_from(self.offsets[value]?).ok()?;
        (offset < alloca_size(func, alloca).max(1)).then_some((alloca, offset))
    }

    fn find_pointer(&mut self, func: &Function, inst: Inst) {
        let args = func.dfg.args(inst);
        let alloca = match func.dfg.op(inst) {
            Op::Alloca => Some(inst),
            Op::Evm(Opcode::ADD) => self.points_into(args[0]).or(self.points_into(args[1])),
            Op::Evm(Opcode::SUB) => self.points_into(args[0]),
            _ => None,
        };
        if let Some(alloca) = alloca {
            self.points_into[func.dfg.result(inst)] = alloca.into();
            self.offsets[func.dfg.result(inst)] = self.offset(func, inst);
            if alloca == inst && alloca_size(func, inst) != 32 {
                self.escape[inst] = Escape::Local;
            }
        }
    }

    /// The constant offset of a pointer that an instruction makes.
    fn offset(&self, func: &Function, inst: Inst) -> Option<Word> {
        let args = func.dfg.args(inst);
        match func.dfg.op(inst) {
            Op::Alloca => Some(Word::ZERO),
            Op::Evm(Opcode::SUB) => Some(self.offsets[args[0]]?.wrapping_sub(func.dfg.as_const(args[1])?)),
            _ => {
                let [base, step] = if self.points_into(args[0]).is_some() { [0, 1] } else { [1, 0] };
                Some(self.offsets[args[base]]?.wrapping_add(func.dfg.as_const(args[step])?))
            }
        }
    }

    fn examine_uses(&mut self, func: &Function, inst: Inst) {
        for (index, arg) in func.dfg.args(inst).iter().enumerate() {
            if let Some(alloca) = self.points_into(*arg) {
                let escape = self.escape_by_use(func, inst, index, alloca);
                self.escape[alloca] = self.escape[alloca].max(escape);
            }
        }
        func.dfg.for_each_target(inst, |call| {
            for arg in func.dfg.call_args(call) {
                if let Some(alloca) = self.points_into(*arg) {
                    self.escape[alloca] = Escape::Escaped;
                }
            }
        });
    }

    /// What an instruction lets happen to an `alloca` into which its operand `index` points.
    fn escape_by_use(&self, func: &Function, inst: Inst, index: usize, alloca: Inst) -> Escape {
        let Op::Evm(opcode) = func.dfg.op(inst) else { return Escape::Escaped };
        let is_whole = func.dfg.result(alloca) == func.dfg.args(inst)[index];
        let is_region =
            |region: Option<memory::MemoryRegion>| region.is_some_and(|r| r.start as usize == index);
        match opcode {
            Opcode::MLOAD | Opcode::MSTORE if index == 0 && is_whole => Escape::Slot,
            Opcode::ADD | Opcode::SUB => {
                let other = func.dfg.args(inst)[1 - index];
                let is_offset = self.points_into(other).is_none() && (opcode == Opcode::ADD || index == 0);
                if is_offset { Escape::Slot } else { Escape::Escaped }
            }
            _ if is_region(memory::memory_read(opcode)) || is_region(memory::memory_write(opcode)) => {
                Escape::Local
            }
            _ => Escape::Escaped,
        }
    }
}

/// Bytes reserved by an `alloca`.
pub(crate) fn alloca_size(func: &Function, inst: Inst) -> u64 {
    match func.dfg.inst(inst).payload {
        Payload::Number(bytes) => bytes,
        ref other => unreachable!("invariant: an alloca has a size, not {other:?}"),
    }
}

/// Reachable blocks, each after the blocks that dominate it.
pub(crate) fn dominators_first(func: &Function) -> Vec<Block> {
    let mut seen: EntitySet<Block> = EntitySet::new();
    let mut order = Vec::new();
    let mut worklist = vec![func.layout.entry()];
    while let Some(block) = worklist.pop() {
        if seen.insert(block) {
            order.push(block);
            func.for_each_successor(block, |next| worklist.push(next));
        }
    }
    order
}
