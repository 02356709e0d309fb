//! Symbolic stack code and its way to bytes and back.
//!
//! A [`Program`] is the code of one object with its data and sub-objects; labels, sizes and
//! offsets are symbols until [`assemble`] has laid everything out.

pub mod assemble;
pub mod eip8024;
pub mod link;
pub mod passes;
pub mod program;
mod relax;

pub use assemble::{AssembleOptions, Assembled, ImmutableReference, Segment, assemble};
pub use link::{LibraryAddress, LinkReference, hex_with_placeholders, link, placeholder};
pub use passes::{Level, PassOptions, PassReport, run_passes};
pub use program::{Item, ItemKind, JumpKind, Label, NameId, Program, SourceLoc};
