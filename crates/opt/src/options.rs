//! What to optimize for.

use cairn_evm::{Fork, gas};

/// Options of the optimizer.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Target fork.
    pub fork: Fork,
    /// Expected executions over the contract's life.
    pub runs: u64,
    /// How many passes may run on how many functions; everything after is left as it is. For
    /// bisecting a miscompilation.
    pub fuel: Option<u64>,
    /// Values live at once that inlining may lead to where there is no frame to keep some of them in.
    pub max_live: u32,
}

/// What a stack holds whose sixteen words in reach take operands and return addresses, too.
pub const MAX_LIVE: u32 = 12;

impl Default for Options {
    fn default() -> Self {
        Options { fork: Fork::default(), runs: 200, fuel: None, max_live: MAX_LIVE }
    }
}

impl Options {
    /// What a byte of code costs in gas of each execution: its deposit over the expected
    /// executions.
    pub(crate) fn gas_per_byte(&self) -> f64 {
        gas::DEPOSIT_PER_BYTE as f64 / self.runs.max(1) as f64
    }
}
