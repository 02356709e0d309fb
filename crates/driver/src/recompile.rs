//! Bytecode in, better bytecode out: lift, optimize, assemble, and keep the better one.
//!
//! A program is left as it is when it is not closed, when it could notice the difference, when it
//! is no program but data, when its values do not fit on the stack without memory of our own, or
//! when the result is not smaller. The report says which.

use crate::session::{Failure, Session, Stage};
use cairn_ir::Module;
use cairn_ir::verify::Form;
use cairn_lift::{Lifted, Observed};

/// A program after recompilation.
#[derive(Clone, Debug)]
pub struct Recompiled {
    /// The code: new, or the original.
    pub code: Vec<u8>,
    /// Why the original was kept; `None` when the code is new.
    pub kept: Option<String>,
    /// What the program learns about itself and is given the original's answer to.
    pub notes: Vec<&'static str>,
}

impl Session {
    /// Lifts bytecode to EVM-IR in free form.
    ///
    /// # Errors
    /// Why it cannot be lifted.
    pub fn lift(&mut self, code: &[u8]) -> Result<Lifted, String> {
        let fork = self.options.fork;
        let analysis = self.timings.time("analyze", || cairn_bytecode::analyze_for(code, fork));
        let lifted = self.timings.time("lift", || cairn_lift::lift(&analysis));
        lifted.map_err(|reason| reason.to_string())
    }

    /// Compiles bytecode anew where that is safe and pays.
    ///
    /// # Errors
    /// Only a bug of ours: everything else keeps the original.
    pub fn recompile(&mut self, code: &[u8]) -> Stage<Recompiled> {
        let keep = |reason: String| Recompiled { code: code.to_vec(), kept: Some(reason), notes: Vec::new() };
        if is_data(code) {
            return Ok(keep("it does nothing but fail or stop: its code may be data for others".to_owned()));
        }
        let lifted = match self.lift(code) {
            Ok(lifted) => lifted,
            Err(reason) => return Ok(keep(reason)),
        };
        if let Some(reason) = lifted.observed.hazards().first() {
            return Ok(keep((*reason).to_owned()));
        }
        let trailer = cairn_bytecode::find_metadata(code).map_or(0, |metadata| metadata.length as usize);
        let trailer = if lifted.observed.whole_image { 0 } else { trailer };
        let mut new = match self.compile_lifted(lifted.module) {
            Ok(new) => new,
            Err(Failure::Input) => {
                let reason = self.diagnostics.iter().last().map_or("unknown", |fault| &fault.message);
                return Ok(keep(format!("it cannot be compiled without memory of its own: {reason}")));
            }
            Err(bug) => return Err(bug),
        };
        if new.is_empty() && !code.is_empty() {
            // An account without code is something else to those who call it.
            new.push(cairn_evm::Opcode::STOP.0);
        }
        if trailer > 0 {
            new.push(cairn_evm::Opcode::INVALID.0);
            new.extend_from_slice(&code[code.len() - trailer..]);
        }
        if new.len() > code.len() {
            let reason = format!("the result has {} bytes, the original {}", new.len(), code.len());
            return Ok(keep(reason));
        }
        Ok(Recompiled { code: new, kept: None, notes: notes(&lifted.observed) })
    }

    /// Compiles a lifted program, whatever the size of the result.
    ///
    /// # Errors
    /// Its values do not fit on the stack without memory of our own, or a bug of ours.
    pub fn compile_lifted(&mut self, mut module: Module) -> Stage<Vec<u8>> {
        self.verify(&module, Form::Free, "the lifter")?;
        self.legalize(&mut module)?;
        let (mut program, _) = self.stack_code(module)?;
        self.optimize_program(&mut program);
        Ok(self.assemble(&program)?.bytes)
    }
}

/// True for code that ends before it does anything: contracts that hold data for `EXTCODECOPY`.
fn is_data(code: &[u8]) -> bool {
    let ends = |byte: &u8| {
        let op = cairn_evm::Opcode(*byte);
        op.info().is_none() || matches!(op, cairn_evm::Opcode::STOP | cairn_evm::Opcode::INVALID)
    };
    code.len() > 1 && code.first().is_some_and(ends)
}

fn notes(observed: &Observed) -> Vec<&'static str> {
    let all = [
        (observed.own_code, "it copies pieces of its own code: they are data"),
        (observed.whole_image, "it copies its own code from places that are not known: the original is data"),
        (observed.code_size, "it asks for the size of its code: the original's"),
        (observed.place, "it asks where it is: the original places"),
    ];
    all.into_iter().filter(|(seen, _)| *seen).map(|(_, note)| note).collect()
}
