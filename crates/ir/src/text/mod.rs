//! The text form of EVM-IR: [`parse()`] and [`print()`] (docs/ir.md, section Text).
//!
//! `parse(print(m))` is `m` up to the numbering of ids, and printing is deterministic: it depends
//! on the order of modules, functions, blocks and instructions and on names, not on ids. [`format()`]
//! prints a text anew and keeps its comments.

pub mod fault;
mod format;
pub mod lex;
mod literal;
pub mod names;
pub mod parse;
pub mod print;

pub use format::format;
pub use names::Names;
pub use parse::parse;
pub use print::{print, print_function};
