//! Rules of the forms that the legalizer makes, for one block or instruction.

use super::Form;
use super::report::{Cx, Place};
use crate::builder::opcode_result_type;
use crate::ids::{Block, Inst};
use crate::infer::has_optional_length;
use crate::op::Op;
use crate::table;
use crate::types::{AddressSpace, Type};
use cairn_evm::Opcode;

pub(super) fn verify_inst(cx: &mut Cx<'_>, block: Block, inst: Inst) {
    if !cx.is_legalized() {
        return;
    }
    verify_op(cx, block, inst);
    for value in cx.func.dfg.results(inst) {
        verify_legal(cx, Place::Inst(inst), cx.ty(*value));
    }
}

/// Types of the parameters of a block; the function's results go with those of its entry block.
pub(super) fn verify_block(cx: &mut Cx<'_>, block: Block) {
    if !cx.is_legalized() {
        return;
    }
    let func = cx.func;
    let is_entry = func.layout.first_block() == Some(block);
    let place = if is_entry { Place::Function } else { Place::Block(block) };
    for param in func.dfg.params(block) {
        verify_legal(cx, place, cx.ty(*param));
    }
    for ty in func.signature.results.iter().filter(|_| is_entry) {
        verify_legal(cx, place, *ty);
    }
}

fn verify_legal(cx: &mut Cx<'_>, place: Place, ty: Type) {
    match ty {
        Type::Ptr(AddressSpace::Storage | AddressSpace::Transient, _) => {
            let message = format!("type `{ty}`: storage is addressed by `u256` keys");
            cx.report("storage-pointer", place, message);
        }
        ty if !ty.is_legal() => {
            cx.report("legal-type", place, format!("type `{ty}` is not legal on the EVM"));
        }
        _ => {}
    }
}

fn verify_op(cx: &mut Cx<'_>, block: Block, inst: Inst) {
    let op = cx.op(inst);
    match op {
        Op::Evm(opcode) => {
            if has_optional_length(op) && cx.func.dfg.results(inst).len() == 2 {
                let message = "a call has one result, use `evm.returndatasize` for the length".to_owned();
                cx.report("canonical-op", Place::Inst(inst), message);
            }
            verify_width(cx, inst, opcode);
        }
        Op::Alloca => {
            let entry = cx.func.layout.first_block();
            if cx.form == Form::Canonical && entry != Some(block) {
                let message = "`evm.alloca` stands outside the entry block".to_owned();
                cx.report("slots-in-entry", Place::Inst(inst), message);
            }
        }
        Op::Switch if cx.form == Form::Ssa || table::entries(cx.func, inst).is_some() => {}
        op if op.is_canonical() => {}
        _ => not_canonical(cx, inst),
    }
}

fn not_canonical(cx: &mut Cx<'_>, inst: Inst) {
    let spelling = match cx.op(inst) {
        Op::ReturnValue => "evm.return %v".to_owned(),
        op => format!("evm.{}", op.name()),
    };
    cx.report("canonical-op", Place::Inst(inst), format!("`{spelling}` is not canonical"));
}

/// Arithmetic on the EVM is modulo 2^256, so a narrower result would need a mask.
fn verify_width(cx: &mut Cx<'_>, inst: Inst, opcode: Opcode) {
    if opcode_result_type(opcode) != Type::U256 || opcode.is_narrowing() {
        return;
    }
    for value in cx.func.dfg.results(inst).iter().take(1) {
        let ty = cx.ty(*value);
        if ty.bits().is_some_and(|bits| bits < 256) && ty.is_legal() {
            let name = opcode.known().lower;
            cx.report("no-wrap", Place::Inst(inst), format!("`evm.{name}` gives `u256`, not `{ty}`"));
        }
    }
}
