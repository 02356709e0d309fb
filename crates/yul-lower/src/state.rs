//! The function being built.

use cairn_evm::Word;
use cairn_ir::{Block, Function, Loc, Value};
use cairn_yul::{Span, YulName};

/// How control leaves a block towards a join.
pub(crate) enum Exit {
    /// Always.
    Jump,
    /// When `condition` is zero; else to `then`.
    Otherwise {
        /// The condition.
        condition: Value,
        /// The other target.
        then: Block,
    },
    /// When `value` is none of the cases.
    NoCase {
        /// What is compared.
        value: Value,
        /// The other targets.
        cases: Vec<(Word, Block)>,
    },
}

/// An edge to a join. Its block has no terminator yet.
pub(crate) struct Edge {
    /// Where it starts.
    pub(crate) block: Block,
    /// The terminator to write.
    pub(crate) exit: Exit,
    /// Values of the join's variables along this edge.
    pub(crate) values: Vec<Value>,
    /// Location of the terminator.
    pub(crate) loc: Option<Loc>,
}

/// A loop around the current statement.
pub(crate) struct LoopState {
    /// The variables that `break` and `continue` edges give values for.
    pub(crate) vars: Vec<YulName>,
    /// Edges to the code after the loop.
    pub(crate) breaks: Vec<Edge>,
    /// Edges to the post block.
    pub(crate) continues: Vec<Edge>,
}

/// The function being built.
#[derive(Default)]
pub(crate) struct FuncState {
    pub(crate) func: Function,
    /// Where instructions go; `None` in dead code.
    pub(crate) block: Option<Block>,
    /// Location of instructions.
    pub(crate) loc: Option<Loc>,
    /// Place of instructions in the text.
    pub(crate) span: Span,
    pub(crate) loops: Vec<LoopState>,
    pub(crate) returns: Vec<YulName>,
}
