//! Legalizes operations.
//!
//! Establishes: only operations that the stackifier has code for.
//!
//! * `evm.return %v` stores the value and returns its 32 bytes. The word lies in a slot, or where
//!   all memory is the program's, at address 0: the frame ends here, so nobody reads it again.
//! * `evm.datacopy` is `evm.codecopy`.
//! * The second result of `%s, %n = evm.call …` is `evm.returndatasize` after the call.
//!
//! Cost: one walk over the instructions.

use crate::cx::Cx;
use crate::steps::slots::Slots;
use cairn_evm::{Opcode, Word};
use cairn_ir::cursor::Cursor;
use cairn_ir::{EntityList, Function, Inst, MemoryModel, Op, Payload, Type, Value};

/// Rewrites operations that are not the EVM's.
pub(crate) fn legalize_operations(func: &mut Function, cx: &mut Cx<'_>) {
    let mut block = func.layout.first_block();
    let mut slots = None;
    while let Some(current) = block {
        block = func.layout.next_block(current);
        let mut next = func.layout.first_inst(current);
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            legalize_inst(func, inst, &mut slots, cx);
        }
    }
}

fn legalize_inst(func: &mut Function, inst: Inst, slots: &mut Option<Slots>, cx: &mut Cx<'_>) {
    match func.dfg.op(inst) {
        Op::ReturnValue => expand_return(func, inst, slots, cx),
        Op::DataCopy => {
            func.dfg.inst_mut(inst).op = Op::Evm(Opcode::CODECOPY);
            cx.changed(func, || "`evm.datacopy` became `evm.codecopy`".to_owned());
        }
        Op::Evm(opcode) if func.dfg.results(inst).len() == 2 => split_call(func, inst, opcode, cx),
        _ => {}
    }
}

fn expand_return(func: &mut Function, inst: Inst, slots: &mut Option<Slots>, cx: &mut Cx<'_>) {
    let value = func.dfg.args(inst)[0];
    let address = return_address(func, inst, slots, cx);
    let mut cursor = Cursor::before(func, inst);
    cursor.insert(Op::Evm(Opcode::MSTORE), &[address, value], Payload::None, &[]);
    let length = cursor.constant(Word::from(32), Type::U256);
    func.dfg.replace_inst(inst, Op::Evm(Opcode::RETURN), &[address, length], Payload::None);
    cx.changed(func, || format!("`evm.return {value}` stores its word and returns it"));
}

fn return_address(func: &mut Function, inst: Inst, slots: &mut Option<Slots>, cx: &mut Cx<'_>) -> Value {
    if cx.memory == MemoryModel::NoFrame {
        let mut cursor = Cursor::before(func, inst);
        let zero = cursor.constant(Word::ZERO, Type::U256);
        return cursor.value(Op::IntToPtr, &[zero], Type::MEMORY);
    }
    let slot = slots.get_or_insert_with(|| Slots::of(func)).make(func, 32);
    cx.name_value(func, slot, "slot");
    slot
}

fn split_call(func: &mut Function, inst: Inst, opcode: Opcode, cx: &mut Cx<'_>) {
    let results: [Value; 2] = [func.dfg.results(inst)[0], func.dfg.results(inst)[1]];
    func.dfg.inst_mut(inst).results = EntityList::new();
    func.dfg.attach_result(inst, results[0]);
    let length = func.dfg.make_inst(Op::Evm(Opcode::RETURNDATASIZE), &[], Payload::None);
    func.dfg.attach_result(length, results[1]);
    Cursor::after(func, inst).insert_inst(length);
    cx.changed(func, || {
        format!("length returned by `evm.{}` comes from `evm.returndatasize`", opcode.known().lower)
    });
}
