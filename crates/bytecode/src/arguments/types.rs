//! Types of arguments, as far as calldata tells them apart.

use std::fmt::{Display, Formatter};

/// A type of an argument. `string` is [`Type::Bytes`], a contract or a payable address is
/// [`Type::Address`], an enumeration `uint8`: calldata has the same for both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// `uintN`, with the number of bits.
    Uint(u16),
    /// `intN`, with the number of bits.
    Int(u16),
    /// `address`
    Address,
    /// `bool`
    Bool,
    /// `bytesN`, with the number of bytes.
    FixedBytes(u8),
    /// `bytes`
    Bytes,
    /// `T[]`
    Array(Box<Type>),
    /// `T[n]`
    FixedArray(Box<Type>, u32),
    /// A struct.
    Tuple(Vec<Type>),
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Uint(bits) => write!(f, "uint{bits}"),
            Type::Int(bits) => write!(f, "int{bits}"),
            Type::Address => f.write_str("address"),
            Type::Bool => f.write_str("bool"),
            Type::FixedBytes(bytes) => write!(f, "bytes{bytes}"),
            Type::Bytes => f.write_str("bytes"),
            Type::Array(item) => write!(f, "{item}[]"),
            Type::FixedArray(item, count) => write!(f, "{item}[{count}]"),
            Type::Tuple(items) => write!(f, "({})", list(items)),
        }
    }
}

/// Types with commas between, as in a signature.
pub(super) fn list(types: &[Type]) -> String {
    types.iter().map(Type::to_string).collect::<Vec<_>>().join(",")
}
