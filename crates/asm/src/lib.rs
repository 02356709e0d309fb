//! Symbolic stack code and its way to bytes and back.
//!
//! A [`Program`] is the code of one object with its data and sub-objects; labels, sizes and
//! offsets are symbols until [`assemble()`] has laid everything out. [`run_passes`] cleans it up
//! before. [`print()`] and [`parse()`] are its text form, [`disassemble`] comes back from bytes.

pub mod assemble;
pub mod disasm;
pub mod eip8024;
pub mod ethdebug;
pub mod fault;
pub mod format;
mod lex;
pub mod link;
pub mod listing;
pub mod normalize;
pub mod parse;
mod passes;
pub mod print;
mod program;
mod relax;
mod srcmap;

pub use assemble::{
    AssembleOptions, Assembled, ImmutableReference, Segment, Separator, assemble, assemble_onto,
};
pub use cairn_diag::SourceLoc;
pub use disasm::disassemble;
pub use format::format;
pub use link::{
    ADDRESS_SIZE, LibraryAddress, LinkReference, hex_with_placeholders, is_placeholder, link, placeholder,
};
pub use listing::{disassembly, listing, opcodes};
pub use normalize::normalize;
pub use parse::{parse, parse_for};
pub use passes::{Level, Pass, PassOptions, PassReport, pipeline, run_passes, run_selected, word_cost};
pub use print::print;
pub use program::{Item, ItemKind, JumpKind, Label, NameId, Program, TableId, Variable, VariablePlace};
pub use srcmap::source_map;
