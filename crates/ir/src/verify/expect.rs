//! What types operands and results may have, and the faults of those that have others.

use super::report::{Cx, Place};
use crate::ids::Inst;
use crate::op::Op;
use crate::types::{AddressSpace, Type};
use cairn_evm::Opcode;

/// What an operand may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A number of one word.
    Word,
    /// An integer of any width that says how much, or what is decided by.
    Amount,
    /// A number of any width.
    Number,
    /// Anything that can be stored.
    Any,
    /// An address in a space, which is read.
    Read(AddressSpace),
    /// An address in memory, which is written.
    Write,
    /// A key of storage or transient storage.
    Key(AddressSpace),
}

/// Checks that an operand is of a class.
pub(super) fn verify_operand(cx: &mut Cx<'_>, inst: Inst, index: usize, class: Class) {
    let mut ty = cx.ty(cx.func.dfg.args(inst)[index]);
    if matches!(cx.op(inst), Op::Evm(opcode) if opcode.is_arithmetic()) && !cx.is_legalized() {
        ty = ty.lane();
    }
    let is_stored = matches!(cx.op(inst), Op::Evm(Opcode::SSTORE | Opcode::TSTORE));
    let is_word = ty.widens_to(Type::U256);
    match (class, ty) {
        (Class::Any, _) => {}
        (Class::Read(wanted), Type::Ptr(space, _)) if space == wanted => {}
        (Class::Write, Type::Ptr(AddressSpace::Memory, _)) => {}
        (Class::Write, Type::Ptr(space, _)) => {
            let message = format!("`{ty}` cannot be written: address space {} is not memory", space as u8);
            cx.report("address-space", Place::Inst(inst), message);
        }
        (Class::Read(wanted), Type::Ptr(..)) => {
            let message = format!("`{ty}` is used as an address of space {}", wanted as u8);
            cx.report("address-space", Place::Inst(inst), message);
        }
        (Class::Key(wanted), Type::Ptr(space, _)) if space == wanted && !cx.is_legalized() => {}
        (Class::Key(_), Type::Ptr(..)) => operand_fault(cx, inst, index, "a `u256` key"),
        (Class::Word | Class::Amount | Class::Number, Type::Ptr(..)) => {
            if cx.is_legalized() {
                let message = format!("arithmetic on `{ty}` other than `evm.ptr_add`");
                cx.report("pointer-arithmetic", Place::Inst(inst), message);
            }
        }
        (Class::Number, Type::Int(_) | Type::Ufixed(..) | Type::Fixed(..) | Type::Float(_))
            if !cx.is_legalized() => {}
        (Class::Amount | Class::Read(_) | Class::Write, Type::Int(_)) if !cx.is_legalized() => {}
        (Class::Number, Type::Composite(_)) if is_stored && !cx.is_legalized() => {}
        _ if is_word => {}
        (Class::Read(_) | Class::Write, _) => operand_fault(cx, inst, index, "a pointer or `u256`"),
        _ => operand_fault(cx, inst, index, "`u256`"),
    }
}

/// Reports an operand that does not fit; `wanted` says what would.
pub(super) fn expect_operand(cx: &mut Cx<'_>, inst: Inst, index: usize, fits: bool, wanted: &str) {
    if !fits {
        operand_fault(cx, inst, index, wanted);
    }
}

/// Reports results that do not fit; `wanted` says what would.
pub(super) fn expect_result(cx: &mut Cx<'_>, inst: Inst, fits: bool, wanted: &str) {
    if !fits {
        let types: Vec<Type> = cx.func.dfg.results(inst).iter().map(|value| cx.ty(*value)).collect();
        let message = format!("`evm.{}` gives {wanted}, not `{}`", cx.op(inst).name(), list(&types));
        cx.report("result-type", Place::Inst(inst), message);
    }
}

fn operand_fault(cx: &mut Cx<'_>, inst: Inst, index: usize, wanted: &str) {
    let value = cx.func.dfg.args(inst)[index];
    let (name, ty) = (cx.value_name(value), cx.ty(value));
    let message = format!("operand `{name}` has type `{ty}`, expected {wanted}");
    cx.report("operand-type", Place::Inst(inst), message);
}

/// Types with commas.
pub(super) fn list(types: &[Type]) -> String {
    types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ")
}
