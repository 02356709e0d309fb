//! One object at a time: programs that hold the same objects many times compile each once.
//!
//! Code of an object depends on its own text only; what it embeds matters when it is assembled.
//! An object is compiled from a text in which the nested objects are stubs of the same names, and
//! assembled onto those that are assembled already.

use crate::input::Input;
use crate::session::{Session, Stage};
use cairn_asm::{Assembled, Program};

impl Session {
    /// Compiles an object to stack code; its sub-objects are what the text has in their place.
    /// Libraries stay unlinked.
    ///
    /// # Errors
    /// The input is faulty (diagnostics say how), or Cairn is.
    pub fn compile_object(&mut self, input: &Input) -> Stage<Program> {
        self.with_places(input, |session| {
            let mut program = session.stack_code_of(input)?;
            session.optimize_program(&mut program);
            Ok(program)
        })
    }

    /// Assembles the code of an object onto its sub-objects.
    ///
    /// # Errors
    /// A name that stands for nothing.
    pub fn assemble_object(&mut self, program: &Program, subs: Vec<Assembled>) -> Stage<Assembled> {
        let options = self.assemble_options();
        let result = self.timings.time("assemble", || cairn_asm::assemble_onto(program, subs, options));
        result.or_else(|faults| self.take(None, faults))
    }
}
