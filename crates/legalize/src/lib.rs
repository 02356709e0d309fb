//! Legalizer: turns free-form EVM-IR into canonical EVM-IR.
//!
//! [`legalize`] runs a list of steps over each function until nothing changes. Each step is one
//! file in [`steps`](self) with one public function and the one invariant it establishes; the list
//! is in `driver.rs`, to be read top to bottom. Functions are legalized independently of each
//! other. Legalizing canonical EVM-IR changes nothing. The language of both forms is described in
//! docs/ir.md, the rewrites in docs/legalizer.md.

mod cx;
mod driver;
mod emit;
mod graph;
mod names;
mod options;
mod places;
mod replace;
mod report;
mod runtime;
mod steps;

pub use driver::{MAX_ROUNDS, legalize};
pub use options::{Options, SwitchShape};
pub use report::{Change, Report, Step};
pub use steps::operations::table::{OperationRow, operation_rows};
