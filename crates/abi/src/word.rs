//! Values that are one word: what makes them valid, and how to make them so.

use crate::code::Code;
use crate::types::AbiType;
use cairn_evm::account::ACCOUNT_BITS;
use cairn_evm::{Opcode, Word};
use cairn_ir::Value;

/// A word that is zero exactly when `word` is a value of the type; `None` if every word is.
pub(crate) fn fault(code: &mut Code, ty: &AbiType, word: Value) -> Option<Value> {
    if ty.is_full_word() {
        return None;
    }
    let (opcode, bits) = match ty {
        AbiType::Uint(bits) => (Opcode::SHR, u64::from(*bits)),
        AbiType::Address => (Opcode::SHR, u64::from(ACCOUNT_BITS)),
        AbiType::Bool => (Opcode::SHR, 1),
        AbiType::FixedBytes(bytes) => (Opcode::SHL, u64::from(*bytes) * 8),
        AbiType::Function => (Opcode::SHL, 24 * 8),
        AbiType::Int(_) => {
            let extended = clean(code, ty, word);
            return Some(code.op(Opcode::XOR, &[extended, word]));
        }
        AbiType::Bytes | AbiType::String | AbiType::Array(_) | AbiType::FixedArray(..) => return None,
        AbiType::Tuple(_) => return None,
    };
    let bits = code.word(bits);
    Some(code.op(opcode, &[bits, word]))
}

/// The value of the type that a word's bits say.
pub(crate) fn clean(code: &mut Code, ty: &AbiType, word: Value) -> Value {
    if ty.is_full_word() {
        return word;
    }
    let mask = match ty {
        AbiType::Uint(bits) => low_mask(*bits),
        AbiType::Address => low_mask(ACCOUNT_BITS),
        AbiType::FixedBytes(bytes) => !low_mask(256 - u16::from(*bytes) * 8),
        AbiType::Function => !low_mask(64),
        AbiType::Bool => {
            let is_zero = code.op(Opcode::ISZERO, &[word]);
            return code.op(Opcode::ISZERO, &[is_zero]);
        }
        AbiType::Int(bits) => {
            let last_byte = code.word(u64::from(bits / 8 - 1));
            return code.op(Opcode::SIGNEXTEND, &[last_byte, word]);
        }
        AbiType::Bytes | AbiType::String | AbiType::Array(_) | AbiType::FixedArray(..) => return word,
        AbiType::Tuple(_) => return word,
    };
    let mask = code.constant(mask);
    code.op(Opcode::AND, &[word, mask])
}

/// The low bits set; fewer than 256.
fn low_mask(bits: u16) -> Word {
    cairn_evm::word::low_mask(usize::from(bits))
}
