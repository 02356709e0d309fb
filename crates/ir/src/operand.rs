//! Operands that say where or how much.
//!
//! The EVM has nothing behind 2^256 − 1: memory there costs more gas than there is, calldata and code
//! are zeros there, return data ends before, no block or blob has such a number, and nobody owns so much
//! gas or wei. So an integer of more than a word has a meaning there: what is greater than every word
//! counts as the greatest word. Accounts, keys, salts and topics are names; a name of more than a word
//! names nothing.

use crate::op::Op;
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{MemoryLength, MemoryRegion, Opcode};

/// True if the operand with this index is a place in memory, calldata, code or return data.
pub fn is_place(opcode: Opcode, index: usize) -> bool {
    let starts = |region: MemoryRegion| usize::from(region.start) == index;
    memory_read(opcode).is_some_and(starts)
        || memory_write(opcode).is_some_and(starts)
        || match opcode {
            Opcode::CALLDATALOAD => index == 0,
            Opcode::CALLDATACOPY | Opcode::CODECOPY | Opcode::RETURNDATACOPY => index == 1,
            Opcode::EXTCODECOPY => index == 2,
            _ => false,
        }
}

/// True if the operand with this index is a place, a length, gas, wei, or the number of a block or
/// blob: integers of any width in free form.
pub fn is_amount(op: Op, index: usize) -> bool {
    match op {
        Op::Evm(opcode) => is_place(opcode, index) || is_length(opcode, index) || counts(opcode, index),
        Op::Mload8 | Op::SetImmutable => index == 0,
        Op::DataCopy => true,
        _ => false,
    }
}

fn is_length(opcode: Opcode, index: usize) -> bool {
    let regions = [memory_read(opcode), memory_write(opcode)];
    let is_length = |region: MemoryRegion| match region.length {
        MemoryLength::Operand(operand) => usize::from(operand) == index,
        MemoryLength::Fixed(_) => false,
    };
    regions.into_iter().flatten().any(is_length)
}

fn counts(opcode: Opcode, index: usize) -> bool {
    match opcode {
        Opcode::CALL | Opcode::CALLCODE => index == 0 || index == 2,
        Opcode::DELEGATECALL | Opcode::STATICCALL | Opcode::CREATE | Opcode::CREATE2 => index == 0,
        Opcode::BLOCKHASH | Opcode::BLOBHASH => index == 0,
        _ => false,
    }
}
