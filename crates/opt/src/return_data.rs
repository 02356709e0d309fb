//! The size of return data, and what changes it.

use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::{Function, Inst, Op, Value};

/// True if a value is the size of return data where it was asked for.
pub(crate) fn is_size(func: &Function, value: Value) -> bool {
    func.dfg.def_inst(value).is_some_and(|inst| func.dfg.op(inst) == Op::Evm(Opcode::RETURNDATASIZE))
}

/// True if a value is the size of return data at an instruction: it is asked for in its block, before it, and there
/// is no call between.
pub(crate) fn is_size_at(func: &Function, inst: Inst, value: Value) -> bool {
    let Some(size) = func.dfg.def_inst(value).filter(|_| is_size(func, value)) else { return false };
    let mut before = func.layout.prev_inst(inst);
    while let Some(inst) = before.filter(|inst| !changes(func, *inst)) {
        if inst == size {
            return true;
        }
        before = func.layout.prev_inst(inst);
    }
    false
}

/// True for a copy of all return data that there is: it does not fail.
pub(crate) fn copies_all(func: &Function, inst: Inst) -> bool {
    let args = func.dfg.args(inst);
    func.dfg.op(inst) == Op::Evm(Opcode::RETURNDATACOPY)
        && func.dfg.as_const(args[1]) == Some(Word::ZERO)
        && is_size_at(func, inst, args[2])
}

/// True if there may be other return data behind an instruction.
pub(crate) fn changes(func: &Function, inst: Inst) -> bool {
    let op = func.dfg.op(inst);
    op == Op::Icall || op.effects().intersects(Effects::WRITE_RETURNDATA)
}
