//! Places: addresses and keys as a base value plus a constant, and when two of them are apart.

use crate::pointer_word;
use crate::return_data;
use cairn_evm::memory::{MemoryLength, MemoryRegion};
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::{Function, Inst, Op, Payload, Value};
use cranelift_entity::packed_option::PackedOption;

/// Bytes of a word of memory: what `mload` reads and `mstore` writes.
pub(crate) const WORD: u64 = 32;

/// Offsets from a base that cannot wrap: more memory than this is never paid for.
const MAX_OFFSET: u64 = u64::MAX;

/// A base value, if any, plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The value that is no constant.
    pub(crate) base: PackedOption<Value>,
    /// The constants added to it.
    pub(crate) offset: Word,
}

impl Place {
    /// A known address.
    pub(crate) fn at(address: Word) -> Place {
        Place { base: None.into(), offset: address }
    }

    /// Takes sums of a value and constants apart.
    pub(crate) fn of(func: &Function, address: Value) -> Place {
        let (mut at, mut offset) = (address, Word::ZERO);
        loop {
            if let Some(word) = func.dfg.as_const(at) {
                return Place::at(offset.wrapping_add(word));
            }
            let Some((base, word, is_added)) = sum(func, at) else {
                return Place { base: at.into(), offset };
            };
            offset = if is_added { offset.wrapping_add(word) } else { offset.wrapping_sub(word) };
            at = base;
        }
    }

    /// The place this many units further.
    pub(crate) fn plus(self, offset: u64) -> Place {
        Place { offset: self.offset.wrapping_add(Word::from(offset)), ..self }
    }

    /// How far it lies behind a place with the same base, if that is no further than `most`.
    pub(crate) fn behind(self, start: Place, most: u64) -> Option<u64> {
        let ahead = u64::try_from(self.offset.wrapping_sub(start.offset)).ok()?;
        (self.base == start.base && ahead <= most).then_some(ahead)
    }

    /// True when `length` bytes of memory from here on end before `other` begins, wherever the
    /// heap begins. Bytes that would lie beyond what anybody can pay for don't count.
    pub(crate) fn ends_before(self, func: &Function, heap: Heap, length: Word, other: Place) -> bool {
        let (None, Some(base)) = (self.base.expand(), other.base.expand()) else {
            return false;
        };
        let Some(end) = self.offset.checked_add(length) else {
            return false;
        };
        other.offset <= Word::from(MAX_OFFSET)
            && heap.least(func, base).is_some_and(|least| end <= Word::from(least) + other.offset)
    }
}

/// Bytes from a place on; all of them without a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) place: Place,
    pub(crate) length: Option<Word>,
}

impl Region {
    /// What an instruction reads or writes there.
    pub(crate) fn of(func: &Function, inst: Inst, region: MemoryRegion) -> Region {
        let args = func.dfg.args(inst);
        let length = match region.length {
            MemoryLength::Fixed(bytes) => Some(Word::from(bytes)),
            MemoryLength::Operand(index) => func.dfg.as_const(args[usize::from(index)]),
        };
        Region { place: Place::of(func, args[usize::from(region.start)]), length }
    }
}

/// What is known of where memory is allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// No pointer to free memory is less, if the module keeps one at [`pointer_word::ADDRESS`].
    pub(crate) free_from: Option<u64>,
}

impl Heap {
    /// The least address that a base stands for, where it is the end of reserved memory or the
    /// pointer to free memory: the address itself depends on the frames and on what was allocated,
    /// but is far from wrapping.
    pub(crate) fn least(self, func: &Function, base: Value) -> Option<u64> {
        let inst = func.dfg.def_inst(base)?;
        match (func.dfg.op(inst), func.dfg.inst(inst).payload) {
            (Op::HeapBase, Payload::Number(reserved)) => Some(reserved),
            (Op::Evm(Opcode::MLOAD), _) if pointer_word::is_loaded(func, inst) => self.free_from,
            _ => None,
        }
    }
}

/// True for operations that read or write memory, or read its size; calls of functions are among them.
pub(crate) fn touches_memory(op: Op) -> bool {
    op.effects().intersects(Effects::READ_MEMORY | Effects::WRITE_MEMORY | Effects::READ_MSIZE)
}

/// Operations that only write memory, always all of their region, which begins at their first operand.
pub(crate) fn is_sure_to_write(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::MSTORE | Opcode::MSTORE8 | Opcode::CALLDATACOPY | Opcode::CODECOPY | Opcode::MCOPY
    )
}

/// True for an opcode that does nothing but write memory: it cannot fail either.
pub(crate) fn only_writes(func: &Function, inst: Inst) -> bool {
    let is_sure = matches!(func.dfg.op(inst), Op::Evm(opcode) if is_sure_to_write(opcode));
    is_sure || return_data::copies_all(func, inst)
}

fn sum(func: &Function, value: Value) -> Option<(Value, Word, bool)> {
    let inst = func.dfg.def_inst(value)?;
    let args = func.dfg.args(inst);
    let word = |index: usize| func.dfg.as_const(args[index]);
    match func.dfg.op(inst) {
        Op::Evm(Opcode::ADD) | Op::PtrAdd => {
            word(1).map(|word| (args[0], word, true)).or(word(0).map(|word| (args[1], word, true)))
        }
        Op::Evm(Opcode::SUB) => word(1).map(|word| (args[0], word, false)),
        Op::PtrToInt | Op::IntToPtr => Some((args[0], Word::ZERO, true)),
        _ => None,
    }
}
