//! What can be wrong with a type, a signature or a contract.

use std::fmt;

/// Why a builder refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AbiError {
    /// No type has this name.
    UnknownType(String),
    /// The text is not a type or signature; the byte where reading stopped.
    Syntax(usize),
    /// Arrays of length zero and tuples without parts have no encoding.
    Empty,
    /// More levels than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep,
    /// More words than [`MAX_HEAD_WORDS`](crate::MAX_HEAD_WORDS).
    TooLarge,
    /// Two functions of a contract have the same selector.
    SelectorClash(String, String),
    /// A function of the module does not take or give one word for each ABI value.
    Mismatch {
        /// The function.
        func: String,
        /// Parameters and results that it must have.
        expected: (usize, usize),
        /// Parameters and results that it has.
        found: (usize, usize),
    },
    /// The module has an entry function already.
    HasEntry,
}

impl fmt::Display for AbiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AbiError::UnknownType(name) => write!(f, "unknown ABI type `{name}`"),
            AbiError::Syntax(at) => write!(f, "malformed ABI type or signature at byte {at}"),
            AbiError::Empty => f.write_str("an ABI type without content"),
            AbiError::TooDeep => write!(f, "an ABI type nests deeper than {}", crate::MAX_DEPTH),
            AbiError::TooLarge => {
                write!(f, "the head of an encoding has more than {} words", crate::MAX_HEAD_WORDS)
            }
            AbiError::SelectorClash(a, b) => write!(f, "`{a}` and `{b}` have the same selector"),
            AbiError::Mismatch { func, expected, found } => write!(
                f,
                "function `@{func}` takes {} words and gives {}, the signature asks for {} and {}",
                found.0, found.1, expected.0, expected.1
            ),
            AbiError::HasEntry => f.write_str("the module has an entry function already"),
        }
    }
}

impl std::error::Error for AbiError {}
