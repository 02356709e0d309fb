//! Stackifier: canonical EVM-IR to stack code.
//!
//! Each function becomes [`code::FuncCode`]: blocks of stack steps, each step with the IR
//! instruction it carries out. The checker replays it on a symbolic stack; then frames get their
//! addresses, blocks their order, and everything becomes one [`cairn_asm::Program`].

pub mod code;
pub mod context;
pub mod options;
pub mod prepare;

pub use context::ModuleCx;
pub use options::{Mode, Options};
