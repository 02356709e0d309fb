//! What a pass is.
//!
//! A pass has one file, which opens with its contract, and a constant `PASS` beside its code. It works
//! on one function and knows nothing but that function and its [`PassContext`].

use crate::context::PassContext;
use cairn_ir::Function;

/// What a pass needs to hold before it, or gives; together they are canonical form.
///
/// A pass keeps what those before it in the pipeline have given, so that one round does the work and
/// there is nothing to say about what a pass preserves. Tests hold the passes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Exactly one terminator a block, at its end.
    OneTerminator,
    /// Every block can be reached.
    Reachable,
    /// Nothing is computed, passed or decided that nothing needs.
    NothingDead,
    /// No structs, arrays, vectors.
    NoComposites,
    /// Pointers change only by `ptr_add`; storage is addressed by integers.
    PlainPointers,
    /// Only legal types.
    LegalTypes,
    /// Only operations that the fork has.
    LegalOperations,
    /// No `evm.switch`.
    NoSwitches,
    /// No block arguments; nothing leads to the entry block.
    NoPhis,
    /// No critical edges; empty blocks only where they split one.
    NormalEdges,
    /// Every `alloca` at the start of the entry block.
    SlotsFirst,
    /// Blocks in reverse postorder.
    Ordered,
}

/// What a pass may leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Nothing that was not there before.
    Nothing,
    /// Values that nothing needs any more, or branches that have no choice any more.
    DeadCode,
}

/// A pass. Its constant stands in the file that has its contract.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Kebab-case name, the same in reports, test folders and documentation.
    pub name: &'static str,
    /// What it establishes, in one line.
    pub summary: &'static str,
    /// What must hold before.
    pub needs: &'static [Property],
    /// What holds after it.
    pub gives: Property,
    /// What has to be removed behind it where it rewrote something.
    pub leaves: Leaves,
    /// Its work; it says what it rewrote.
    pub(crate) run: fn(&mut Function, &mut PassContext<'_>),
}
