//! The whole pipeline behind one call.
//!
//! ```
//! use cairn_driver::{Emit, Input, Language, Options, Session};
//!
//! let text = "{ sstore(0, add(1, 2)) }".to_owned();
//! let input = Input { name: "a.yul".into(), text, language: Language::Yul };
//! let mut session = Session::new(Options::default());
//! let artifacts = session.build(&input, &[Emit::Bin]).expect("the input is fine");
//! assert_eq!(artifacts.get(Emit::Bin), Some("60035f5500"));
//! ```

pub mod artifacts;
mod build;
mod code;
mod excess;
pub mod faults;
mod hex_input;
pub mod input;
mod late;
mod limits;
mod object;
pub mod options;
mod picture;
pub mod place;
mod recompile;
pub mod reduce;
pub mod session;
mod solidity_names;
pub mod timing;

pub use artifacts::{Artifacts, Emit};
pub use cairn_ir::text::print as print_module;
pub use cairn_ir::verify::Form;
pub use cairn_stackify::{BranchOrder, Calls, SourceFrames};
pub use code::Code;
pub use excess::Excess;
pub use input::{Input, Language};
pub use options::{Level, Options};
pub use picture::{CfgForm, draw_cfg};
pub use recompile::Recompiled;
pub use session::{Failure, Session, StackStats, Stage, is_about_options};

/// Names of the optimizer's passes.
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    cairn_opt::pipeline::ALL.iter().map(|pass| pass.info.name)
}

/// The Rust programs in the documentation compile and run.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../../../docs/ir.md")]
    struct Ir;
    #[doc = include_str!("../../../docs/legalizer.md")]
    struct Legalizer;
}
