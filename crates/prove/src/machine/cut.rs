//! Loops of the reference in which paths were cut.

/// A loop of bytecode, by the beginnings of two blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodeLoop {
    /// The block that ends with the test of a round.
    pub(crate) head: usize,
    /// The one to which a round goes from there.
    pub(crate) behind_test: usize,
}
