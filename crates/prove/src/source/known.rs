//! What is done with calls of functions that call themselves.

use cairn_ir::Func;
use std::collections::{BTreeMap, BTreeSet};

/// What is done with calls of functions that call themselves.
#[derive(Debug, Default)]
pub(crate) enum Inner {
    /// They are followed.
    #[default]
    Followed,
    /// They are followed, and each is an event with the function and its arguments.
    Noted(BTreeSet<Func>),
    /// They are not followed: what is known of these functions is taken.
    Trusted(BTreeMap<Func, Known>),
}

/// A function of which is known that the tested program does the same.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Whether the tested program is given an argument.
    pub(crate) has_args: Vec<bool>,
}
