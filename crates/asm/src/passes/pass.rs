//! What a pass is.

use crate::program::Program;
use cairn_evm::{CostModel, Fork};

/// How much is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing.
    None,
    /// What makes code shorter and cheaper at once, block by block.
    Basic,
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
}

impl Default for PassOptions {
    fn default() -> Self {
        PassOptions { fork: Fork::default(), runs: 200, level: Level::default() }
    }
}

/// What a pass needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassContext {
    pub(crate) fork: Fork,
    pub(crate) cost: CostModel,
}

/// One pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name in kebab case.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The lowest level that runs it.
    pub level: Level,
    /// Changes an object; how often it changed something.
    pub(super) run: fn(&mut Program, &PassContext) -> usize,
}
