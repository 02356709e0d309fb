//! What an operation may do that somebody can observe, as far as the operation alone tells.

use cairn_evm::{Effects, Opcode};
use cairn_ir::{Function, Inst, Op};

/// True for an operation that may go if nothing needs its results.
pub(crate) fn is_removable(func: &Function, inst: Inst) -> bool {
    match func.dfg.op(inst) {
        Op::HeapBase | Op::DbgLabel => false,
        op => op.effects().is_removable() && !may_run_out_of_gas(func, inst),
    }
}

/// True for an operation that can stop execution by the memory that it touches. That of a slot is there.
pub(crate) fn may_run_out_of_gas(func: &Function, inst: Inst) -> bool {
    func.dfg.op(inst).effects().contains(Effects::GROW_MEMORY) && !accesses_slot(func, inst)
}

/// True for a load or store of a slot.
pub(crate) fn accesses_slot(func: &Function, inst: Inst) -> bool {
    let is_access = matches!(func.dfg.op(inst), Op::Evm(Opcode::MLOAD | Opcode::MSTORE));
    let def = || func.dfg.def_inst(func.dfg.args(inst)[0]);
    is_access && def().is_some_and(|def| func.dfg.op(def) == Op::Alloca)
}
