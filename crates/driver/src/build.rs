//! The way from an input to its artifacts.

use crate::artifacts::{Artifacts, Emit};
use crate::input::{Input, Language};
use crate::options::Level;
use crate::session::{Session, Stage};
use cairn_asm::{Assembled, Program};
use cairn_ir::Module;

/// A build in progress: what is wanted, what is made.
struct Build<'a> {
    session: &'a mut Session,
    wanted: &'a [Emit],
    artifacts: Artifacts,
}

impl Session {
    /// Compiles an input and makes the artifacts that are asked for.
    ///
    /// # Errors
    /// The input is faulty (diagnostics say how), or Cairn is.
    pub fn build(&mut self, input: &Input, wanted: &[Emit]) -> Stage<Artifacts> {
        let mut build = Build { session: self, wanted, artifacts: Artifacts::default() };
        match input.language {
            Language::Yul | Language::EvmIr => build.from_source(input)?,
            Language::Asm | Language::Hex => build.session.parse_module(input).map(drop)?,
        }
        Ok(build.artifacts)
    }

    /// Parses a program and brings it into canonical form.
    ///
    /// # Errors
    /// The input is faulty, or Cairn is.
    pub fn canonical(&mut self, input: &Input) -> Stage<(Module, cairn_legalize::Report)> {
        let mut module = self.parse_module(input)?;
        let report = self.legalize(&mut module)?;
        Ok((module, report))
    }
}

impl Build<'_> {
    fn from_source(&mut self, input: &Input) -> Stage<()> {
        if input.language == Language::Yul && self.wants(Emit::Yul) {
            let text = self.session.format(input)?;
            self.artifacts.push(Emit::Yul, text);
        }
        let mut module = self.session.parse_module(input)?;
        self.add(Emit::EvmIr, || cairn_ir::text::print(&module));
        let goes_on = self.wanted.iter().any(|kind| !matches!(kind, Emit::Yul | Emit::EvmIr));
        if !goes_on {
            return Ok(());
        }
        self.session.legalize(&mut module)?;
        self.add(Emit::Canonical, || cairn_ir::text::print(&module));
        let program = self.session.stackify(&module)?;
        drop(module);
        self.finish(program)
    }

    /// Passes on stack code, assembly, artifacts of the result.
    fn finish(&mut self, mut program: Program) -> Stage<()> {
        if self.session.options.level != Level::O0 {
            self.session.optimize_program(&mut program);
        }
        let mut assembled = self.session.assemble(&program)?;
        self.session.link(&mut assembled);
        self.add(Emit::Bin, || cairn_asm::hex_with_placeholders(&assembled.bytes, &assembled.links));
        if let Some(runtime) = runtime_of(&assembled) {
            let text = || cairn_asm::hex_with_placeholders(&runtime.bytes, &runtime.links);
            add(&mut self.artifacts, self.wanted, Emit::Runtime, text);
        }
        Ok(())
    }

    fn wants(&self, kind: Emit) -> bool {
        self.wanted.contains(&kind)
    }

    fn add(&mut self, kind: Emit, text: impl FnOnce() -> String) {
        add(&mut self.artifacts, self.wanted, kind, text);
    }
}

fn add(artifacts: &mut Artifacts, wanted: &[Emit], kind: Emit, text: impl FnOnce() -> String) {
    if wanted.contains(&kind) {
        artifacts.push(kind, text());
    }
}

/// The code that is deployed: the first nested object.
fn runtime_of(assembled: &Assembled) -> Option<&Assembled> {
    assembled.subs.first()
}
