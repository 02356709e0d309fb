//! Cairn as a library: Yul, EVM-IR or EVM bytecode in, small, cheap, checked EVM bytecode out.
//!
//! ```
//! use cairn::{Level, Options, Source, compile};
//!
//! let source = Source::yul("adder.yul", "{ sstore(0, add(1, 2)) }");
//! let compiled = compile(&source, &Options::default().level(Level::Os))?;
//! assert_eq!(compiled.creation().bytes(), [0x60, 3, 0x5f, 0x55, 0]);
//! # Ok::<(), cairn::Error>(())
//! ```
//!
//! | to do | call | gives |
//! |---|---|---|
//! | compile Yul, EVM-IR or assembly text | [`compile`] | [`Compiled`] |
//! | compile what was built with [`ir`] and [`abi`] | [`compile_module`] | [`Compiled`] |
//! | make bytecode better | [`recompile`] | [`Recompiled`] |
//! | bring bytecode back to EVM-IR | [`lift`] | [`Lifted`] |
//! | find blocks, control flow and functions of bytecode | [`analyze`] | [`bytecode::Analysis`] |
//! | list bytecode | [`disassemble`] | text that assembles to the same bytes |
//! | optimize Yul, source to source | [`optimize_yul`] | Yul |
//!
//! Faults of an input are values: an [`Error`] holds [`Diagnostic`]s, each with its [`Place`]. Same
//! input, options and version give the same bytes. Calls that read a text work on a thread of their
//! own, whose stack suffices for the deepest text that the parsers accept.
//!
//! # What stays
//!
//! The items at the root of this crate change only with a version that says so. The modules are
//! whole crates of Cairn, for makers of compilers; their details may change with any minor version.

#![forbid(unsafe_code)]

mod binary;
mod compile;
mod compiled;
mod diagnostic;
mod error;
mod options;
mod source;
mod thread;
mod yul;

pub use binary::{Lifted, analyze, disassemble, lift, recompile};
pub use compile::{compile, compile_module};
pub use compiled::{Code, Compiled};
pub use diagnostic::{Diagnostic, Place};
pub use error::Error;
pub use options::Options;
pub use source::Source;
pub use yul::{YulOptions, optimize_yul};

pub use cairn_asm::{ImmutableReference, LinkReference};
pub use cairn_bytecode::Role;
pub use cairn_diag::Severity;
pub use cairn_driver::{Level, Recompiled};
pub use cairn_evm::Fork;

/// Dispatch, decoding and encoding by Solidity's ABI, as EVM-IR.
pub use cairn_abi as abi;
/// Blocks, control flow, stack heights, functions and pictures of bytecode.
pub use cairn_bytecode as bytecode;
/// Facts of the EVM: opcodes, forks, gas, words.
pub use cairn_evm as evm;
/// Runs code on revm, in process.
#[cfg(feature = "exec")]
pub use cairn_exec as exec;
/// EVM-IR: modules, builders, verifier, interpreter, text.
pub use cairn_ir as ir;

/// The Rust programs in the documentation compile and run.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/library.md")]
    struct Library;
}
