//! Code that nobody sees the effects of, for the frame reverts and gives nothing back.
//!
//! What takes all gas instead of reverting is seen: memory is touched at known addresses below [`NEAR`] only,
//! and return data, which must not be read behind its end, is not copied.

use crate::memory::Region;
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::{Block, Function, Inst, Op, Payload, Value};

/// Growing memory to here costs little.
const NEAR: u64 = 1 << 16;

/// What touches memory.
const MEMORY: Effects = Effects::READ_MEMORY.union(Effects::WRITE_MEMORY).union(Effects::GROW_MEMORY);

/// What a frame that reverts takes back, or that is gone with it.
const FORGOTTEN: Effects = MEMORY
    .union(Effects::READ_STORAGE)
    .union(Effects::READ_TRANSIENT)
    .union(Effects::READ_RETURNDATA)
    .union(Effects::READ_ACCOUNTS)
    .union(Effects::READ_ENVIRONMENT)
    .union(Effects::READ_LAYOUT);

/// True when nothing in the block before its terminator is seen after a revert.
pub(crate) fn leaves_no_trace(func: &Function, block: Block) -> bool {
    let last = func.terminator(block);
    func.layout.insts(block).filter(|inst| Some(*inst) != last).all(|inst| is_forgotten(func, inst))
}

/// True when nobody sees after a revert that the instruction ran.
pub(crate) fn is_forgotten(func: &Function, inst: Inst) -> bool {
    let op = func.dfg.op(inst);
    op != Op::Icall && FORGOTTEN.contains(op.effects()) && touches_near_memory(func, inst)
}

fn touches_near_memory(func: &Function, inst: Inst) -> bool {
    let opcode = match func.dfg.op(inst) {
        Op::Evm(Opcode::RETURNDATACOPY) => return false,
        Op::Evm(opcode) => opcode,
        op => return !op.effects().intersects(MEMORY),
    };
    let regions = [memory_read(opcode), memory_write(opcode)];
    regions.into_iter().flatten().all(|region| is_near(func, Region::of(func, inst, region)))
}

fn is_near(func: &Function, Region { place, length }: Region) -> bool {
    let start = place.base.expand().map_or(Some(0), |base| reserved(func, base));
    let end = start.zip(length).and_then(|(start, length)| {
        let start = place.offset.checked_add(Word::from(start))?;
        start.checked_add(length)
    });
    length.is_some_and(|length| length.is_zero()) || end.is_some_and(|end| end <= Word::from(NEAR))
}

/// The end of reserved memory, but for frames.
fn reserved(func: &Function, base: Value) -> Option<u64> {
    let inst = func.dfg.def_inst(base)?;
    match (func.dfg.op(inst), func.dfg.inst(inst).payload) {
        (Op::HeapBase, Payload::Number(reserved)) => Some(reserved),
        _ => None,
    }
}

/// True when the block does nothing but end the frame with a revert that gives no data back.
pub(crate) fn reverts_without_data(func: &Function, block: Block) -> bool {
    let Some(last) = func.terminator(block) else {
        return false;
    };
    func.dfg.op(last) == Op::Evm(Opcode::REVERT)
        && func.dfg.as_const(func.dfg.args(last)[1]).is_some_and(|length| length.is_zero())
        && leaves_no_trace(func, block)
}
