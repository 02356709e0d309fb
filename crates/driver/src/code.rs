//! Code as bytes, for programs that use Cairn as a library.

use crate::input::{Input, Language};
use crate::session::{Session, Stage};
use cairn_asm::{Assembled, Program};
use cairn_ir::Module;
use cairn_ir::verify::Form;

/// Assembled and linked code, and the stack code that it was made from.
#[derive(Clone, Debug)]
pub struct Code {
    /// The stack code, after all passes.
    pub program: Program,
    /// Its bytes and where things are in them.
    pub assembled: Assembled,
}

impl Session {
    /// Compiles Yul, EVM-IR or assembly.
    ///
    /// # Errors
    /// The input is faulty, or bytecode (diagnostics say how), or Cairn is.
    pub fn compile(&mut self, input: &Input) -> Stage<Code> {
        let program = match input.language {
            Language::Asm => self.parse_asm_program(input)?,
            Language::Yul | Language::EvmIr | Language::Hex => {
                self.with_places(input, |session| session.stack_code_of(input))?
            }
        };
        self.finish(program)
    }

    /// Compiles a module that was made by the builders of `cairn-ir`.
    ///
    /// # Errors
    /// The module is not valid EVM-IR (diagnostics say why), or Cairn is faulty.
    pub fn compile_module(&mut self, mut module: Module) -> Stage<Code> {
        self.verify_built(&module)?;
        self.legalize(&mut module)?;
        let (program, _) = self.stack_code(module)?;
        self.finish(program)
    }

    /// Verifies a module that somebody else has built.
    pub(crate) fn verify_built(&mut self, module: &Module) -> Stage<()> {
        let faults = cairn_ir::verify::verify(module, Form::Free);
        self.take(Some(()), faults)
    }

    /// Parses assembly whose libraries are those of the options.
    pub(crate) fn parse_asm_program(&mut self, input: &Input) -> Stage<Program> {
        let program = self.parse_asm(input)?;
        self.check_libraries(&crate::build::libraries_of(&program))?;
        Ok(program)
    }

    /// The stack code of a program, before the passes on stack code.
    pub(crate) fn stack_code_of(&mut self, input: &Input) -> Stage<Program> {
        let mut module = self.parse_module(input)?;
        self.legalize(&mut module)?;
        Ok(self.stack_code(module)?.0)
    }

    fn finish(&mut self, mut program: Program) -> Stage<Code> {
        self.optimize_program(&mut program);
        let assembled = self.assemble_linked(&program)?;
        Ok(Code { program, assembled })
    }

    /// The bytes of a program, with the libraries of the options in them.
    pub(crate) fn assemble_linked(&mut self, program: &Program) -> Stage<Assembled> {
        let mut assembled = self.assemble(program)?;
        self.link(&mut assembled);
        self.warn_of_size(&assembled);
        Ok(assembled)
    }
}
