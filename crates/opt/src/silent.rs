//! Code that nobody sees the effects of, for the frame reverts and gives nothing back.

use cairn_evm::{Effects, Opcode};
use cairn_ir::{Block, Function, Inst, Op};

/// What a frame that reverts takes back, or that is gone with it.
const FORGOTTEN: Effects = Effects::WRITE_MEMORY
    .union(Effects::GROW_MEMORY)
    .union(Effects::READ_MEMORY)
    .union(Effects::READ_STORAGE)
    .union(Effects::READ_TRANSIENT)
    .union(Effects::READ_RETURNDATA)
    .union(Effects::READ_ACCOUNTS)
    .union(Effects::READ_ENVIRONMENT)
    .union(Effects::READ_LAYOUT);

/// True when nothing in the block before its terminator is seen after a revert.
pub(crate) fn leaves_no_trace(func: &Function, block: Block) -> bool {
    let is_forgotten =
        |inst: Inst| func.dfg.op(inst) != Op::Icall && FORGOTTEN.contains(func.dfg.op(inst).effects());
    let last = func.terminator(block);
    func.layout.insts(block).filter(|inst| Some(*inst) != last).all(is_forgotten)
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
