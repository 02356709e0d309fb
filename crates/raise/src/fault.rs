//! Why a module cannot be raised.

use cairn_diag::Span;
use std::fmt;

/// What is in the way, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Name of the function.
    pub function: String,
    /// Place in the module's text, if it has one.
    pub place: Option<Span>,
    /// What is in the way.
    pub reason: Reason,
}

/// What Yul cannot say, or not with so many levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An operation that is none on words.
    Operation(&'static str),
    /// An opcode that the fork's dialect has no builtin for.
    Opcode(&'static str),
    /// A value that is no word.
    NotAWord,
    /// The module has no entry.
    NoEntry,
    /// Statements within statements, more levels than a reader of Yul takes.
    TooDeep,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function `{}`: ", self.function)?;
        match self.reason {
            Reason::Operation(name) => write!(f, "Yul has no `evm.{name}`: legalize the module first"),
            Reason::Opcode(name) => write!(f, "Yul has no builtin `{name}` on this fork"),
            Reason::NotAWord => f.write_str("a value is no word: legalize the module first"),
            Reason::NoEntry => f.write_str("the module has no code"),
            Reason::TooDeep => f.write_str("its control flow is nested too deep"),
        }
    }
}

impl std::error::Error for Fault {}
