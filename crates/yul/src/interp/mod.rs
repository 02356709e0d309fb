//! Execution of Yul by walking over the tree: a reference for tests of what changes programs.
//!
//! Arithmetic, control flow, memory, storage and the order of effects are exact. What lies outside
//! of the program is a fixed [`World`]: calls of other accounts succeed and do nothing, code is a
//! fixed text, `gas` is constant. Objects are not laid out: `datasize` and `dataoffset` are hashes of
//! the names. Copies to or from far away in memory are left out, so that memory stays small.
//!
//! Every run ends: steps, the trace and the depth of nested evaluations have limits.

mod builtins;
mod dump;
mod eval;
mod memory;
mod world;

use std::collections::BTreeMap;

use cairn_evm::Word;

use crate::ast::Object;
use crate::dialect::Dialect;

pub use memory::Memory;
pub use world::{ExternalCalls, World};

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Statements and rounds of loops.
    pub steps: usize,
    /// Lines of the trace.
    pub trace: usize,
    /// Literals, names and calls evaluated for one expression, without what the called functions
    /// evaluate.
    pub expression: usize,
    /// Blocks and expressions that are open at one time. The default fits a stack of 2 MB.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 100_000, trace: 10_000, expression: 100_000, depth: 2_000 }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end of the code was reached.
    Finished,
    /// `stop`, `return`, `selfdestruct`.
    Terminated,
    /// `revert`.
    Reverted,
    /// `invalid`, or an access that always fails.
    Failed,
    /// `verbatim`, whose code is not known.
    Unsupported,
    /// Too many steps.
    StepLimit,
    /// A trace that is too long.
    TraceLimit,
    /// An expression that is too large.
    ExpressionLimit,
    /// Too many nested calls, blocks and expressions.
    DepthLimit,
}

/// What a run leaves behind. Nothing is taken back when it reverts.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Calls, creations, logs, copies and ends, one line each.
    pub trace: Vec<String>,
    /// Memory.
    pub memory: Memory,
    /// Storage; no zeros.
    pub storage: BTreeMap<Word, Word>,
    /// Transient storage; no zeros.
    pub transient_storage: BTreeMap<Word, Word>,
    /// What `return` or `revert` gave back.
    pub returndata: Vec<u8>,
}

/// Runs the code of an object, which must be valid.
pub fn run(object: &Object, dialect: &Dialect, world: &World, limits: &Limits) -> Outcome {
    eval::Interpreter::new(dialect, world, *limits).run(&object.code)
}

#[cfg(test)]
mod tests;
