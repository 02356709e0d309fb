//! One compilation: sources, diagnostics and times, and the stages that share them.

use crate::hex_input::HexInput;
use crate::input::{Input, Language};
use crate::options::{Level, Options};
use crate::timing::Timings;
use cairn_asm::{Assembled, Program};
use cairn_diag::{Diagnostic, Diagnostics, FileId, SourceFile, Sources};
use cairn_ir::verify::Form;
use cairn_ir::{Module, Op, Payload};
use cairn_opt::pass::Pass;
use cairn_yul::Object;
use std::collections::BTreeSet;
use std::fmt;
use std::time::Instant;

/// Why a stage gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The input is faulty: see the session's diagnostics.
    Input,
    /// Cairn itself is faulty.
    Bug(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input => f.write_str("the input is faulty"),
            Failure::Bug(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl std::error::Error for Failure {}

/// A stage's result; diagnostics are in the session.
pub type Stage<T> = Result<T, Failure>;

/// A parsed Yul input.
pub struct ParsedYul {
    /// The outermost object, or the one that `Options::object` names.
    pub object: Object,
    /// Its names.
    pub names: cairn_yul::NameTable,
}

/// One compilation.
#[derive(Debug, Default)]
pub struct Session {
    /// Options.
    pub options: Options,
    /// Sources.
    pub sources: Sources,
    /// Diagnostics so far.
    pub diagnostics: Diagnostics,
    /// Times so far.
    pub timings: Timings,
    /// With [`Options::explain`]: where the stackifier keeps each value and why.
    pub explanation: String,
    /// With [`Options::remarks`]: what was done or left and why, a line each.
    pub remarks: Vec<String>,
    known_remarks: BTreeSet<String>,
    /// Numbers about the stack code, once it is made.
    pub stack_stats: Option<StackStats>,
    /// Code that is too large to be deployed.
    pub excess: Vec<crate::excess::Excess>,
    /// About how large each function is, once there is stack code.
    pub(crate) func_sizes: Vec<cairn_stackify::FuncSize>,
    /// What is lowered from Yul keeps names and places.
    pub(crate) keeps_names: bool,
}

/// Numbers about stack code.
#[derive(Clone, Copy, Debug)]
pub struct StackStats {
    /// Counts.
    pub counts: cairn_stackify::Stats,
    /// With [`Options::measure_stack`]: gas of stack operations and its lower bound.
    pub gas: cairn_stackify::StackGas,
}

impl Session {
    /// A new session.
    pub fn new(options: Options) -> Self {
        Session { options, ..Session::default() }
    }

    /// Adds an input to the sources.
    pub fn load(&mut self, input: &Input) -> FileId {
        self.sources.add(SourceFile::new(input.name.clone(), input.text.clone()))
    }

    /// Takes the diagnostics of a stage; an error among them ends the compilation.
    pub(crate) fn take<T>(&mut self, result: Option<T>, diagnostics: Diagnostics) -> Stage<T> {
        let failed = diagnostics.has_errors();
        self.diagnostics.extend(diagnostics);
        result.filter(|_| !failed).ok_or(Failure::Input)
    }

    /// Reports an error without a place.
    pub fn error<T>(&mut self, diagnostic: Diagnostic) -> Stage<T> {
        self.diagnostics.push(diagnostic);
        Err(Failure::Input)
    }

    fn dialect(&self) -> cairn_yul::Dialect {
        cairn_yul::Dialect { fork: self.options.fork, ..cairn_yul::Dialect::default() }
    }

    /// Parses and resolves Yul.
    ///
    /// # Errors
    /// The input is faulty, or has no object of the asked name.
    pub fn parse_yul(&mut self, input: &Input) -> Stage<ParsedYul> {
        let file = self.load(input);
        let dialect = self.dialect();
        let parsed = self.timings.time("yul", || cairn_yul::parse(&input.text, file, &dialect));
        let mut object = self.take(parsed.object, parsed.diagnostics)?;
        if let Some(path) = self.options.object.clone() {
            let mut known = Vec::new();
            object_paths(&object, "", &mut known);
            object = match find_object(object, &path) {
                Some(object) => object,
                None => return self.error(unknown("object", &path, UNKNOWN_OBJECT, &known)),
            };
        }
        Ok(ParsedYul { object, names: parsed.names })
    }

    /// Lowers Yul to EVM-IR, or parses EVM-IR.
    ///
    /// # Errors
    /// The input is faulty, or not in a language that becomes EVM-IR.
    pub fn parse_module(&mut self, input: &Input) -> Stage<Module> {
        let module = match input.language {
            Language::Yul => {
                let parsed = self.parse_yul(input)?;
                let options = cairn_yul_lower::LowerOptions { names: self.keeps_names };
                let mut module = self.timings.time("yul-lower", || {
                    cairn_yul_lower::lower_object(&parsed.object, &parsed.names, options)
                });
                self.check_libraries(&libraries_of(&module))?;
                if self.keeps_names && !parsed.object.source_names.is_empty() {
                    crate::solidity_names::use_names_of_solidity(&mut module);
                }
                self.timings.time("yul-lower", || {
                    cairn_yul_lower::remove_unreachable_functions(&mut module);
                });
                module
            }
            Language::EvmIr => {
                let module = self.parse_ir(input)?;
                self.check_libraries(&libraries_of(&module))?;
                module
            }
            Language::Asm | Language::Hex => {
                let text = format!("`{}` is stack code, not a program that becomes EVM-IR", input.name);
                return self.error(Diagnostic::error(text));
            }
        };
        self.verify(&module, Form::Free, "the front end")?;
        Ok(module)
    }

    /// Refuses an address of a library that the program does not link: its name is misspelt.
    pub(crate) fn check_libraries(&mut self, known: &BTreeSet<String>) -> Stage<()> {
        let names = self.options.libraries.iter().map(|(name, _)| name);
        let Some(name) = names.clone().find(|name| !known.contains(*name)).cloned() else { return Ok(()) };
        let known: Vec<String> = known.iter().cloned().collect();
        self.error(unknown("library", &name, UNKNOWN_LIBRARY, &known))
    }

    /// Verifies what a stage of ours left, when asked to.
    pub(crate) fn verify(&mut self, module: &Module, form: Form, stage: &str) -> Stage<()> {
        if !self.options.verify {
            return Ok(());
        }
        let faults = self.timings.time("verify", || cairn_ir::verify::verify(module, form));
        match faults.iter().next() {
            Some(fault) => Err(Failure::Bug(format!("{stage} left faulty EVM-IR: {}", fault.message))),
            None => Ok(()),
        }
    }

    fn parse_ir(&mut self, input: &Input) -> Stage<Module> {
        let file = self.load(input);
        let parsed = self.timings.time("ir-parse", || cairn_ir::text::parse(&input.text, file));
        match parsed {
            Ok(module) => {
                let verify = || cairn_ir::verify::verify_text(&module, Form::Free, Some(file));
                let faults = self.timings.time("verify", verify);
                self.take(Some(module), faults)
            }
            Err(faults) => self.take(None, faults),
        }
    }

    /// Parses assembly text.
    ///
    /// # Errors
    /// The input is faulty.
    pub fn parse_asm(&mut self, input: &Input) -> Stage<Program> {
        let file = self.load(input);
        let fork = self.options.fork;
        let parsed = self.timings.time("asm-parse", || cairn_asm::parse_for(&input.text, file, fork));
        match parsed {
            Ok((program, warnings)) => self.take(Some(program), warnings),
            Err(faults) => self.take(None, faults),
        }
    }

    fn format_asm(&mut self, input: &Input) -> Stage<String> {
        let file = self.load(input);
        cairn_asm::format(&input.text, file).or_else(|faults| self.take(None, faults))
    }

    /// Reads bytecode in hexadecimal; white space and comments after `;` are skipped.
    ///
    /// # Errors
    /// The input is not hexadecimal.
    pub fn parse_hex(&mut self, input: &Input) -> Stage<Vec<u8>> {
        let file = self.load(input);
        match crate::hex_input::parse(&input.text, file) {
            Ok(HexInput { bytes, first_link: None, .. }) => Ok(bytes),
            Ok(HexInput { first_link: Some(span), .. }) => {
                let fault =
                    Diagnostic::error("the code is not linked: here belongs the address of a library");
                self.error(fault.at(file, span))
            }
            Err(diagnostic) => self.error(*diagnostic),
        }
    }

    /// Checks an input and reports every fault.
    ///
    /// # Errors
    /// The input is faulty, or EVM-IR that is not in the form that is demanded.
    pub fn check(&mut self, input: &Input, form: Form) -> Stage<()> {
        match input.language {
            Language::Yul => self.parse_yul(input).map(drop),
            Language::Asm => {
                let program = self.parse_asm(input)?;
                self.assemble(&program).map(drop)
            }
            Language::Hex => self.parse_hex(input).map(drop),
            Language::EvmIr => {
                let module = self.parse_ir(input)?;
                if form == Form::Free {
                    return self.check_legal(module);
                }
                let faults = cairn_ir::verify::verify_text(&module, form, Some(self.sources.last()));
                self.take(Some(()), faults)
            }
        }
    }

    /// Reports what the fork and the options do not allow in a module that is well-formed. A module
    /// without an entry function may be meant as a library.
    fn check_legal(&mut self, mut module: Module) -> Stage<()> {
        if let Some(fragment) = find_fragment(&module) {
            let text = format!("{}: it cannot be built", lacks_entry(fragment));
            self.diagnostics.push(self.at_module(fragment, Diagnostic::warning(text)));
        }
        self.legalize(&mut module).map(drop)
    }

    /// A diagnostic placed at the head of a module of the text that was loaded last.
    fn at_module(&self, module: &Module, diagnostic: Diagnostic) -> Diagnostic {
        match module.span {
            Some(span) if !self.sources.is_empty() => diagnostic.at(self.sources.last(), span),
            _ => diagnostic,
        }
    }

    /// The listing of bytecode; it assembles to the same bytes.
    ///
    /// # Errors
    /// The input is not hexadecimal.
    pub fn disassemble(&mut self, input: &Input) -> Stage<String> {
        let file = self.load(input);
        let code = crate::hex_input::parse(&input.text, file).or_else(|fault| self.error(*fault))?;
        Ok(cairn_asm::disassembly(&code.bytes, &code.links, self.options.fork))
    }

    /// The canonical text of a Yul input: its tree with source locations, without other comments.
    ///
    /// # Errors
    /// The input is faulty.
    pub fn print_yul(&mut self, input: &Input) -> Stage<String> {
        let parsed = self.parse_yul(input)?;
        let debug = cairn_yul::DebugComments::Print;
        Ok(cairn_yul::print_object(&parsed.object, &parsed.names, &self.dialect(), debug) + "\n")
    }

    /// Prints an input in its canonical formatting, with all its comments.
    ///
    /// # Errors
    /// The input is faulty, or in a language without a formatting.
    pub fn format(&mut self, input: &Input) -> Stage<String> {
        match input.language {
            Language::Yul => {
                let parsed = self.parse_yul(input)?;
                Ok(cairn_yul::format(&input.text, &parsed.object, &parsed.names, &self.dialect()))
            }
            Language::EvmIr => {
                self.parse_ir(input).map(|module| cairn_ir::text::format(&input.text, &module))
            }
            Language::Asm => self.format_asm(input),
            Language::Hex => {
                self.error(Diagnostic::error(format!("`{}` has no canonical formatting", input.name)))
            }
        }
    }

    /// Brings a module into canonical form.
    ///
    /// # Errors
    /// The module has something that the fork or the options do not allow.
    pub fn legalize(&mut self, module: &mut Module) -> Stage<cairn_legalize::Report> {
        let options = cairn_legalize::Options {
            fork: self.options.fork,
            recover: self.options.recover,
            switch: match self.options.switch_cascade {
                true => cairn_legalize::SwitchShape::Cascade,
                false => cairn_legalize::SwitchShape::Cost,
            },
            runs: self.options.runs,
            validate: false,
            explain: self.options.explain,
        };
        let result = self.timings.time("legalize", || cairn_legalize::legalize(module, &options));
        match result {
            Ok(mut report) => {
                self.extend_placed(std::mem::take(&mut report.warnings));
                self.verify(module, Form::Canonical, "the legalizer")?;
                Ok(report)
            }
            Err(faults) => {
                self.extend_placed(faults);
                Err(Failure::Input)
            }
        }
    }

    /// Ends the compilation with faults whose spans are places in the text that was loaded last.
    pub(crate) fn take_placed<T>(&mut self, faults: Diagnostics) -> Stage<T> {
        self.extend_placed(faults);
        Err(Failure::Input)
    }

    /// Adds what a stage found, whose spans are places in the text that was loaded last.
    fn extend_placed(&mut self, found: Diagnostics) {
        let file = (!self.sources.is_empty()).then(|| self.sources.last());
        let placed = found.into_iter().map(|one| Diagnostic { file: one.file.or(file), ..one });
        placed.for_each(|one| self.diagnostics.push(one));
    }

    /// Optimizes a canonical module and leaves it canonical.
    ///
    /// # Errors
    /// A pass of `Options::passes` does not exist.
    pub fn optimize(&mut self, module: &mut Module) -> Stage<()> {
        self.optimize_at(self.options.level, module)
    }

    /// As [`Session::optimize`], at another level than the options'.
    pub(crate) fn optimize_at(&mut self, level: Level, module: &mut Module) -> Stage<()> {
        let passes = match &self.options.passes {
            Some(names) => select_passes(names),
            None if level == Level::O0 => return Ok(()),
            None => passes_of_level(opt_level(level), &self.options.skipped_passes),
        };
        let passes = match passes {
            Ok(passes) => passes,
            Err(fault) => return self.error(*fault),
        };
        let start = Instant::now();
        let clock = || start.elapsed();
        let verify =
            |module: &Module, _: &str| match cairn_ir::verify::verify(module, Form::Ssa).iter().next() {
                Some(fault) => Err(fault.message.clone()),
                None => Ok(()),
            };
        let remarks = cairn_opt::pass::Remarks::default();
        let hooks = cairn_opt::Hooks {
            verify: self.options.verify.then_some(&verify),
            clock: Some(&clock),
            remarks: self.options.remarks.then_some(&remarks),
        };
        let runs = self.price_runs(level);
        let options = cairn_opt::Options { fork: self.options.fork, runs, fuel: self.options.fuel };
        let result = cairn_opt::run_passes(module, &passes, &options, hooks);
        let report = result.map_err(|fault| Failure::Bug(fault.to_string()))?;
        report.passes.iter().for_each(|row| self.timings.add(row.name, row.time));
        for remark in remarks.into_inner() {
            self.add_remark(format!("{}: `@{}`: {}", remark.pass, remark.func, remark.text));
        }
        if let Some((pass, func)) = report.last {
            self.add_remark(format!("fuel: the last run is `{pass}` on `@{func}`"));
        }
        self.legalize(module).map(drop)
    }

    /// Adds a remark that was not made yet: passes run several times.
    fn add_remark(&mut self, remark: String) {
        if self.known_remarks.insert(remark.clone()) {
            self.remarks.push(remark);
        }
    }

    /// Turns a canonical module into stack code.
    ///
    /// # Errors
    /// A value has no place to live.
    pub fn stackify(&mut self, module: &Module) -> Stage<Program> {
        self.require_entries(module)?;
        self.try_stackify(self.options.level, module).or_else(|faults| self.take_placed(faults))
    }

    /// Code needs a place where execution begins.
    pub(crate) fn require_entries(&mut self, module: &Module) -> Stage<()> {
        let Some(fragment) = find_fragment(module) else { return Ok(()) };
        let fault =
            Diagnostic::error(lacks_entry(fragment)).with_help("code runs from there, with an empty stack");
        let fault = self.at_module(fragment, fault);
        self.error(fault)
    }

    /// As [`Session::stackify`] at a level, with the diagnostics returned.
    pub(crate) fn try_stackify(&mut self, level: Level, module: &Module) -> Result<Program, Diagnostics> {
        let options = cairn_stackify::Options {
            fork: self.options.fork,
            mode: if self.options.spec { cairn_stackify::Mode::Spec } else { cairn_stackify::Mode::Global },
            runs: self.price_runs(level),
            // A few percent of the time, and no code leaves that does not do what the IR says.
            verify: true,
            branch_order: self.options.branch_order,
            calls: self.options.calls,
            source_frames: self.options.source_frames,
            strict_stack: self.options.strict_stack,
            threads: self.options.threads,
            effort: cairn_stackify::Effort::FULL,
            explain: self.options.explain || self.options.remarks,
            source_names: self.keeps_names,
            measure: self.options.measure_stack,
        };
        let result = self.timings.time("stackify", || cairn_stackify::stackify(module, &options));
        result.map(|stackified| {
            self.explanation = stackified.explanation;
            self.func_sizes = stackified.sizes;
            self.stack_stats = Some(StackStats { counts: stackified.stats, gas: stackified.stack_gas });
            if self.options.remarks {
                for spill in &stackified.spills {
                    self.add_remark(format!("stackify: `@{}`: {}", spill.func, spill.text));
                }
            }
            stackified.program
        })
    }

    /// Runs the passes on stack code.
    pub fn optimize_program(&mut self, program: &mut Program) {
        let level = match self.options.level {
            Level::O0 => cairn_asm::Level::None,
            Level::O1 => cairn_asm::Level::Basic,
            Level::O2 | Level::O3 | Level::Os => cairn_asm::Level::Full,
        };
        let runs = self.price_runs(self.options.level);
        let options = cairn_asm::PassOptions { fork: self.options.fork, runs, level };
        self.timings.time("asm-passes", || cairn_asm::run_passes(program, &options));
    }

    /// Writes the addresses of libraries; the others keep their placeholders.
    pub fn link(&mut self, assembled: &mut Assembled) {
        let addresses = self.options.libraries.iter().map(|(library, address)| cairn_asm::LibraryAddress {
            library: library.clone(),
            address: *address,
        });
        let addresses: Vec<_> = addresses.collect();
        let links = std::mem::take(&mut assembled.links);
        assembled.links = cairn_asm::link(&mut assembled.bytes, &links, &addresses);
        assembled.subs.iter_mut().for_each(|sub| self.link(sub));
    }

    /// Assembles and links.
    ///
    /// # Errors
    /// A name that stands for nothing.
    pub fn assemble(&mut self, program: &Program) -> Stage<Assembled> {
        let options = self.assemble_options();
        let result = self.timings.time("assemble", || cairn_asm::assemble(program, options));
        result.or_else(|faults| self.take(None, faults))
    }

    pub(crate) fn assemble_options(&self) -> cairn_asm::AssembleOptions {
        cairn_asm::AssembleOptions { fork: self.options.fork, separator: self.options.separator }
    }

    /// Executions that a byte of code is priced against: few for `-Os`, many for `-O3`.
    fn price_runs(&self, level: Level) -> u64 {
        match level {
            Level::Os => 1,
            Level::O3 => self.options.runs.max(10_000),
            Level::O0 | Level::O1 | Level::O2 => self.options.runs,
        }
    }
}

/// Codes of diagnostics for options that name what is not there.
const UNKNOWN_PASS: &str = "unknown-pass";
const UNKNOWN_OBJECT: &str = "unknown-object";
const UNKNOWN_LIBRARY: &str = "unknown-library";

/// True for a diagnostic that finds fault with the options, not with the input.
pub fn is_about_options(diagnostic: &Diagnostic) -> bool {
    [UNKNOWN_PASS, UNKNOWN_OBJECT, UNKNOWN_LIBRARY].contains(&diagnostic.code)
}

fn unknown(kind: &str, name: &str, code: &'static str, known: &[String]) -> Diagnostic {
    let help = match known {
        [] => format!("the program has no {kind}"),
        known => format!("known are {}", known.join(" ")),
    };
    Diagnostic::error(format!("unknown {kind} `{name}`")).with_code(code).with_help(help)
}

/// Names of the libraries that a module and its nested modules link.
fn libraries_of(module: &Module) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = module.modules.iter().flat_map(libraries_of).collect();
    for func in module.funcs.values() {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let (Op::LinkerSymbol, Payload::Symbol(symbol)) =
                (func.dfg.op(inst), func.dfg.inst(inst).payload)
            {
                found.insert(module.symbols.text(symbol).to_owned());
            }
        }
    }
    found
}

/// Paths of an object and of those nested in it.
fn object_paths(object: &Object, outer: &str, paths: &mut Vec<String>) {
    if object.is_bare {
        return;
    }
    let path = if outer.is_empty() { object.name.to_string() } else { format!("{outer}.{}", object.name) };
    paths.push(path.clone());
    object.objects.iter().for_each(|inner| object_paths(inner, &path, paths));
}

/// A module with functions but without an entry, which has no place where execution begins.
fn find_fragment(module: &Module) -> Option<&Module> {
    if module.entry.is_none() && !module.funcs.is_empty() {
        return Some(module);
    }
    module.modules.iter().find_map(find_fragment)
}

fn lacks_entry(module: &Module) -> String {
    format!("module `@{}` has no entry function `@__entry`", module.name)
}

fn select_passes(names: &[String]) -> Result<Vec<Pass>, Box<Diagnostic>> {
    let find = |name: &String| {
        cairn_opt::pipeline::pass(name).copied().ok_or_else(|| {
            let known: Vec<String> = crate::pass_names().map(str::to_owned).collect();
            Box::new(unknown("pass", name, UNKNOWN_PASS, &known))
        })
    };
    names.iter().map(find).collect()
}

fn passes_of_level(level: cairn_opt::Level, skipped: &[String]) -> Result<Vec<Pass>, Box<Diagnostic>> {
    let skipped: Vec<&str> = select_passes(skipped)?.iter().map(|pass| pass.info.name).collect();
    Ok(cairn_opt::pipeline::passes_without(level, &skipped))
}

fn opt_level(level: Level) -> cairn_opt::Level {
    match level {
        Level::O0 => cairn_opt::Level::O0,
        Level::O1 => cairn_opt::Level::O1,
        Level::O2 => cairn_opt::Level::O2,
        Level::O3 => cairn_opt::Level::O3,
        Level::Os => cairn_opt::Level::Os,
    }
}

/// The object with this path: its own name, or the path of a nested one.
fn find_object(object: Object, path: &str) -> Option<Object> {
    if *object.name == *path {
        return Some(object);
    }
    let rest =
        path.strip_prefix(&*object.name).and_then(|rest| rest.strip_prefix('.')).unwrap_or(path).to_owned();
    let mut nested = object.objects.into_iter();
    nested.find_map(|inner| {
        let is_on_path =
            rest == *inner.name || rest.strip_prefix(&*inner.name).is_some_and(|r| r.starts_with('.'));
        if is_on_path { find_object(inner, &rest) } else { None }
    })
}
