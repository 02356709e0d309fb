//! Shows functions of two programs equal.
//!
//! A *reference* and a *tested* program are run on words that are not known: the reference is EVM-IR as
//! the front end wrote it, or bytecode; what is tested is bytecode. The tested program runs under the
//! conditions of each path of the reference, and what others could see is compared: how the frame ends,
//! its data, storage and transient storage at the end and before each call, calls, creations and logs
//! with their operands and input, and whether an operation ran that a static frame refuses. Gas is not.
//!
//! A proof holds under the assumptions that it lists ([`Assumptions`]), and for the rounds of loops that
//! it names. A difference is what the solver offers as inputs; it counts when both programs ran on these
//! and did differently, which is the caller's to do ([`Verdict::Suspicion`]). docs/prove.md says more.
//!
//! The crate runs nothing but solvers, and those only if [`Solver`] is given one.

mod assume;
mod attempts;
mod clock;
mod code;
mod compare;
mod explore;
mod footprint;
mod induct;
mod inputs;
mod join;
mod looped;
mod machine;
mod order;
mod pair;
mod place;
mod recur;
mod smt;
mod source;
pub mod term;

pub use assume::{Assumption, Assumptions};
pub use attempts::prove;
pub use clock::processor_time;
pub use code::{Code, Placeholder};
pub use inputs::Inputs;
pub use machine::{Limits, Stop};
pub use pair::{Part, Program, Proof, Request, Suspicion, Verdict};
pub use smt::{Solver, SolverKind, Statistics, find_solvers};
pub use source::Image;
