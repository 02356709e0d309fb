//! A plain reader of encoded data: the specification of the contract ABI, with the checks of
//! Solidity's second coder. Strings come out as bytes, which have the same encoding.

use alloy_dyn_abi::DynSolValue;
use cairn_abi::{AbiType, head_words};
use cairn_evm::U256;

/// The values of a list; `None` if the data does not hold them.
pub(crate) fn decode(types: &[AbiType], data: &[u8]) -> Option<DynSolValue> {
    parts(types, data, 0)
}

/// The value of one word.
pub(crate) fn word_value(ty: &AbiType, word: U256) -> Option<DynSolValue> {
    match ty {
        AbiType::Uint(bits) => {
            (word.bit_len() <= usize::from(*bits)).then_some(DynSolValue::Uint(word, usize::from(*bits)))
        }
        AbiType::Int(bits) => {
            let shift = 256 - usize::from(*bits);
            let extended = (word << shift).arithmetic_shr(shift);
            let value = alloy_dyn_abi::DynSolType::Int(usize::from(*bits))
                .abi_decode(&word.to_be_bytes::<32>())
                .expect("any word is read");
            (extended == word).then_some(value)
        }
        AbiType::Bool => (word <= U256::from(1)).then_some(DynSolValue::Bool(word == U256::from(1))),
        AbiType::Address => {
            let bytes = word.to_be_bytes::<32>();
            let address = <[u8; 20]>::try_from(&bytes[12..]).expect("20 bytes");
            (word.bit_len() <= 160).then_some(DynSolValue::Address(address.into()))
        }
        AbiType::FixedBytes(bytes) => {
            let fits = *bytes == 32 || (word << (8 * usize::from(*bytes))).is_zero();
            fits.then_some(DynSolValue::FixedBytes(word.into(), usize::from(*bytes)))
        }
        AbiType::Function => {
            let bytes = word.to_be_bytes::<32>();
            let function = <[u8; 24]>::try_from(&bytes[..24]).expect("24 bytes");
            (word << 192usize).is_zero().then_some(DynSolValue::Function(function.into()))
        }
        _ => None,
    }
}

fn word(data: &[u8], at: usize) -> Option<U256> {
    data.get(at..at.checked_add(32)?).map(U256::from_be_slice)
}

/// A number that is a place in the data or a number of things in it.
fn number(data: &[u8], at: usize) -> Option<usize> {
    usize::try_from(word(data, at)?).ok()
}

/// The values whose heads follow each other from `base` on.
fn parts(types: &[AbiType], data: &[u8], base: usize) -> Option<DynSolValue> {
    if base.checked_add(head_words(types) as usize * 32)? > data.len() {
        return None;
    }
    let mut head = base;
    let mut values = Vec::new();
    for ty in types {
        values.push(value(ty, data, base, head)?);
        head += ty.head_bytes() as usize;
    }
    Some(DynSolValue::Tuple(values))
}

/// The value with this head; offsets count from `base`.
fn value(ty: &AbiType, data: &[u8], base: usize, head: usize) -> Option<DynSolValue> {
    let at = match ty.is_dynamic() {
        true => base.checked_add(number(data, head)?)?,
        false => head,
    };
    let list = |value: DynSolValue| match value {
        DynSolValue::Tuple(values) => values,
        _ => Vec::new(),
    };
    match ty {
        AbiType::Bytes | AbiType::String => {
            let start = at.checked_add(32)?;
            let end = start.checked_add(number(data, at)?)?;
            data.get(start..end).map(|bytes| DynSolValue::Bytes(bytes.to_vec()))
        }
        AbiType::Array(element) => {
            let length = number(data, at)?;
            if length > data.len() {
                return None;
            }
            let types = vec![(**element).clone(); length];
            parts(&types, data, at.checked_add(32)?).map(|values| DynSolValue::Array(list(values)))
        }
        AbiType::FixedArray(element, length) => {
            let types = vec![(**element).clone(); *length as usize];
            parts(&types, data, at).map(|values| DynSolValue::FixedArray(list(values)))
        }
        AbiType::Tuple(types) => parts(types, data, at),
        _ => word_value(ty, word(data, head)?),
    }
}
