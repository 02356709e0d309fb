//! What a step works with besides the code.

use cairn_yul::{Block, Dialect, NameTable, YulName};

use crate::tools::dispenser::Dispenser;

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
        StepContext { names, dialect, dispenser, reserved, runs }
    }

    /// A new name like `hint`.
    pub(crate) fn new_name(&mut self, hint: &str) -> YulName {
        self.dispenser.new_name(hint, self.names, &self.dialect)
    }

    /// A new name like the name `like`.
    pub(crate) fn new_name_like(&mut self, like: YulName) -> YulName {
        let hint = self.names.text(like).to_owned();
        self.new_name(&hint)
    }
}
