//! Runs the file tests of the repository (format: docs/testing.md).
//!
//! One file is one test: a sentence that says what it shows, commands, an input, and the exact
//! output of each command in comments, so that the file stays valid input.

pub mod build;
pub mod data;
mod exec_check;
pub mod exec_spec;
pub mod file;
pub mod runner;

pub use file::TestFile;
pub use runner::{Cairn, Mode, trials};
