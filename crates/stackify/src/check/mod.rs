//! The checker: proves that stack code does what its function says.
//!
//! It replays each block on a symbolic stack and compares every step with the instruction that the
//! step claims to carry out; between blocks it relies only on the declared entry layouts, which it
//! checks on every edge. Definitions:
//!
//! - a *word* is what is known about a stack word: an SSA value, a constant, a return address, the
//!   address of frame memory, what frame memory held when the block was entered, or junk;
//! - a *demand* is a pair of frame address and word that must match at the entry of a block; it is
//!   followed backwards along all edges to the stores that fulfil it.
//!
//! Why no word can be outdated: an instruction other than a pure one is carried out in its own
//! block only, and a parameter gets its value on edges into its block only. So a layout (or a
//! demand) that names a value at a place which can be reached without passing its definition fails
//! on the edge of the first arrival; everywhere else the name means the latest definition.
//!
//! Linear in the code, but for demands, which visit each block once for each reloaded value that
//! is kept in memory there.

mod edges;
mod effects;
mod frames;
mod memory;
mod replay;
mod word;

use crate::code::ModuleCode;
use crate::context::ModuleCx;
use crate::frame::FramePlan;
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_ir::Block;
use std::fmt;

/// What was violated. The first seven are the invariants of the stackifier specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The stack never underflows.
    HeightNotNegative,
    /// The stack never holds more words than the EVM allows.
    HeightLimit,
    /// No word is used that was never given a value.
    NoUninitialised,
    /// No dead words before a terminator (before a halting one only with `strict_stack`).
    NoDeadStack,
    /// Every word is consumed: nothing is left behind when a function returns.
    AllConsumed,
    /// Every jump goes to a block, function or return label that exists, and to the right one.
    ValidTarget,
    /// Frame addresses are known and inside their object.
    ConstantOffset,
    /// An operation finds exactly its operands.
    Operands,
    /// A step carries out the operation of its instruction.
    Origin,
    /// An instruction with effects is carried out exactly once, in its block.
    EffectOnce,
    /// Instructions whose effects conflict keep their order.
    EffectOrder,
    /// On an edge the stack is the successor's entry layout.
    Layout,
    /// Calls and returns keep the callee's convention.
    Convention,
    /// A reload reads the value that was stored on every path.
    Reload,
    /// Memory of an `alloca` is what the program left there.
    Intact,
    /// `DUP` and `SWAP` stay in reach.
    Reach,
    /// Frames that are active together don't overlap, with each other or with the program's memory.
    Frames,
}

impl Rule {
    /// The name used in messages.
    pub fn name(self) -> &'static str {
        match self {
            Rule::HeightNotNegative => "height-not-negative",
            Rule::HeightLimit => "height-limit",
            Rule::NoUninitialised => "no-uninitialised",
            Rule::NoDeadStack => "no-dead-stack",
            Rule::AllConsumed => "all-consumed",
            Rule::ValidTarget => "valid-target",
            Rule::ConstantOffset => "constant-offset",
            Rule::Operands => "operands",
            Rule::Origin => "origin",
            Rule::EffectOnce => "effect-once",
            Rule::EffectOrder => "effect-order",
            Rule::Layout => "layout",
            Rule::Convention => "convention",
            Rule::Reload => "reload",
            Rule::Intact => "intact",
            Rule::Reach => "reach",
            Rule::Frames => "frames",
        }
    }
}

/// A fault of the stackifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Name of the function.
    pub func: String,
    /// The block, if it is in one.
    pub block: Option<Block>,
    /// Index of the step in the block's code; its length for the exit.
    pub step: Option<usize>,
    /// What was violated.
    pub rule: Rule,
    /// How.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}` violated in function `{}`", self.rule.name(), self.func)?;
        if let Some(block) = self.block {
            write!(f, ", block `{block}`")?;
        }
        if let Some(step) = self.step {
            write!(f, ", step {step}")?;
        }
        write!(f, ": {}", self.detail)
    }
}

/// Code of the diagnostics that [`to_diagnostics`] makes: they mean a fault of the compiler.
pub(crate) const INTERNAL: &str = "internal";

/// Violations as errors with the code [`INTERNAL`].
pub(crate) fn to_diagnostics(violations: &[Violation]) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    violations.iter().for_each(|violation| {
        diagnostics.push(Diagnostic::error(format!("stack code is wrong: {violation}")).with_code(INTERNAL));
    });
    diagnostics
}

/// Checks the code of all functions of a module and the places of their frames.
///
/// # Errors
/// Every violation found, at most [`MAX_VIOLATIONS`] a function.
pub fn check_module(cx: &ModuleCx<'_>, code: &ModuleCode, frames: &FramePlan) -> Result<(), Vec<Violation>> {
    let mut violations = Vec::new();
    frames::check_frames(cx, code, frames, &mut violations);
    for id in &cx.funcs {
        if code[*id].is_some() {
            violations.extend(replay::check_func(cx, code, *id, &frames.frames[*id]));
        }
    }
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

/// Violations reported for one function.
pub(crate) const MAX_VIOLATIONS: usize = 20;
