//! What scheduling one function needs to know.

use crate::code::{Convention, Reach};
use crate::context::ModuleCx;
use cairn_ir::{Func, SecondaryMap};

/// What scheduling one function needs to know.
#[derive(Debug)]
pub(super) struct Context<'a> {
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
