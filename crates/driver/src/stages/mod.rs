//! The stages of a compilation, and the values that flow from one to the next.
//!
//! ```text
//! Source ─parse─► Parsed ─lower─► Free ─legalize─► Canonical ─optimize─► Optimized ─stackify─►
//!        StackCode ─clean_up─► StackCode ─assemble─► Code
//! ```
//!
//! Each stage is a function of the value before it, of the options, which nobody changes, and of the
//! [`Session`](crate::Session), which only collects. A value holds all that later stages want to know
//! of what came before: which text its spans are places in ([`Origin`]), how large functions became.
//! So a stage can be run alone, twice, or with other options; nothing is left behind from a first try.
//!
//! Assembly enters as [`StackCode`], a lifted or built module as [`Free`]. Bytecode has no stages: it is
//! drawn and listed as it is.

mod assemble;
mod legalize;
mod lower;
mod optimize;
mod parse;
mod stackify;
mod verify;

pub use assemble::{Code, assemble, clean_up, finish};
pub use legalize::{Canonical, legalize};
pub use lower::{Free, Origin, Places, lower};
pub use optimize::{Optimized, optimize};
pub use parse::{Bytecode, Parsed, ParsedYul, Source, parse};
pub use stackify::{StackCode, StackStats, stackify};

pub(crate) use assemble::assemble_options;
pub(crate) use lower::lower_yul;
pub(crate) use parse::{parse_asm, parse_ir, parse_yul};
pub(crate) use stackify::{require_entries, try_stackify, warn_of_fragment};
pub(crate) use verify::verify_own;
