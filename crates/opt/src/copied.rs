//! What a frame gives back where it was copied to memory directly before: the data of a failed call that is
//! passed on, code that a constructor returns.
//!
//! ```text
//! %n = evm.returndatasize
//! evm.returndatacopy %p, 0, %n
//! %m = evm.returndatasize
//! evm.revert %p, %m
//! ```

use crate::memory::{Place, touches_memory};
use cairn_evm::Opcode;
use cairn_ir::{Function, Inst, Op, Value};

/// The copy that gives a `return` or `revert` every byte that it gives back, where nothing touches memory in
/// between. Both lengths are operations without operands that give the same again before the terminator.
pub(crate) fn copy_of_output(func: &Function, terminator: Inst) -> Option<Inst> {
    let Op::Evm(Opcode::RETURN | Opcode::REVERT) = func.dfg.op(terminator) else {
        return None;
    };
    let is_touching = |inst: &Inst| touches_memory(func.dfg.op(*inst));
    let copy = insts_before(func, terminator).find(is_touching)?;
    let Op::Evm(Opcode::CALLDATACOPY | Opcode::CODECOPY | Opcode::RETURNDATACOPY) = func.dfg.op(copy) else {
        return None;
    };
    let ([to, _, copied], [at, returned]) = (func.dfg.args(copy), func.dfg.args(terminator)) else {
        return None;
    };
    let is_same_place = Place::of(func, *to) == Place::of(func, *at);
    (is_same_place && is_same_size(func, copy, *copied, *returned)).then_some(copy)
}

/// True if the size that is copied and the one that is given back are the same, whatever they are.
fn is_same_size(func: &Function, copy: Inst, copied: Value, returned: Value) -> bool {
    let (Some(first), Some(second)) = (func.dfg.def_inst(copied), func.dfg.def_inst(returned)) else {
        return false;
    };
    // Only calls change the size of what they returned.
    let is_after_calls = |size: Inst| {
        let between = insts_before(func, copy).take_while(|inst| !touches_memory(func.dfg.op(*inst)));
        between.chain(insts_behind(func, copy)).any(|inst| inst == size)
    };
    match (func.dfg.op(first), func.dfg.op(second)) {
        (Op::Constant, Op::Constant) => func.dfg.as_const(copied) == func.dfg.as_const(returned),
        (Op::DataSize, Op::DataSize) => copied == returned,
        (Op::Evm(one), Op::Evm(other)) if one == other => match one {
            Opcode::CALLDATASIZE | Opcode::CODESIZE => true,
            Opcode::RETURNDATASIZE => is_after_calls(first) && is_after_calls(second),
            _ => false,
        },
        _ => false,
    }
}

/// The instructions of its block before one, from there back.
pub(crate) fn insts_before(func: &Function, inst: Inst) -> impl Iterator<Item = Inst> {
    std::iter::successors(func.layout.prev_inst(inst), |inst| func.layout.prev_inst(*inst))
}

/// The instructions of its block behind one.
pub(crate) fn insts_behind(func: &Function, inst: Inst) -> impl Iterator<Item = Inst> {
    std::iter::successors(func.layout.next_inst(inst), |inst| func.layout.next_inst(*inst))
}
