//! The way from an input to its artifacts.

use crate::artifacts::{Artifacts, Emit};
use crate::input::{Input, Language};
use crate::options::Level;
use crate::session::{Session, Stage};
use cairn_asm::Program;

impl Session {
    /// Compiles an input and makes the artifacts that are asked for.
    ///
    /// # Errors
    /// The input is faulty (diagnostics say how), or Cairn is.
    pub fn build(&mut self, input: &Input, wanted: &[Emit]) -> Stage<Artifacts> {
        let mut artifacts = Artifacts::default();
        let mut module = self.parse_module(input)?;
        self.legalize(&mut module)?;
        let program = self.stackify(&module)?;
        drop(module);
        self.assemble_artifacts(&program, wanted, &mut artifacts)?;
        Ok(artifacts)
    }

    fn assemble_artifacts(
        &mut self,
        program: &Program,
        wanted: &[Emit],
        artifacts: &mut Artifacts,
    ) -> Stage<()> {
        let assembled = self.assemble(program)?;
        if wanted.contains(&Emit::Bin) {
            artifacts.push(Emit::Bin, cairn_evm::hex::encode(&assembled.bytes));
        }
        Ok(())
    }
}
