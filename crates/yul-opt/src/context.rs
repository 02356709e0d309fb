//! What a step works with besides the code.

use cairn_yul::facts::compute_side_effects;
use cairn_yul::{Block, Dialect, NameTable, YulName};

use crate::tools::data_flow_analyzer::Scratch;
use crate::tools::dispenser::Dispenser;
use crate::tools::semantics::{Effects, observes_memory_size};

/// State that the steps of one object share.
#[derive(Debug)]
pub(crate) struct StepContext<'a> {
    pub(crate) names: &'a mut NameTable,
    pub(crate) dialect: Dialect,
    pub(crate) dispenser: Dispenser,
    /// Names that no step may use.
    pub(crate) reserved: Vec<YulName>,
    /// Expected executions of each opcode over the life of the contract; `None` for creation code,
    /// which runs once and is not deployed.
    pub(crate) runs: Option<u64>,
    /// False when the code does not observe the size of memory; no step makes code that does.
    may_observe_memory_size: bool,
    /// Memory of the data flow analysis.
    pub(crate) scratch: Scratch,
}

impl<'a> StepContext<'a> {
    pub(crate) fn new(
        code: &Block,
        names: &'a mut NameTable,
        dialect: Dialect,
        reserved: Vec<YulName>,
        runs: Option<u64>,
    ) -> Self {
        let dispenser = Dispenser::new(code, &reserved, names);
        StepContext {
            names,
            dialect,
            dispenser,
            reserved,
            runs,
            may_observe_memory_size: true,
            scratch: Scratch::default(),
        }
    }

    /// True when the program observes the size of memory (or may, in `verbatim`).
    pub(crate) fn observes_memory_size(&mut self, code: &Block) -> bool {
        self.may_observe_memory_size = self.may_observe_memory_size && observes_memory_size(code);
        self.may_observe_memory_size
    }

    /// The effects of code and of its functions.
    pub(crate) fn effects(&mut self, code: &Block) -> Effects {
        Effects { functions: compute_side_effects(code), has_msize: self.observes_memory_size(code) }
    }

    /// The same for steps that take functions to be able to do anything.
    pub(crate) fn effects_without_functions(&mut self, code: &Block) -> Effects {
        let functions = compute_side_effects(&Block::default());
        Effects { functions, has_msize: self.observes_memory_size(code) }
    }

    /// Frees the names that the code does not declare any more.
    pub(crate) fn forget_removed_names(&mut self, code: &Block) {
        self.dispenser = Dispenser::new(code, &self.reserved, self.names);
    }

    /// A new name like `hint`.
    pub(crate) fn new_name(&mut self, hint: &str) -> YulName {
        self.dispenser.new_name(hint, self.names, &self.dialect)
    }

    /// A new name like the name `like`.
    pub(crate) fn new_name_like(&mut self, like: YulName) -> YulName {
        self.dispenser.new_name_like(like, self.names, &self.dialect)
    }
}
