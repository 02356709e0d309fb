//! What is known about the functions of a program without running it.
//!
//! Functions are told apart by name. Programs in which two functions have one name (in blocks that
//! do not contain each other) are handled soundly: such functions share one, common answer.

pub mod control_flow;
mod functions;
pub mod side_effects;
pub mod visit;

pub use control_flow::{ControlFlow, compute_control_flow};
pub use functions::{FunctionGraph, PerFunction, recursive_functions};
pub use side_effects::{Access, SideEffects, compute_side_effects};
