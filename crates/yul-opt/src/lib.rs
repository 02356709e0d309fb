//! The Yul optimizer: source to source, one file a step.
//!
//! A [`Sequence`] names steps by solc's letters or by name; [`optimize`] runs it over an object and
//! the objects in it. Each step has a contract ([`Step`]): what form of code it needs, preserves and
//! gives. Forms that are missing are made by inserting steps, or, with [`Strictness::Reject`], the
//! sequence is rejected with an explanation ([`check_sequence`]).
//!
//! ```
//! use cairn_diag::FileId;
//! use cairn_yul::{DebugComments, Dialect, parse, print_object};
//! use cairn_yul_opt::{NoObserver, Options, Plan, optimize};
//!
//! let dialect = Dialect::default();
//! let parsed = parse("{ let a := add(1, 2) sstore(0, a) }", FileId(0), &dialect);
//! let (mut object, mut names) = (parsed.object.expect("a tree"), parsed.names);
//! let options = Options { plan: Plan::Steps("u".parse().expect("a sequence")), ..Options::default() };
//! optimize(&mut object, &mut names, &dialect, &options, &mut NoObserver).expect("it can be run");
//! let text = print_object(&object, &names, &dialect, DebugComments::Omit);
//! assert_eq!(text, "{\n    {\n        let a := add(1, 2)\n        sstore(0, a)\n    }\n}");
//! ```

mod context;
mod contract;
mod form;
mod sequence;
mod step;
mod steps;
mod suite;
mod table;
mod tools;

pub use contract::{ContractFault, check_sequence};
pub use form::Form;
pub use sequence::{Item, Sequence, SequenceError, StepCall};
pub use step::Step;
pub use suite::{
    Cause, DEFAULT_CLEANUP, DEFAULT_SEQUENCE, NoObserver, Observer, OptimizeError, Options, Plan, Strictness,
    Suite, code_size, optimize,
};
pub use table::STEPS;
