//! Runs the file tests of the repository (format: docs/testing.md).
//!
//! One file is one test: a sentence that says what it shows, commands, an input, and the exact
//! output of each command in comments, so that the file stays valid input.

pub mod data;

pub mod exec_spec;
pub mod file;

pub use file::TestFile;
