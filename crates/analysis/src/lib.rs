//! Analyses of EVM-IR functions and modules.
//!
//! Each analysis is a struct with a `compute` function, valid until the function changes. All are
//! deterministic and near-linear, and none recurses over the input.
//!
//! | analysis | of | says |
//! |---|---|---|
//! | [`Cfg`] | function | predecessors, successors, reverse postorder, reachability |
//! | [`Dominators`] | function | immediate dominators, constant-time dominance |
//! | [`Loops`] | function | natural loops, nesting, irreducibility |
//! | [`Liveness`] | function | values live into and out of each block |
//! | [`Needed`] | function | which instructions and values something observable depends on |
//! | [`Frequency`] | function | how often each block runs, which are cold |
//! | [`CallGraph`] | module | edges, cycles, callees-first order, how each function can end |
//! | [`FuncEffects`] | module | what each function reads and writes, callees included |
//! | [`StaticFrames`] | module | which changes of the state static frames need |

pub mod callgraph;
pub mod cfg;
pub mod dom;
pub mod effects;
pub mod frequency;
pub mod liveness;
pub mod loops;
pub mod needed;
pub mod static_frames;
#[cfg(test)]
mod testing;
pub mod value_set;

pub use callgraph::{CallGraph, Ends};
pub use cfg::Cfg;
pub use dom::Dominators;
pub use effects::FuncEffects;
pub use frequency::{Frequency, entry_frequencies};
pub use liveness::Liveness;
pub use loops::{LoopId, Loops};
pub use needed::Needed;
pub use static_frames::StaticFrames;
pub use value_set::ValueSet;
