//! Bytecode: analysed, listed, lifted, compiled anew.

use crate::error::Error;
use crate::options::Options;
use crate::thread::with_large_stack;
use cairn_bytecode::{Analysis, Given, Role, analyze_given};
use cairn_driver::{Recompiled, Session, print_module};
use cairn_evm::Fork;
use cairn_ir::Module;

/// Finds blocks, control flow, stack heights and functions of bytecode. It takes any bytes and never
/// fails: what is not known is said so.
///
/// ```
/// // PUSH1 4, JUMP, INVALID, JUMPDEST, STOP
/// let analysis = cairn::analyze(&[0x60, 4, 0x56, 0xfe, 0x5b, 0], cairn::Fork::default());
/// assert!(analysis.is_closed());
/// assert_eq!(analysis.blocks.len(), 3);
/// ```
pub fn analyze(code: &[u8], fork: Fork) -> Analysis<'_> {
    analyze_given(code, Given { fork, ..Given::default() })
}

/// Lists bytecode as assembly text, which assembles to the same bytes.
///
/// ```
/// let text = cairn::disassemble(&[0x60, 3, 0x5f, 0x55, 0], cairn::Fork::default());
/// assert!(text.contains("SSTORE"));
/// ```
pub fn disassemble(code: &[u8], fork: Fork) -> String {
    cairn_asm::disassembly(code, &[], fork)
}

/// Bytecode as EVM-IR, with functions recovered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lifted {
    /// The program, in free form.
    pub module: Module,
    /// What the program can learn about itself and would see differently in new code; empty where
    /// nothing stands against compiling it anew.
    pub hazards: Vec<String>,
}

impl Lifted {
    /// The program in EVM-IR's text form.
    pub fn text(&self) -> String {
        print_module(&self.module)
    }
}

/// Brings bytecode back to EVM-IR. What it does tells whether bytes such as arguments may follow it,
/// unless `role` says so.
///
/// ```
/// let lifted = cairn::lift(&[0x60, 3, 0x5f, 0x55, 0], None, cairn::Fork::default())?;
/// assert!(lifted.text().contains("evm.sstore"));
/// # Ok::<(), cairn::Error>(())
/// ```
///
/// # Errors
/// Not every jump's targets are known ([`Error::NotLifted`]).
pub fn lift(code: &[u8], role: Option<Role>, fork: Fork) -> Result<Lifted, Error> {
    with_large_stack(|| {
        let options = cairn_driver::Options { fork, ..Default::default() };
        let mut session = Session::default();
        let lifted = cairn_driver::lift(code, role, &options, &mut session).map_err(Error::NotLifted)?;
        let hazards = lifted.observed.hazards().into_iter().map(str::to_owned).collect();
        Ok(Lifted { module: lifted.module, hazards })
    })
}

/// Compiles bytecode anew where that is safe and pays; otherwise the original comes back, with the
/// reason. What it does tells whether bytes such as arguments may follow it, unless `role` says so.
///
/// ```
/// // PUSH1 1, PUSH1 2, ADD, PUSH1 0, SSTORE, STOP
/// let code = [0x60, 1, 0x60, 2, 0x01, 0x60, 0, 0x55, 0];
/// let better = cairn::recompile(&code, Some(cairn::Role::Runtime), &cairn::Options::default())?;
/// assert_eq!((better.code, better.kept), (vec![0x60, 3, 0x5f, 0x55, 0], None));
/// # Ok::<(), cairn::Error>(())
/// ```
///
/// # Errors
/// Only a fault of Cairn's own ([`Error::Internal`]).
pub fn recompile(code: &[u8], role: Option<Role>, options: &Options) -> Result<Recompiled, Error> {
    with_large_stack(|| {
        let options = options.for_driver();
        let mut session = Session::default();
        cairn_driver::recompile(code, role, &options, &mut session)
            .map_err(|failure| Error::of(failure, &session))
    })
}
