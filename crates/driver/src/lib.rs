//! The whole pipeline behind one call.
//!
//! ```
//! use cairn_driver::{Emit, Input, Language, Options, Session, build};
//!
//! let text = "{ sstore(0, add(1, 2)) }".to_owned();
//! let input = Input { name: "a.yul".into(), text, language: Language::Yul };
//! let mut session = Session::default();
//! let artifacts = build(&input, &[Emit::Bin], &Options::default(), &mut session).expect("the input is fine");
//! assert_eq!(artifacts.get(Emit::Bin), Some("60035f5500"));
//! ```
//!
//! A compilation is a row of stages ([`stages`]), each a function from a value to the next. [`Options`]
//! say how and are only read; a [`Session`] collects diagnostics, times and remarks. [`build`] makes
//! texts, [`compile`] code as bytes, [`recompile`] better bytecode; what these do stands in one file each,
//! as a row of calls of stages.

pub mod artifacts;
mod build;
mod compile;
mod embedded;
mod ethdebug;
mod excess;
pub mod faults;
mod fit;
mod hex_input;
pub mod input;
mod late;
mod limits;
mod listing;
pub mod options;
mod picture;
pub mod place;
mod raise;
mod recompile;
pub mod reduce;
pub mod session;
mod sole_function;
mod solidity_names;
pub mod stages;
mod stages_json;
mod statistics;
pub mod timing;
mod tools;
mod unknown;

pub use artifacts::{Artifacts, Emit};
pub use build::{build, build_module};
pub use cairn_ir::text::print as print_module;
pub use cairn_ir::verify::Form;
pub use cairn_legalize::SwitchShape;
pub use cairn_raise::listing::panic_meaning;
pub use cairn_stackify::{Calls, Placement, SourceFrames};
pub use compile::{assemble_object, canonical, compile, compile_module, compile_object, free};
pub use excess::Excess;
pub use fit::fit;
pub use hex_input::bytes_of_hex;
pub use input::{Input, Language};
pub use listing::{Names, list_code};
pub use options::{Level, Options};
pub use picture::{CfgForm, draw_cfg};
pub use raise::{YulText, lift_to_yul};
pub use recompile::{Recompiled, compile_lifted, lift, recompile};
pub use session::{Failure, Session, Stage};
pub use stages::{Code, StackStats};
pub use tools::{check, clean_up_with, disassemble, format, read_hex};
pub use unknown::is_about_options;

/// Names of the optimizer's passes.
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    cairn_opt::pipeline::PASSES.iter().map(|pass| pass.name)
}

/// Names of the passes on stack code.
pub fn asm_pass_names() -> impl Iterator<Item = &'static str> {
    cairn_asm::pipeline::all().map(|pass| pass.name)
}

/// The Rust programs in the documentation compile and run.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../../../docs/ir.md")]
    struct Ir;
    #[doc = include_str!("../../../docs/legalizer.md")]
    struct Legalizer;
}
