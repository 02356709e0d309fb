//! Where the words of a value of several words lie: one after the other in memory and calldata, at
//! consecutive keys in storage and transient storage.

use crate::emit::Emit;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Op, Type, Value};

/// True for loads and stores: their first operand says where.
pub(crate) fn has_address(opcode: Opcode) -> bool {
    let loads = [Opcode::MLOAD, Opcode::SLOAD, Opcode::TLOAD, Opcode::CALLDATALOAD];
    loads.contains(&opcode) || [Opcode::MSTORE, Opcode::SSTORE, Opcode::TSTORE].contains(&opcode)
}

/// A place or an amount of more than a word as a word: behind 2^256 − 2^16 there is nothing, wherever
/// that is, and the words of a composite that would lie there have places that do not wrap.
pub(crate) fn saturate(emit: &mut Emit<'_>, value: Value) -> Value {
    let far = emit.constant(Word::MAX << 16usize);
    let is_far = emit.gt(value, far);
    let low = emit.value(Op::Trunc, &[value], Type::U256);
    emit.value(Op::Select, &[is_far, far, low], Type::U256)
}

/// The place of a word: 32 bytes a word in memory and calldata, one key a word in storage.
pub(crate) fn place(emit: &mut Emit<'_>, opcode: Opcode, start: Value, word: usize) -> Value {
    if word == 0 {
        return start;
    }
    let is_keyed = [Opcode::SLOAD, Opcode::SSTORE, Opcode::TLOAD, Opcode::TSTORE].contains(&opcode);
    let distance = emit.number(if is_keyed { word as u64 } else { 32 * word as u64 });
    match emit.func().dfg.ty(start) {
        Type::Ptr(space, _) => emit.value(Op::PtrAdd, &[start, distance], Type::Ptr(space, 0)),
        Type::Int(_) | Type::Bool | Type::Ufixed(..) | Type::Fixed(..) => emit.add(start, distance),
        Type::Composite(_) | Type::Void | Type::Unreachable => emit.add(start, distance),
    }
}
