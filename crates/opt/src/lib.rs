//! EVM-IR optimizer.
//!
//! [`optimize`] runs the passes of a level on a module whose functions are in SSA form or in
//! canonical form, and leaves it in SSA form: legalize it again before stack code is made.

mod adjacent;
mod alike;
mod calls;
mod checks;
mod copied;
mod cost;
mod counters;
mod edit;
mod failing;
mod guards;
mod inductive;
mod linked;
mod low_bits;
mod memory;
mod options;
pub mod pass;
mod passes;
pub mod pipeline;
mod pointer_word;
mod pressure;
mod ranges;
mod refused;
mod return_data;
mod runner;
mod silent;
#[cfg(test)]
mod soundness;
mod span;
#[cfg(test)]
mod testing;
mod transplant;
mod truth;
mod type_facts;
mod view;
mod word_access;

pub use cairn_rules as rules;
pub use calls::CallFacts;
pub use options::{MAX_LIVE, Options};
pub use pipeline::{Level, optimize};
pub use runner::{Fault, Hooks, PassStats, Report, Verify, run_passes};
