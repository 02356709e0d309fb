//! How functions in bytecode are called, and what is done where they are.

use crate::term::Term;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How a function is called: what lies on the stack at its beginning, and when it comes back. Depths are counted from the
/// top, which is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Convention {
    /// The number of the function.
    pub(crate) func: u32,
    /// Where its first instruction is, a `JUMPDEST`.
    pub(crate) pc: usize,
    /// Words that it takes.
    pub(crate) takes: usize,
    /// Where the address is to which it returns.
    pub(crate) back: usize,
    /// Where its arguments are, as far as it is given them.
    pub(crate) args: Vec<Option<usize>>,
    /// Its results from the deepest to the top, by their numbers.
    pub(crate) results: Vec<usize>,
}

/// What is done with calls of functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inner {
    /// What is known of functions, by the places where they begin: calls are not followed.
    pub(crate) known: Rc<BTreeMap<usize, Convention>>,
    /// The function that is looked at by itself has just begun: that is no call.
    pub(crate) begins: bool,
    /// The word to which it returns, and its results by their numbers.
    pub(crate) leaves_to: Option<Term>,
    pub(crate) results: Vec<usize>,
    /// It ends behind the call after which there were so many events.
    pub(crate) ends_at: Option<usize>,
}

impl Inner {
    /// True of one function by itself.
    pub(super) fn is_by_itself(&self) -> bool {
        self.leaves_to.is_some()
    }
}
