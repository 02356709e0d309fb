//! Proves what Cairn compiles: each function of a program against its source, or of two programs against
//! each other.
//!
//! `cairn-prove` compares two programs on words that are not known. Here are the programs it is given
//! ([`Subject`]), the runs that make a difference of what it suspects, and the report. What a proof means
//! and assumes is said in docs/prove.md.
//!
//! A difference is reported only after both programs ran on the same inputs and did differently; what is not
//! proven was run on inputs of its paths and on random ones. Nothing is printed here.

mod certify;
mod edit;
mod inputs;
mod reduce;
mod replay;
mod report;
mod samples;
mod subject;

pub use cairn_prove::{Assumption, Assumptions, Limits, Part, find_solvers};
pub use certify::{Certificate, Demand, Finding, Outcome, Plan, functions};
pub use reduce::Origin;
pub use subject::Subject;
