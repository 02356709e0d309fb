//! Options of the legalizer.

use cairn_evm::Fork;

/// How a switch becomes two-way branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SwitchShape {
    /// The decision tree that costs least: chains of tests, split by range where that pays.
    #[default]
    Cost,
    /// One `evm.eq` and `evm.condbr` a case, in source order.
    Cascade,
}

/// Options of the legalizer.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Target fork: operations it lacks are expanded or rejected.
    pub fork: Fork,
    /// Lower composite types to a memory layout instead of rejecting them.
    pub recover: bool,
    /// How a switch becomes two-way branches.
    pub switch: SwitchShape,
    /// Expected executions over the contract's life: a byte of code costs 200 / runs gas.
    pub runs: u64,
    /// Verify the input first. Without this it must be known to be in free form.
    pub validate: bool,
    /// Record every rewrite in [`Report::changes`](crate::Report::changes).
    pub explain: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fork: Fork::default(),
            recover: false,
            switch: SwitchShape::Cost,
            runs: 200,
            validate: true,
            explain: false,
        }
    }
}
