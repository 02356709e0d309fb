//! Storage that is read and written, and events.
//!
//! Slots are followed backwards through stack and scratch memory, calls included (`search`), in terms of
//! what each block makes of its words (`summary`, `symbol`, `operations`): constants, hashes of a key and
//! a slot, hashes of a slot, and what is added to those. Parts of words that are cut out or put in are
//! fields of packed slots (`fields`). Contract: each reached instruction is there, with every place
//! that its operand is found to be, or without one. What variables there are follows from that
//! (`variables`).

mod chains;
mod fields;
mod known_hashes;
mod operations;
mod place;
mod search;
mod summary;
mod symbol;
#[cfg(test)]
mod tests;
mod touched;
mod variables;

pub use place::{FieldType, KeyType, PathStep, path_text};
pub use touched::{Access, Event, StorageAccess, Touched, find_touched};
pub use variables::{Variable, find_variables};
