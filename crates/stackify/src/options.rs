//! Options of the stackifier.

use crate::code::Reach;
use crate::effort::Effort;
use cairn_evm::Fork;

/// How decisions are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Global layouts weighted by frequency.
    #[default]
    Global,
    /// The literal rules of the stackifier specification: values used across blocks, at merges and
    /// in loops live in memory.
    Spec,
}

/// How the two arms of a branch lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchOrder {
    /// Whichever is cheapest falls through.
    #[default]
    Cheapest,
    /// The arm for a condition that holds falls through wherever it can, as solc lays code out:
    /// coverage tools count it by the instruction behind the branch.
    ThenFirst,
}

/// Options of the stackifier.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Target fork.
    pub fork: Fork,
    /// How decisions are made.
    pub mode: Mode,
    /// Expected executions over the contract's life: λ = 200 / runs gas a byte.
    pub runs: u64,
    /// Run the checker in release builds too.
    pub verify: bool,
    /// Pop dead words before halting terminators.
    pub strict_stack: bool,
    /// How the two arms of a branch lie.
    pub branch_order: BranchOrder,
    /// Say where each value lives and why.
    pub explain: bool,
    /// Values have the names that variables have in a source in another language: messages show
    /// those alone.
    pub source_names: bool,
    /// Compare the stack operations with their lower bound.
    pub measure: bool,
    /// How much the default scheduler tries.
    pub effort: Effort,
    /// Threads that functions are scheduled on; 0 for one a core. The result is the same for all.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fork: Fork::default(),
            mode: Mode::Global,
            runs: 200,
            verify: false,
            strict_stack: false,
            branch_order: BranchOrder::default(),
            explain: false,
            source_names: false,
            measure: false,
            effort: Effort::FULL,
            threads: 1,
        }
    }
}

impl Options {
    /// How far stack instructions reach on the fork: EIP-8024 extends it.
    pub fn reach(&self) -> Reach {
        if self.fork >= Fork::Amsterdam { Reach::EIP_8024 } else { Reach::LEGACY }
    }
}
