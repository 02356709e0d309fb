//! Solidity to EVM bytecode: solc is the front end, Cairn makes the code.
//!
//! A request in solc's standard JSON goes to a solc that is asked for Yul ([`frontend`]), each
//! object of that Yul is compiled once ([`compile`]), and the answer is solc's with Cairn's code in
//! it ([`standard::answer`]). Requests in Yul need no solc.

mod batches;
pub mod cache;
pub mod callables;
mod checks;
pub mod code;
pub mod compile;
mod environment;
mod estimates;
mod fill;
pub mod frontend;
mod functions;
mod gas;
mod hash;
mod immutables;
mod inherited;
mod internal;
pub mod message;
pub mod metadata;
pub mod objects;
mod optimized;
mod parts;
mod places;
mod plan;
pub mod progress;
pub mod project;
mod proof;
mod request;
mod rows;
pub mod selection;
pub mod settings;
mod sizes;
pub mod standard;
pub mod stats;
mod yul;

pub use environment::Environment;
pub use progress::{Progress, Step};
pub use standard::{answer, answer_measured};
pub use stats::Stats;
