//! Executes modules, for tests: the reference for what EVM-IR means.
//!
//! Forms: all, illegal types and block arguments included. What is left to the machine is fixed
//! here so that runs can be compared:
//!
//! * gas is unlimited; a run ends after [`Env::max_steps`] instructions;
//! * frames lie beyond all memory that programs address, from 2^40 up, and begin as zeros;
//!   `heap_base` is its own immediate. Code is [`Env::image`], or an image of the data and nested modules of the
//!   module;
//! * calls to other accounts go to [`Env::external`] and fail without one;
//! * `unreachable`, and the end of a block without a terminator, end a run as
//!   [`Outcome::Unreachable`]: it has no meaning. Operations behind a `condbr` or
//!   `switch` run when no target was taken but the last, then the last target is taken;
//! * a value of more than 256 bits lies in memory, calldata and storage (at consecutive keys) as
//!   words, the most significant first.
//!
//! `verbatim` and opcodes without meaning on the types of their operands end a run as
//! [`Outcome::Unsupported`].

mod arith;
mod composite;
mod env;
mod fixed;
mod float;
mod memory;
mod opcodes;
mod run;

pub use arith::{Wide, eval_generic, eval_opcode};
pub use env::{Answer, Env, Event, External, ExternalResult, Image, Log, Outcome, Run, Watch};
pub use float::{convert_float, eval_float};

use crate::ids::Func;
use crate::module::Module;
use crate::verify::{Form, verify};
use cairn_diag::Diagnostics;

/// Runs the entry function of a module.
///
/// # Errors
/// If the module is not in free form, or has no entry function.
///
/// ```
/// use cairn_ir::interp::{Env, Outcome, interpret};
/// let text = "module @M { func @__entry() {
///     %x = evm.callvalue
///     evm.return %x } }";
/// let module = cairn_ir::text::parse(text, cairn_diag::FileId(0)).expect("well-formed");
/// let mut env = Env::default();
/// env.words.insert(cairn_evm::Opcode::CALLVALUE, cairn_evm::Word::from(7));
/// let run = interpret(&module, &mut env).expect("verified");
/// assert_eq!(run.outcome, Outcome::Return([vec![0; 31], vec![7]].concat()));
/// ```
pub fn interpret(module: &Module, env: &mut Env<'_>) -> Result<Run, Diagnostics> {
    Runnable::new(module).map(|program| program.run(env))
}

/// A module that was verified, and runs as often as one likes.
#[derive(Clone, Copy, Debug)]
pub struct Runnable<'m> {
    module: &'m Module,
    entry: Func,
}

impl<'m> Runnable<'m> {
    /// Verifies a module. Cost: linear in its size, which short runs are cheaper than.
    ///
    /// # Errors
    /// If the module is not in free form, or has no entry function.
    pub fn new(module: &'m Module) -> Result<Self, Diagnostics> {
        let mut diagnostics = verify(module, Form::Free);
        match module.entry {
            Some(entry) if !diagnostics.has_errors() => Ok(Runnable { module, entry }),
            _ => {
                if diagnostics.is_empty() {
                    diagnostics.push(cairn_diag::Diagnostic::error("the module has no entry function"));
                }
                Err(diagnostics)
            }
        }
    }

    /// Runs the entry function.
    pub fn run(self, env: &mut Env<'_>) -> Run {
        run::run(self.module, self.entry, env)
    }
}
