//! What a pass is.
//!
//! A pass needs nothing and keeps everything: stack code has one form, and every pass leaves a program
//! that does the same. So there is nothing to say here of what it needs, preserves or gives; what one
//! pass leaves to another is a matter of the order, and stands in `pipeline.rs`.

use crate::program::Program;
use cairn_evm::{CostModel, Fork};

/// How much is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing.
    None,
    /// What makes code shorter and cheaper at once, block by block.
    Basic,
    /// What earns most for its time: nearly everything, in one round, trading gas against bytes as
    /// [`PassOptions::runs`] says.
    Quick,
    /// Everything, trading gas against bytes as [`PassOptions::runs`] says.
    #[default]
    Full,
}

/// What the passes aim for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassOptions {
    /// Decides which opcodes exist.
    pub fork: Fork,
    /// Expected executions of deployed code.
    pub runs: u64,
    /// How much is done.
    pub level: Level,
    /// No words are left on the stack where the run ends.
    pub strict_stack: bool,
}

impl Default for PassOptions {
    fn default() -> Self {
        PassOptions { fork: Fork::default(), runs: 200, level: Level::default(), strict_stack: false }
    }
}

/// What a pass needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassContext {
    pub(crate) fork: Fork,
    pub(crate) cost: CostModel,
    pub(crate) strict_stack: bool,
}

impl PassContext {
    /// What code costs; words may be left on the stack.
    pub(crate) fn new(fork: Fork, cost: CostModel) -> PassContext {
        PassContext { fork, cost, strict_stack: false }
    }

    /// What code costs that hardly ever runs.
    pub(super) fn never_run(self) -> PassContext {
        PassContext { cost: CostModel { executions: 0, ..self.cost }, ..self }
    }
}

/// A pass. Its constant stands in the file that has its contract.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Kebab-case name, the same in the command line, test folders and documentation.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The lowest level that runs it.
    pub level: Level,
    /// Its work on an object; how often it changed something.
    pub(crate) run: fn(&mut Program, &PassContext) -> usize,
}
