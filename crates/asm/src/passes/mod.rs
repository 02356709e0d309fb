//! Clean-ups of stack code: what can be seen on the items alone, without the IR they came from.
//!
//! Every pass keeps what the program does, apart from gas and the place of things in code. They
//! rely on one convention: labels, offsets and sizes are used as such (labels are only jumped to,
//! nothing computes with the distance of two places, `PC` isn't read for its value), and verbatim
//! bytes neither jump nor read the stack beyond their declared inputs.
//!
//! Each pass is one file with its contract and a constant `PASS`; the order is in `pipeline.rs`.

mod copy_targets;
mod cost;
mod drop_pops;
mod encode_constants;
mod encode_tests;
mod flow;
mod merge_blocks;
mod merge_tails;
mod near_tables;
mod outline;
mod pass;
mod peephole;
pub mod pipeline;
mod place_near;
mod place_segments;
mod places;
mod remove_unreachable;
mod resolve_returns;
mod runner;
mod share_ends;
mod skip_jumps;
mod thread_jumps;

pub use encode_constants::word_cost;
pub use pass::{Level, Pass, PassOptions};
pub use runner::{PassReport, run_passes, run_selected};
