//! Stackifier: canonical EVM-IR to stack code.
//!
//! Each function becomes [`code::FuncCode`]: blocks of stack steps, each step with the IR
//! instruction it carries out. The checker replays it on a symbolic stack; then frames get their
//! addresses, blocks their order, and everything becomes one [`cairn_asm::Program`].

mod allocas;
mod bound;
pub mod check;
pub mod code;
mod context;
mod convention;
mod effort;
pub mod emit;
mod explain;
pub mod frame;
pub mod global;
mod linearize;
mod options;
mod parallel;
mod prepare;
mod reentry;
mod sizes;
pub mod spec;
pub mod stages;
mod symbolic;
mod variables;

pub use bound::StackGas;
pub use context::ModuleCx;
pub use effort::Effort;
pub use explain::SpillRemark;
pub use global::STACK_TOO_DEEP;
pub use options::{Calls, Mode, Options, Placement, Role, SourceFrames};
pub use prepare::Trace;
pub use sizes::FuncSize;

use cairn_asm::Program;
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_ir::{Function, Inst, Module, Op};
use code::{ModuleCode, StepKind};
use stages::FuncStages;

/// Stack code of a module and numbers about it.
#[derive(Clone, Debug)]
pub struct Stackified {
    /// The code, with that of nested modules.
    pub program: Program,
    /// Sums over the module and its nested modules.
    pub stats: Stats,
    /// With [`Options::measure`]: gas of stack operations and its lower bound, sums of both.
    pub stack_gas: StackGas,
    /// With [`Options::explain`]: where each value lives and why, in text; see [`explain`].
    pub explanation: String,
    /// With [`Options::explain`]: values that live in memory.
    pub spills: Vec<SpillRemark>,
    /// With [`Options::explain`]: what was decided, stage by stage.
    pub stages: Vec<FuncStages>,
    /// About how large each function is.
    pub sizes: Vec<FuncSize>,
}

/// What the stackifier produced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Functions emitted.
    pub funcs: usize,
    /// Blocks emitted.
    pub blocks: usize,
    /// Steps of stack code.
    pub steps: usize,
    /// Stores to and loads from frame memory that the program did not ask for.
    pub spill_accesses: usize,
    /// Bytes of frame memory, the largest module's.
    pub frame_bytes: u64,
}

/// Turns a canonical module and its nested modules into symbolic stack code.
///
/// # Errors
/// Diagnostics for operations that are not canonical and for values that have no place: out of
/// reach on the stack in a module whose memory is all the program's.
pub fn stackify(module: &Module, options: &Options) -> Result<Stackified, Diagnostics> {
    let cx = ModuleCx::new(module, options);
    check_input(&cx)?;
    let code = match options.mode {
        Mode::Global => global::schedule_module(&cx)?,
        Mode::Spec => spec::schedule(&cx)?,
    };
    let frames = frame::place_frames(&cx, &code);
    if cfg!(debug_assertions) || options.verify {
        check::check_module(&cx, &code, &frames).map_err(|violations| check::to_diagnostics(&violations))?;
    }
    let (mut program, starts) = emit::emit_with_starts(&cx, &code, &frames);
    let mut stats = Stats::of(&cx, &code);
    stats.frame_bytes = frames.size;
    let mut stack_gas = match options.measure {
        true => bound::measure_module(&cx, &code),
        false => StackGas::default(),
    };
    let mut explanation = match options.explain {
        true => explain::explain_module(&cx, &code, &frames),
        false => String::new(),
    };
    let mut spills = if options.explain { explain::spill_remarks(&cx, &code) } else { Vec::new() };
    let mut stages = match options.explain {
        true => stages::of_module(&cx, &code, &frames, (&program, &starts)),
        false => Vec::new(),
    };
    let mut sizes = sizes::func_sizes(&cx, &code);
    let mut faults = Diagnostics::default();
    for nested in &module.modules {
        match stackify(nested, options) {
            Ok(result) => {
                stats.add(result.stats);
                stack_gas.add(result.stack_gas);
                program.subs.push(result.program);
                explanation += &result.explanation;
                spills.extend(result.spills);
                stages.extend(result.stages);
                sizes.extend(result.sizes);
            }
            Err(diagnostics) => faults.extend(diagnostics),
        }
    }
    if faults.has_errors() {
        Err(faults)
    } else {
        Ok(Stackified { program, stats, stack_gas, explanation, spills, stages, sizes })
    }
}

/// Words that a call can pass, with those that are saved around it: the EVM's stack holds 1024.
pub(crate) const MAX_PASSED: usize = cairn_ir::verify::MAX_PASSED_WORDS;

/// What neither scheduler can do.
fn check_input(cx: &ModuleCx<'_>) -> Result<(), Diagnostics> {
    let mut faults = Diagnostics::default();
    if let Some(entry) = cx.module.entry.filter(|entry| cx.returns(*entry)) {
        let func = &cx.module.funcs[entry];
        let returns = |inst: &Inst| func.dfg.op(*inst) == Op::Iret;
        let iret = func.layout.blocks().filter_map(|block| func.terminator(block)).find(returns);
        faults.push(
            Diagnostic::error(format!("entry function `{}` returns, but nobody called it", func.name))
                .with_span(iret.map_or(func.span, |inst| func.inst_place(inst)))
                .with_help("end it with `evm.stop` or `evm.return`"),
        );
    }
    for id in &cx.funcs {
        let Function { name, signature, span, .. } = &cx.module.funcs[*id];
        let passed = signature.params.len().max(signature.results.len());
        if passed > MAX_PASSED {
            faults.push(
                Diagnostic::error(format!(
                    "function `{name}` passes {passed} words at once, more than {MAX_PASSED}"
                ))
                .with_span(*span)
                .with_help("pass them in memory"),
            );
        }
        if let Err(diagnostics) = reentry::check_escapes(cx, *id, &cx.module.funcs[*id]) {
            faults.extend(diagnostics);
        }
    }
    if faults.has_errors() { Err(faults) } else { Ok(()) }
}

impl Stats {
    fn of(cx: &ModuleCx<'_>, code: &ModuleCode) -> Stats {
        let mut stats = Stats::default();
        for func in cx.funcs.iter().filter_map(|id| code[*id].as_ref()) {
            stats.funcs += 1;
            stats.blocks += func.code.blocks.len();
            for block in &func.code.blocks {
                stats.steps += block.steps.len();
                let accesses =
                    |step: &&code::Step| matches!(step.kind, StepKind::Op(_)) && step.origin.is_none();
                stats.spill_accesses += block.steps.iter().filter(accesses).count();
            }
        }
        stats
    }

    fn add(&mut self, other: Stats) {
        self.funcs += other.funcs;
        self.blocks += other.blocks;
        self.steps += other.steps;
        self.spill_accesses += other.spill_accesses;
        self.frame_bytes = self.frame_bytes.max(other.frame_bytes);
    }
}
