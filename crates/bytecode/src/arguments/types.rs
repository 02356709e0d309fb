//! Types of arguments, as far as calldata tells them apart.

use crate::type_names;
use std::fmt::{Display, Formatter, Write};

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

impl Type {
    fn write_to(&self, out: &mut impl Write) -> std::fmt::Result {
        match self {
            Type::Uint(bits) => write_name(out, type_names::uint(*bits), ("uint", *bits)),
            Type::Int(bits) => write_name(out, type_names::int(*bits), ("int", *bits)),
            Type::Address => out.write_str("address"),
            Type::Bool => out.write_str("bool"),
            Type::FixedBytes(bytes) => {
                let bytes = u16::from(*bytes);
                write_name(out, type_names::fixed_bytes(bytes), ("bytes", bytes))
            }
            Type::Bytes => out.write_str("bytes"),
            Type::Array(item) => {
                item.write_to(out)?;
                out.write_str("[]")
            }
            Type::FixedArray(item, count) => {
                item.write_to(out)?;
                write!(out, "[{count}]")
            }
            Type::Tuple(items) => {
                out.write_str("(")?;
                write_list(items, out)?;
                out.write_str(")")
            }
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.write_to(f)
    }
}

/// Writes the ready-made name; what code only looks like need not be a type.
fn write_name(out: &mut impl Write, name: Option<&str>, (prefix, number): (&str, u16)) -> std::fmt::Result {
    match name {
        Some(name) => out.write_str(name),
        None => write!(out, "{prefix}{number}"),
    }
}

fn write_list(types: &[Type], out: &mut impl Write) -> std::fmt::Result {
    for (place, item) in types.iter().enumerate() {
        if place > 0 {
            out.write_str(",")?;
        }
        item.write_to(out)?;
    }
    Ok(())
}

/// Types with commas between, as in a signature.
pub(super) fn list(types: &[Type]) -> String {
    let mut text = String::new();
    // A text takes all that is written.
    _ = write_list(types, &mut text);
    text
}
