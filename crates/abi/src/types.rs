//! Types of the contract ABI, and how much room their encodings take.
//!
//! Invariants: a type has at most [`MAX_DEPTH`] levels, every array with a fixed length and every
//! tuple has at least one element, and the head of an encoding has at most [`MAX_HEAD_WORDS`]
//! words. [`AbiType::from_str`](std::str::FromStr) establishes them; whoever builds types by hand
//! has [`AbiType::check`] say so.

use crate::error::AbiError;
use std::fmt;

/// Levels of arrays and tuples in each other.
pub const MAX_DEPTH: usize = 32;

/// Words of the static part of an encoding.
pub const MAX_HEAD_WORDS: u64 = 1 << 16;

/// A type of the contract ABI.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AbiType {
    /// `uintN`, N bits.
    Uint(u16),
    /// `intN`, N bits; a word holds it with its sign extended.
    Int(u16),
    /// `bool`.
    Bool,
    /// `address`.
    Address,
    /// `bytesN`, N bytes, in the most significant bytes of a word.
    FixedBytes(u8),
    /// `function`: an address and a selector, as `bytes24`.
    Function,
    /// `bytes`.
    Bytes,
    /// `string`, which is encoded as `bytes`.
    String,
    /// `T[]`.
    Array(Box<AbiType>),
    /// `T[N]`.
    FixedArray(Box<AbiType>, u64),
    /// `(T1,T2,…)`.
    Tuple(Vec<AbiType>),
}

impl AbiType {
    /// True for types that are one word, values themselves and not pointers to memory.
    pub fn is_word(&self) -> bool {
        match self {
            AbiType::Uint(_) | AbiType::Int(_) | AbiType::Bool | AbiType::Address => true,
            AbiType::FixedBytes(_) | AbiType::Function => true,
            AbiType::Bytes | AbiType::String | AbiType::Array(_) => false,
            AbiType::FixedArray(..) | AbiType::Tuple(_) => false,
        }
    }

    /// True for types whose encoding is an offset in the head and the content in the tail.
    pub fn is_dynamic(&self) -> bool {
        match self {
            AbiType::Bytes | AbiType::String | AbiType::Array(_) => true,
            AbiType::FixedArray(element, _) => element.is_dynamic(),
            AbiType::Tuple(parts) => parts.iter().any(AbiType::is_dynamic),
            AbiType::Uint(_) | AbiType::Int(_) | AbiType::Bool | AbiType::Address => false,
            AbiType::FixedBytes(_) | AbiType::Function => false,
        }
    }

    /// Words in the head of whatever contains this type: the whole encoding of a static type, the
    /// offset of a dynamic one.
    pub fn head_words(&self) -> u64 {
        if self.is_dynamic() {
            return 1;
        }
        match self {
            AbiType::FixedArray(element, length) => element.head_words().saturating_mul(*length),
            AbiType::Tuple(parts) => head_words(parts),
            _ => 1,
        }
    }

    /// Bytes of [`AbiType::head_words`].
    pub fn head_bytes(&self) -> u64 {
        self.head_words() * 32
    }

    /// Whether every word is a value of the type, so that nothing needs to be validated.
    pub(crate) fn is_full_word(&self) -> bool {
        matches!(self, AbiType::Uint(256) | AbiType::Int(256) | AbiType::FixedBytes(32))
    }

    /// Says what is wrong with a type that was not read from text.
    ///
    /// # Errors
    /// If the type does not exist or goes beyond a limit.
    pub fn check(&self) -> Result<(), AbiError> {
        let mut open = vec![(self, 1)];
        while let Some((ty, depth)) = open.pop() {
            if depth > MAX_DEPTH {
                return Err(AbiError::TooDeep);
            }
            match ty {
                AbiType::Uint(bits) | AbiType::Int(bits) => {
                    let exists = *bits % 8 == 0 && (8..=256).contains(bits);
                    exists.then_some(()).ok_or_else(|| AbiError::UnknownType(ty.to_string()))?;
                }
                AbiType::FixedBytes(bytes) if !(1..=32).contains(bytes) => {
                    return Err(AbiError::UnknownType(ty.to_string()));
                }
                AbiType::FixedArray(_, 0) => return Err(AbiError::Empty),
                AbiType::Tuple(parts) if parts.is_empty() => return Err(AbiError::Empty),
                AbiType::Array(element) | AbiType::FixedArray(element, _) => open.push((element, depth + 1)),
                AbiType::Tuple(parts) => open.extend(parts.iter().map(|part| (part, depth + 1))),
                _ => {}
            }
        }
        self.check_size()
    }

    /// Needs the depth to be bounded.
    fn check_size(&self) -> Result<(), AbiError> {
        match self {
            AbiType::Array(element) => return element.check_size(),
            AbiType::FixedArray(element, length) => {
                element.check_size()?;
                // A dynamic element still takes a word of the array's own head.
                if element.head_words().saturating_mul(*length) > MAX_HEAD_WORDS {
                    return Err(AbiError::TooLarge);
                }
            }
            AbiType::Tuple(parts) => {
                parts.iter().try_for_each(AbiType::check_size)?;
                check_head(parts)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Words in the head of a list of types.
pub fn head_words(types: &[AbiType]) -> u64 {
    types.iter().map(AbiType::head_words).fold(0, u64::saturating_add)
}

/// Whether the head of a list of types has a size that code can be made for.
pub(crate) fn check_head(types: &[AbiType]) -> Result<(), AbiError> {
    if head_words(types) > MAX_HEAD_WORDS { Err(AbiError::TooLarge) } else { Ok(()) }
}

/// Checks each type of a list and the list.
pub(crate) fn check_all(types: &[AbiType]) -> Result<(), AbiError> {
    types.iter().try_for_each(AbiType::check)?;
    check_head(types)
}

impl fmt::Display for AbiType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AbiType::Uint(bits) => write!(f, "uint{bits}"),
            AbiType::Int(bits) => write!(f, "int{bits}"),
            AbiType::Bool => f.write_str("bool"),
            AbiType::Address => f.write_str("address"),
            AbiType::FixedBytes(bytes) => write!(f, "bytes{bytes}"),
            AbiType::Function => f.write_str("function"),
            AbiType::Bytes => f.write_str("bytes"),
            AbiType::String => f.write_str("string"),
            AbiType::Array(element) => write!(f, "{element}[]"),
            AbiType::FixedArray(element, length) => write!(f, "{element}[{length}]"),
            AbiType::Tuple(parts) => f.write_str(&list(parts)),
        }
    }
}

/// `(T1,T2)`.
pub(crate) fn list(types: &[AbiType]) -> String {
    let names: Vec<String> = types.iter().map(AbiType::to_string).collect();
    format!("({})", names.join(","))
}
