//! Helpers of the stackifier's tests: programs as text, through the stackifier and the assembler,
//! on revm.
#![allow(dead_code, reason = "each test file uses some of them")]

use cairn_asm::{AssembleOptions, assemble};
use cairn_diag::{Diagnostics, FileId};
use cairn_evm::{Fork, Word};
use cairn_exec::{Message, Observation, run_code};
use cairn_ir::Module;
use cairn_stackify::{Mode, Options, stackify};

/// Parses a module.
pub(crate) fn parse(text: &str) -> Module {
    cairn_ir::text::parse(text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// Options with the checker on.
pub(crate) fn options(mode: Mode) -> Options {
    Options { mode, verify: true, ..Options::default() }
}

/// Compiles a module to runtime code.
pub(crate) fn compile(module: &Module, options: &Options) -> Result<Vec<u8>, Diagnostics> {
    let stackified = stackify(module, options)?;
    Ok(assemble(&stackified.program, AssembleOptions { fork: options.fork, ..AssembleOptions::default() })?
        .bytes)
}

/// Runs code with words as calldata.
pub(crate) fn run(code: &[u8], calldata: &[u64]) -> Observation {
    let data: Vec<u8> = calldata.iter().flat_map(|word| Word::from(*word).to_be_bytes::<32>()).collect();
    run_code(Fork::default(), code, &Message::new(data)).expect("the message is valid").1
}

/// Compiles and runs; the words that it returned.
pub(crate) fn returned(text: &str, mode: Mode, calldata: &[u64]) -> Vec<u64> {
    let code = compile(&parse(text), &options(mode)).unwrap_or_else(|faults| panic!("{faults:?}"));
    let observation = run(&code, calldata);
    assert_eq!(observation.status, cairn_exec::Status::Success, "{observation:?}");
    observation.output.chunks(32).map(|word| Word::from_be_slice(word).to::<u64>()).collect()
}
