//! Loads and stores of several words: consecutive words in memory and calldata, consecutive keys
//! in storage, the most significant first, as an ABI encoding of one big integer would be.

use super::Words;
use crate::emit::Emit;
use cairn_evm::Opcode;
use cairn_ir::{Op, Payload, Type, Value};

/// True for loads and stores: their first operand says where.
pub(super) fn has_address(opcode: Opcode) -> bool {
    let loads = [Opcode::MLOAD, Opcode::SLOAD, Opcode::TLOAD, Opcode::CALLDATALOAD];
    loads.contains(&opcode) || [Opcode::MSTORE, Opcode::SSTORE, Opcode::TSTORE].contains(&opcode)
}

/// Loads `n_words` words.
pub(super) fn load(emit: &mut Emit<'_>, opcode: Opcode, start: Value, n_words: usize) -> Words {
    let mut words: Words = (0..n_words)
        .map(|index| {
            let place = place(emit, opcode, start, index);
            emit.evm(opcode, &[place])
        })
        .collect();
    words.reverse();
    words
}

/// Stores all words.
pub(super) fn store(emit: &mut Emit<'_>, opcode: Opcode, start: Value, words: &[Value]) {
    for (index, word) in words.iter().rev().enumerate() {
        let place = place(emit, opcode, start, index);
        emit.insert(Op::Evm(opcode), &[place, *word], Payload::None, &[]);
    }
}

/// The place of a word: 32 bytes a word in memory and calldata, one key a word in storage.
fn place(emit: &mut Emit<'_>, opcode: Opcode, start: Value, index: usize) -> Value {
    if index == 0 {
        return start;
    }
    let is_keyed = [Opcode::SLOAD, Opcode::SSTORE, Opcode::TLOAD, Opcode::TSTORE].contains(&opcode);
    let distance = emit.number(if is_keyed { index as u64 } else { 32 * index as u64 });
    match emit.func().dfg.ty(start) {
        ty @ Type::Ptr(space, _) => {
            debug_assert!(ty.widens_to(Type::Ptr(space, 0)));
            emit.value(Op::PtrAdd, &[start, distance], Type::Ptr(space, 0))
        }
        Type::Int(_) | Type::Bool | Type::Ufixed(..) | Type::Fixed(..) | Type::Void | Type::Unreachable => {
            emit.add(start, distance)
        }
    }
}
