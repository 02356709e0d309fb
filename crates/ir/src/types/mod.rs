//! Types of EVM-IR (docs/ir.md, section Types).

pub mod composite;
pub mod float;

use composite::Composite;
use float::FloatFormat;
use std::fmt;

/// An address space of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum AddressSpace {
    /// 0: memory.
    Memory = 0,
    /// 1: storage; addressed by `u256` keys, so such a pointer is rejected or rewritten.
    Storage = 1,
    /// 2: calldata.
    Calldata = 2,
    /// 3: transient storage; as storage.
    Transient = 3,
    /// 4: code.
    Code = 4,
    /// 5: return data.
    Returndata = 5,
}

impl AddressSpace {
    /// The address space with this number.
    pub fn from_number(number: u64) -> Option<AddressSpace> {
        use AddressSpace::*;
        [Memory, Storage, Calldata, Transient, Code, Returndata].get(usize::try_from(number).ok()?).copied()
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// `uN`, 1 ≤ N ≤ 4096.
    Int(u16),
    /// `bool`: 0 or 1.
    Bool,
    /// `ptr<AS>`, or `ptr<AS, size=N>` where the size in bytes is not 0.
    Ptr(AddressSpace, u32),
    /// `ufixed<N,D>`: N bits, D decimals.
    Ufixed(u16, u8),
    /// `fixed<N,D>`: N bits, D decimals, signed.
    Fixed(u16, u8),
    /// `f16`, `f32`, `f64`.
    Float(FloatFormat),
    /// `struct<…>`, `array<N x T>` or `vec<N x T>`.
    Composite(Composite),
    /// `void`: no value.
    Void,
    /// `unreachable`: never produced.
    Unreachable,
}

impl Type {
    /// The stack word.
    pub const U256: Type = Type::Int(256);
    /// An address.
    pub const U160: Type = Type::Int(160);
    /// A pointer into memory.
    pub const MEMORY: Type = Type::Ptr(AddressSpace::Memory, 0);

    /// True for types that are stack words on the EVM as they are.
    pub fn is_legal(self) -> bool {
        matches!(self, Type::Int(256 | 160 | 32 | 8) | Type::Bool | Type::Ptr(..))
    }

    /// True for fixed-point numbers.
    pub fn is_fixed(self) -> bool {
        matches!(self, Type::Fixed(..) | Type::Ufixed(..))
    }

    /// True for floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Type::Float(_))
    }

    /// Number of bits that can be set in a value of this type, for integers and `bool`.
    #[inline]
    pub fn bits(self) -> Option<u16> {
        match self {
            Type::Int(bits) => Some(bits),
            Type::Bool => Some(1),
            Type::Ptr(..) | Type::Ufixed(..) | Type::Fixed(..) | Type::Float(_) => None,
            Type::Composite(_) | Type::Void | Type::Unreachable => None,
        }
    }

    /// Words that a value of this type takes in memory; 0 for types without values.
    pub fn words(self) -> usize {
        match self {
            Type::Int(bits) | Type::Ufixed(bits, _) | Type::Fixed(bits, _) => usize::from(bits.div_ceil(256)),
            Type::Bool | Type::Ptr(..) | Type::Float(_) => 1,
            Type::Composite(composite) => composite.words(),
            Type::Void | Type::Unreachable => 0,
        }
    }

    /// Lanes and their type, of a vector.
    pub fn lanes(self) -> Option<(u32, Type)> {
        match self {
            Type::Composite(composite) => composite.lanes(),
            Type::Int(_) | Type::Bool | Type::Ptr(..) | Type::Ufixed(..) | Type::Fixed(..) => None,
            Type::Float(_) | Type::Void | Type::Unreachable => None,
        }
    }

    /// The type of a lane of a vector; any other type itself.
    pub fn lane(self) -> Type {
        self.lanes().map_or(self, |(_, ty)| ty)
    }

    /// True when a value of this type may be used where `wide` is expected: equal types, pointers
    /// into the same space, and integers by zero extension.
    pub fn widens_to(self, wide: Type) -> bool {
        match (self, wide) {
            (Type::Ptr(from, _), Type::Ptr(to, size)) => from == to && (size == 0 || self == wide),
            (Type::Bool | Type::Int(_), Type::Int(to)) => self.bits().is_some_and(|from| from <= to),
            _ => self == wide,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Type::Int(bits) => write!(f, "u{bits}"),
            Type::Bool => f.write_str("bool"),
            Type::Ptr(space, 0) => write!(f, "ptr<{}>", space as u8),
            Type::Ptr(space, size) => write!(f, "ptr<{}, size={size}>", space as u8),
            Type::Ufixed(bits, decimals) => write!(f, "ufixed<{bits},{decimals}>"),
            Type::Fixed(bits, decimals) => write!(f, "fixed<{bits},{decimals}>"),
            Type::Float(format) => write!(f, "{format}"),
            Type::Composite(composite) => write!(f, "{composite}"),
            Type::Void => f.write_str("void"),
            Type::Unreachable => f.write_str("unreachable"),
        }
    }
}
