//! The way from an input to its artifacts.

use crate::artifacts::{Artifacts, Emit};
use crate::input::{Input, Language};
use crate::options::Level;
use crate::picture::draw_cfg;
use crate::session::{Session, StackStats, Stage};
use cairn_asm::{Assembled, Item, ItemKind, Program};
use cairn_bytecode::{Given, Role};
use cairn_diag::Diagnostics;
use cairn_ir::{MemoryModel, Module};
use std::collections::BTreeSet;

/// A build in progress: what is wanted, what is made.
struct Build<'a> {
    session: &'a mut Session,
    wanted: &'a [Emit],
    artifacts: Artifacts,
    /// Names of source units by number.
    sources: Vec<(i32, String)>,
    /// Name of the program.
    name: String,
}

impl Session {
    /// Compiles an input and makes the artifacts that are asked for.
    ///
    /// # Errors
    /// The input is faulty (diagnostics say how), or Cairn is.
    pub fn build(&mut self, input: &Input, wanted: &[Emit]) -> Stage<Artifacts> {
        self.options.measure_stack |= wanted.contains(&Emit::Stats);
        self.with_places(input, |session| session.build_once(input, wanted))
    }

    fn build_once(&mut self, input: &Input, wanted: &[Emit]) -> Stage<Artifacts> {
        let mut build = Build::new(self, wanted, &input.name);
        match input.language {
            Language::Yul | Language::EvmIr => build.build_source(input)?,
            Language::Asm => build.build_asm(input)?,
            Language::Hex => build.build_hex(input)?,
        }
        Ok(build.artifacts)
    }

    /// Compiles a module that was made by the builders of `cairn-ir` and makes the artifacts that
    /// are asked for.
    ///
    /// # Errors
    /// The module is not valid EVM-IR (diagnostics say why), or Cairn is faulty.
    pub fn build_module(&mut self, module: Module, wanted: &[Emit]) -> Stage<Artifacts> {
        self.verify_built(&module)?;
        let mut build = Build::new(self, wanted, &module.name);
        build.build_ir(module)?;
        Ok(build.artifacts)
    }

    /// Optimizes and stackifies; the program and the module that it was made from. Where a module
    /// has no frame, optimizations can keep more values alive than the stack instructions reach:
    /// then a weaker level is tried.
    pub(crate) fn stack_code(&mut self, canonical: Module) -> Stage<(Program, Module)> {
        self.require_entries(&canonical)?;
        let mut level = self.options.level;
        let mut module = canonical;
        loop {
            let weaker = weaker_level(level).filter(|_| lacks_frame(&module));
            let kept = weaker.map(|level| (level, module.clone()));
            self.optimize_at(level, &mut module)?;
            match (self.try_stackify(level, &module), kept) {
                (Ok(program), _) => return Ok((program, module)),
                (Err(faults), Some((weaker, original))) if is_too_deep(&faults) => {
                    level = weaker;
                    module = original;
                }
                (Err(faults), _) => return self.take_placed(faults),
            }
        }
    }

    /// Parses a program and brings it into canonical form.
    ///
    /// # Errors
    /// The input is faulty, or Cairn is.
    pub fn canonical(&mut self, input: &Input) -> Stage<(Module, cairn_legalize::Report)> {
        self.with_places(input, |session| {
            let mut module = session.parse_module(input)?;
            let report = session.legalize(&mut module)?;
            Ok((module, report))
        })
    }
}

impl<'a> Build<'a> {
    fn new(session: &'a mut Session, wanted: &'a [Emit], name: &str) -> Self {
        let name = name.to_owned();
        Build { session, wanted, artifacts: Artifacts::default(), sources: Vec::new(), name }
    }

    fn build_source(&mut self, input: &Input) -> Stage<()> {
        if input.language == Language::Yul && self.wants(Emit::Yul) {
            let text = self.session.print_yul(input)?;
            self.artifacts.push(Emit::Yul, text);
        }
        let module = self.session.parse_module(input)?;
        self.build_ir(module)
    }

    fn build_ir(&mut self, mut module: Module) -> Stage<()> {
        self.sources.clone_from(&module.debug.sources);
        self.add(Emit::EvmIr, || cairn_ir::text::print(&module));
        let goes_on = self.wanted.iter().any(|kind| !matches!(kind, Emit::Yul | Emit::EvmIr));
        if !goes_on {
            return Ok(());
        }
        self.session.legalize(&mut module)?;
        self.add(Emit::Legalized, || cairn_ir::text::print(&module));
        let program = self.stack_code(module)?;
        self.add(Emit::StackIr, || cairn_asm::print(&program));
        self.finish(program)
    }

    fn stack_code(&mut self, canonical: Module) -> Stage<Program> {
        let (program, module) = self.session.stack_code(canonical)?;
        self.add(Emit::Canonical, || cairn_ir::text::print(&module));
        Ok(program)
    }

    fn build_asm(&mut self, input: &Input) -> Stage<()> {
        let program = self.session.parse_asm_program(input)?;
        self.finish(program)
    }

    /// Bytecode as it is.
    fn build_hex(&mut self, input: &Input) -> Stage<()> {
        let bytes = self.session.parse_hex(input)?;
        self.session.check_libraries(&BTreeSet::new())?;
        let program = cairn_asm::disassemble(&bytes, self.session.options.fork);
        self.add(Emit::Bin, || cairn_evm::hex::encode(&bytes));
        self.add(Emit::Asm, || cairn_asm::print(&program));
        let fork = self.session.options.fork;
        self.draw(&bytes, Given { fork, ..Given::default() });
        Ok(())
    }

    /// Passes on stack code, assembly, artifacts of the result.
    fn finish(&mut self, mut program: Program) -> Stage<()> {
        self.session.optimize_program(&mut program);
        self.add(Emit::Asm, || cairn_asm::print(&program));
        let assembled = self.session.assemble_linked(&program)?;
        let fork = self.session.options.fork;
        self.add(Emit::Bin, || cairn_asm::hex_with_placeholders(&assembled.bytes, &assembled.links));
        self.add(Emit::Listing, || cairn_asm::listing(&program, &assembled));
        self.add(Emit::Srcmap, || cairn_asm::source_map(&program, &assembled));
        if self.wants(Emit::Ethdebug) {
            let text = debug_information(&self.sources, &program, &assembled, fork);
            self.artifacts.push(Emit::Ethdebug, text);
        }
        let stack = self.session.stack_stats;
        self.add(Emit::Stats, || statistics(&assembled, stack));
        self.add(Emit::Opcodes, || cairn_asm::opcodes(&assembled.bytes, fork));
        if let Some(runtime) = runtime_of(&assembled) {
            let text = || cairn_asm::hex_with_placeholders(&runtime.bytes, &runtime.links);
            add(&mut self.artifacts, self.wanted, Emit::Runtime, text);
        }
        let runtime = runtime_of(&assembled);
        let given = self.given(runtime.unwrap_or(&assembled), runtime.map(|_| Role::Runtime));
        self.draw(&runtime.unwrap_or(&assembled).bytes, given);
        Ok(())
    }

    /// Control flow in each form that is asked for.
    fn draw(&mut self, code: &[u8], given: Given) {
        for kind in self.wanted {
            if let Emit::Cfg(form) = kind {
                self.artifacts.push(*kind, draw_cfg(&self.name, code, given.clone(), *form));
            }
        }
    }

    /// What is known of assembled code.
    fn given(&self, assembled: &Assembled, role: Option<Role>) -> Given {
        // A placeholder is the operand of a push.
        let placeholders = assembled.immutables.iter().map(|place| place.offset as u32 - 1);
        Given { fork: self.session.options.fork, role, placeholders: placeholders.collect() }
    }

    fn wants(&self, kind: Emit) -> bool {
        self.wanted.contains(&kind)
    }

    fn add(&mut self, kind: Emit, text: impl FnOnce() -> String) {
        add(&mut self.artifacts, self.wanted, kind, text);
    }
}

/// Names of the libraries that a program links.
pub(crate) fn libraries_of(program: &Program) -> BTreeSet<String> {
    let name = |item: &Item| match item.kind {
        ItemKind::PushLibrary(name) => program.names.get(name.0 as usize).cloned(),
        _ => None,
    };
    let own = program.items.iter().filter_map(name);
    own.chain(program.subs.iter().flat_map(libraries_of)).collect()
}

/// What keeps fewer values alive.
fn weaker_level(level: Level) -> Option<Level> {
    match level {
        Level::O2 | Level::O3 | Level::Os => Some(Level::O1),
        Level::O1 => Some(Level::O0),
        Level::O0 => None,
    }
}

fn lacks_frame(module: &Module) -> bool {
    module.memory == MemoryModel::NoFrame || module.modules.iter().any(lacks_frame)
}

fn is_too_deep(faults: &Diagnostics) -> bool {
    faults.iter().any(|fault| fault.code == cairn_stackify::STACK_TOO_DEEP)
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

/// The sources and the program of each piece of code, creation code first.
fn debug_information(
    sources: &[(i32, String)],
    program: &Program,
    assembled: &Assembled,
    fork: cairn_evm::Fork,
) -> String {
    let sources: Vec<_> =
        sources.iter().map(|(id, path)| serde_json::json!({ "id": id, "path": path })).collect();
    let mut programs = Vec::new();
    let environment = match program.subs.is_empty() {
        true => cairn_asm::ethdebug::Environment::Call,
        false => cairn_asm::ethdebug::Environment::Create,
    };
    let mut open = vec![(program, assembled, environment)];
    while let Some((program, assembled, environment)) = open.pop() {
        programs.push(cairn_asm::ethdebug::ethdebug(program, assembled, environment, fork));
        let subs = program.subs.iter().zip(&assembled.subs).rev();
        open.extend(
            subs.map(|(program, assembled)| (program, assembled, cairn_asm::ethdebug::Environment::Call)),
        );
    }
    let compiler = serde_json::json!({ "name": "cairn", "version": env!("CARGO_PKG_VERSION") });
    let compilation = serde_json::json!({ "compiler": compiler, "sources": sources });
    serde_json::json!({ "compilation": compilation, "programs": programs }).to_string()
}

/// Sizes and counts as JSON, with the stack operations where they were measured.
fn statistics(assembled: &Assembled, stack: Option<StackStats>) -> String {
    let runtime = runtime_of(assembled).map(|runtime| runtime.bytes.len());
    let mut found = serde_json::json!({ "creation_size": assembled.bytes.len(), "runtime_size": runtime });
    if let Some(StackStats { counts, gas }) = stack {
        // Frequencies are estimates: more digits would say nothing.
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        found["stack"] = serde_json::json!({
            "functions": counts.funcs,
            "blocks": counts.blocks,
            "steps": counts.steps,
            "spill_accesses": counts.spill_accesses,
            "frame_bytes": counts.frame_bytes,
            "gas": rounded(gas.spent),
            "gas_bound": rounded(gas.bound),
            "ratio": rounded(gas.ratio()),
        });
    }
    found.to_string()
}
