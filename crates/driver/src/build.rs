//! The way from an input to its artifacts: the stages, and a look at the values between them.

use crate::artifacts::{Artifacts, Emit};
use crate::compile::written;
use crate::ethdebug;
use crate::fit::fit;
use crate::input::Input;
use crate::late::with_places;
use crate::options::Options;
use crate::picture::draw_cfg;
use crate::session::{Session, Stage};
use crate::sole_function::add_entries;
use crate::stages::{Bytecode, Free, Parsed, Source, StackCode, clean_up, finish, legalize, parse};
use crate::stages_json::stages_json;
use crate::statistics::statistics;
use crate::unknown::check_libraries;
use cairn_asm::{Assembled, Program};
use cairn_bytecode::{Given, Role};
use cairn_ir::Module;
use std::collections::BTreeSet;

/// Compiles an input and makes the artifacts that are asked for.
///
/// # Errors
/// The input is faulty (diagnostics say how), or Cairn is.
pub fn build(input: &Input, wanted: &[Emit], options: &Options, session: &mut Session) -> Stage<Artifacts> {
    let options = &measuring(options, wanted);
    let build = Build { options, wanted, name: &input.name };
    match parse(Source::load(input, session), options, session)? {
        Parsed::Asm(program) => {
            let code = written(program, options, session)?;
            build.finish(code, &[], Artifacts::default(), session)
        }
        Parsed::Hex(code) => build.bytecode(code, session),
        parsed => {
            let mut artifacts = Artifacts::default();
            if let Parsed::Yul(yul) = &parsed {
                build.add(&mut artifacts, Emit::Yul, || yul.print(options));
            }
            with_places(parsed, input, options, session, |free, session| {
                build.module(free, artifacts.clone(), session)
            })
        }
    }
}

/// Compiles a module that was made by the builders of `cairn-ir` and makes the artifacts that are
/// asked for.
///
/// # Errors
/// The module is not valid EVM-IR (diagnostics say why), or Cairn is faulty.
pub fn build_module(
    module: Module,
    wanted: &[Emit],
    options: &Options,
    session: &mut Session,
) -> Stage<Artifacts> {
    let options = &measuring(options, wanted);
    let name = module.name.clone();
    let build = Build { options, wanted, name: &name };
    build.module(Free::verified(module, session)?, Artifacts::default(), session)
}

/// The options, with what statistics need.
fn measuring(options: &Options, wanted: &[Emit]) -> Options {
    let measure_stack = options.measure_stack || wanted.contains(&Emit::Stats);
    let explain = options.explain || wanted.contains(&Emit::Stages) || wanted.contains(&Emit::StagesJson);
    Options { measure_stack, explain, ..options.clone() }
}

/// What is wanted of a build.
struct Build<'a> {
    options: &'a Options,
    wanted: &'a [Emit],
    /// Name of the program.
    name: &'a str,
}

impl Build<'_> {
    fn module(&self, mut free: Free, mut artifacts: Artifacts, session: &mut Session) -> Stage<Artifacts> {
        self.add(&mut artifacts, Emit::EvmIr, || cairn_ir::text::print(&free.module));
        let goes_on = self.wanted.iter().any(|kind| !matches!(kind, Emit::Yul | Emit::EvmIr));
        if !goes_on {
            return Ok(artifacts);
        }
        let sources = free.module.debug.sources.clone();
        add_entries(&mut free.module);
        let canonical = legalize(free, self.options, session)?;
        self.add(&mut artifacts, Emit::Legalized, || cairn_ir::text::print(&canonical.module));
        let (optimized, code) = fit(canonical, self.options, session)?;
        self.add(&mut artifacts, Emit::Canonical, || cairn_ir::text::print(&optimized.module));
        self.add(&mut artifacts, Emit::StackIr, || cairn_asm::print(&code.program));
        self.add(&mut artifacts, Emit::Stages, || {
            let texts: Vec<String> = code.stages.iter().map(ToString::to_string).collect();
            texts.join("\n")
        });
        self.add(&mut artifacts, Emit::StagesJson, || stages_json(&code.stages));
        self.finish(code, &sources, artifacts, session)
    }

    /// Passes on stack code, assembly, artifacts of the result. `sources` are names of source units
    /// by number.
    fn finish(
        &self,
        code: StackCode,
        sources: &[(i32, String)],
        mut artifacts: Artifacts,
        session: &mut Session,
    ) -> Stage<Artifacts> {
        let code = clean_up(code, self.options, session);
        let StackCode { stats, .. } = code;
        artifacts.explanation.clone_from(&code.explanation);
        let code = finish(code, self.options, session)?;
        let (program, assembled) = (&code.program, &code.assembled);
        self.add(&mut artifacts, Emit::Stats, || statistics(assembled, stats));
        let fork = self.options.fork;
        let ethdebug = || ethdebug::information(sources, program, assembled, fork);
        self.add(&mut artifacts, Emit::Ethdebug, ethdebug);
        self.texts_of_code(program, assembled, &mut artifacts);
        artifacts.excess = code.excess;
        Ok(artifacts)
    }

    fn texts_of_code(&self, program: &Program, assembled: &Assembled, artifacts: &mut Artifacts) {
        let hex = |code: &Assembled| cairn_asm::hex_with_placeholders(&code.bytes, &code.links);
        self.add(artifacts, Emit::Asm, || cairn_asm::print(program));
        self.add(artifacts, Emit::Bin, || hex(assembled));
        self.add(artifacts, Emit::Listing, || cairn_asm::listing(program, assembled));
        self.add(artifacts, Emit::Srcmap, || cairn_asm::source_map(program, assembled));
        self.add(artifacts, Emit::Opcodes, || cairn_asm::opcodes(&assembled.bytes, self.options.fork));
        let runtime = assembled.runtime();
        if let Some(runtime) = runtime {
            self.add(artifacts, Emit::Runtime, || hex(runtime));
        }
        let drawn = runtime.unwrap_or(assembled);
        self.draw(&drawn.bytes, &self.given(drawn, runtime.map(|_| Role::Runtime)), artifacts);
    }

    /// Bytecode as it is.
    fn bytecode(&self, code: Bytecode, session: &mut Session) -> Stage<Artifacts> {
        let bytes = code.linked(session)?;
        check_libraries(&BTreeSet::new(), self.options, session)?;
        let fork = self.options.fork;
        let mut artifacts = Artifacts::default();
        self.add(&mut artifacts, Emit::Bin, || cairn_evm::hex::encode(&bytes));
        self.add(&mut artifacts, Emit::Asm, || cairn_asm::print(&cairn_asm::disassemble(&bytes, fork)));
        self.draw(&bytes, &Given { fork, ..Given::default() }, &mut artifacts);
        Ok(artifacts)
    }

    /// Control flow in each form that is asked for.
    fn draw(&self, code: &[u8], given: &Given, artifacts: &mut Artifacts) {
        for kind in self.wanted {
            if let Emit::Cfg(form) = kind {
                artifacts.push(*kind, draw_cfg(self.name, code, given.clone(), *form));
            }
        }
    }

    /// What is known of assembled code.
    fn given(&self, assembled: &Assembled, role: Option<Role>) -> Given {
        // A placeholder is the operand of a push.
        let placeholders = assembled.immutables.iter().map(|place| place.offset as u32 - 1);
        Given { fork: self.options.fork, role, placeholders: placeholders.collect() }
    }

    fn add(&self, artifacts: &mut Artifacts, kind: Emit, text: impl FnOnce() -> String) {
        if self.wanted.contains(&kind) {
            artifacts.push(kind, text());
        }
    }
}
