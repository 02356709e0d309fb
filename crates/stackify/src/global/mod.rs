//! The default scheduler: keeps values on the stack by layouts chosen for the whole function, and
//! spills only what is out of reach.
//!
//! *Slot*: a stack word. *Item*: one thing a block does in order (fetch an operand early, carry
//! out an instruction). *State*: a possible stack at one point of a block with the steps that led
//! there. Blocks are taken in reverse postorder; each is searched with a few states side by side;
//! the entry stack of a merge is chosen among what its predecessors leave.

pub mod convention;
pub(crate) mod shuffle;
pub(crate) mod slot;

pub use convention::choose_convention;

use crate::code::{Convention, Reach};
use crate::context::ModuleCx;
use cairn_ir::{Func, SecondaryMap};

/// What scheduling one function needs to know.
#[derive(Debug)]
pub struct Context<'a> {
    /// The module and its options.
    pub module: &'a ModuleCx<'a>,
    /// The function that is scheduled.
    pub own: Func,
    /// How each function is called.
    pub conventions: &'a SecondaryMap<Func, Convention>,
    /// Whether values may live in memory.
    pub may_spill: bool,
    /// How far stack instructions reach.
    pub reach: Reach,
}

/// A function that needs more words at once than stack instructions reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackError {
    /// Name of the function.
    pub function: String,
    /// Names of the values that were in the way, deepest first.
    pub variables: Vec<String>,
    /// How deep the word lies that was needed (1 = top).
    pub depth: u16,
}
