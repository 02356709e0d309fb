//! Legalizer: turns free-form EVM-IR into canonical EVM-IR.
//!
//! [`legalize`] runs the [`PASSES`] over each function until nothing changes. Each pass is one
//! file in `passes` with its contract, the one property that it gives, and a constant `PASS`; the order is
//! in `pipeline.rs`, to be read top to bottom. Functions are legalized independently of each
//! other, after `outline.rs` has moved what recursive functions cannot hold in their frames.
//! Legalizing canonical EVM-IR changes nothing. The language of both forms is described in docs/ir.md,
//! the rewrites in docs/legalizer.md.
//!
//! ```
//! use cairn_ir::verify::{Form, verify};
//! use cairn_legalize::{Options, legalize};
//!
//! let text = "module @M {
//!   func @__entry() {
//!   ^entry:
//!     %v = evm.callvalue
//!     %n = evm.trunc %v : u64
//!     %sum = evm.add %n, %n : u64
//!     evm.return %sum
//!   }
//! }";
//! let mut module = cairn_ir::text::parse(text, cairn_diag::FileId(0)).expect("well-formed");
//! let options = Options { explain: true, ..Options::default() };
//! let report = legalize(&mut module, &options).expect("nothing is rejected");
//! assert!(verify(&module, Form::Canonical).is_empty());
//! assert_eq!(report.count("legalize-operations"), 1);
//! assert!(report.changes.iter().any(|change| change.what.contains("is no type of the EVM")));
//! assert!(legalize(&mut module, &options).expect("it is canonical").is_unchanged());
//! ```

mod apply_target;
mod context;
mod emit;
mod faults;
mod folding;
mod graph;
mod known;
mod names;
mod observable;
mod options;
mod outline;
mod pass;
mod passes;
mod pipeline;
mod places;
mod replace;
mod report;
mod runner;
mod runtime;
mod target;

pub use options::{Options, SwitchShape};
pub use pass::{Leaves, Pass, Property};
pub use passes::legalize_operations::table::{OperationRow, operation_rows};
pub use pipeline::PASSES;
pub use report::{Change, Report};
pub use runner::{MAX_ROUNDS, legalize};
pub use target::{Target, TargetAction};
