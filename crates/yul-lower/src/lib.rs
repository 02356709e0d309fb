//! Lowers a resolved Yul object to a free-form EVM-IR module.
//!
//! SSA form is built directly while walking the tree: Yul's control flow is structured, so at each
//! branch and loop it is known which variables can differ, and no variable ever lives in memory.
//! The work is linear in the tree and in the edge arguments written.
//!
//! Invariants of the result: every function's instructions keep Yul's order of evaluation
//! (arguments right to left); nothing follows a terminator; code after a call that never comes
//! back is `unreachable`; functions and blocks come in source order. Identifiers only become
//! names for display, so renaming them changes no instruction.
//!
//! The walk recurses as deep as the tree, whose depth the parser bounds.

mod assigned;
mod expr;
mod function;
mod join;
mod noreturn;
mod object;
mod params;
mod reachable;
mod state;
mod stmt;
mod variables;

pub use object::{LowerOptions, lower_object};
pub use reachable::remove_unreachable_functions;
