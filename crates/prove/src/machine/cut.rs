//! Loops of the reference in which paths were cut.

use cairn_ir::{Block, Func};
use std::collections::BTreeSet;

/// Loops in which rounds were too many.
#[derive(Default)]
pub(crate) struct Cut {
    /// Blocks of a module that were entered too often.
    pub(crate) blocks: BTreeSet<(Func, Block)>,
    /// Loops of bytecode.
    pub(crate) loops: BTreeSet<CodeLoop>,
}

impl Cut {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len() + self.loops.len()
    }
}

/// A loop of bytecode, by the beginnings of two blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodeLoop {
    /// The block that ends with the test of a round.
    pub(crate) head: usize,
    /// The one to which a round goes from there.
    pub(crate) behind_test: usize,
}
