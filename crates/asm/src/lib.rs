//! Symbolic stack code and its way to bytes and back.
//!
//! A [`Program`] is the code of one object with its data and sub-objects; labels, sizes and
//! offsets are symbols until the assembler has laid everything out.

pub mod program;

pub use program::{Item, ItemKind, JumpKind, Label, NameId, Program, SourceLoc};
