//! Options of the legalizer.

use crate::target::Target;
use cairn_evm::{Fork, Opcode};
use std::str::FromStr;

/// What becomes of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SwitchShape {
    /// What costs least: chains of tests, split by range, by a bit or by jumps through tables.
    #[default]
    Cost,
    /// What costs least without jumps through tables: their entries hold positions below 64 KiB only.
    Tree,
    /// One `evm.eq` and `evm.condbr` a case, in source order.
    Cascade,
}

impl SwitchShape {
    /// Every shape.
    pub const ALL: [SwitchShape; 3] = [SwitchShape::Cost, SwitchShape::Tree, SwitchShape::Cascade];

    /// What stands after `--switch`.
    pub const fn name(self) -> &'static str {
        match self {
            SwitchShape::Cost => "cost",
            SwitchShape::Tree => "tree",
            SwitchShape::Cascade => "cascade",
        }
    }
}

impl FromStr for SwitchShape {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = SwitchShape::ALL.into_iter().find(|shape| shape.name() == name);
        found.ok_or_else(|| format!("unknown shape of switches `{name}`; known are cost tree cascade"))
    }
}

/// Options of the legalizer.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Target fork: operations it lacks are expanded or rejected.
    pub fork: Fork,
    /// Lower composite types to a memory layout instead of rejecting them.
    pub recover: bool,
    /// What becomes of a switch.
    pub switch: SwitchShape,
    /// Expected executions over the contract's life: a byte of code costs 200 / runs gas.
    pub runs: u64,
    /// A chain that is not quite the fork: what it does about some operations.
    pub target: Option<&'static dyn Target>,
    /// Verify the input first, and that no pass undid what one before it gave: functions take rounds until one
    /// finds nothing to do. Without this the input must be known to be in free form, and they take one round.
    pub validate: bool,
    /// Record every rewrite in [`Report::changes`](crate::Report::changes).
    pub explain: bool,
}

impl Options {
    /// What becomes of a switch on the fork: a jump through a table shifts, which no fork before Constantinople can.
    pub(crate) fn switch_on_fork(&self) -> SwitchShape {
        match self.switch {
            SwitchShape::Cost if !Opcode::SHR.exists_in(self.fork) => SwitchShape::Tree,
            shape => shape,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fork: Fork::default(),
            recover: false,
            switch: SwitchShape::Cost,
            runs: 200,
            target: None,
            validate: true,
            explain: false,
        }
    }
}
