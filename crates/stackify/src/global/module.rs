//! Schedules the functions of a module: first how each is called, then each by itself.
//!
//! The literal scheduler takes functions whose memory must be saved around calls. Where values may
//! live in memory it also takes those that are *given up*: the default scheduler finds words out of
//! reach there, whatever it tries. The literal rules never do (module [`spec`](crate::spec) says
//! why), so no program is too deep. They want the plain convention; where that is another than the
//! one before, callers are scheduled again. A function is given up once at most, so this ends.

use super::context::Context;
use super::error::StackError;
use super::facts::func::FuncFacts;
use super::plan::params;
use super::schedule::schedule;
use crate::code::{Convention, FuncCode, ModuleCode, Reach, ScheduledFunc};
use crate::context::ModuleCx;
use crate::convention::{choose_convention, is_traceable, plain_convention, traceable_convention};
use crate::parallel;
use crate::prepare::{Trace, prepare_promoted, take_traces};
use crate::spec;
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_ir::{Func, Function, MemoryModel, Op, SecondaryMap};
use cranelift_entity::EntitySet;

/// What the default scheduler can do: tests take some of it away.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How far stack instructions reach, at most as far as the fork's.
    pub reach: Reach,
    /// Functions that are given up, whether words are out of reach in them or not.
    pub given_up: Vec<Func>,
}

/// The code of a module, and which functions were given up.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The code.
    pub code: ModuleCode,
    /// Functions that the literal scheduler took over.
    pub given_up: Vec<Func>,
}

/// Schedules every function that the entry function reaches.
///
/// # Errors
/// Operations that are not canonical; values out of reach where nothing may live in memory.
pub fn schedule_module(cx: &ModuleCx<'_>) -> Result<ModuleCode, Diagnostics> {
    let limits = Limits { reach: cx.options.reach(), given_up: Vec::new() };
    schedule_module_within(cx, limits).map(|scheduled| scheduled.code)
}

/// [`schedule_module`] with limits.
///
/// # Errors
/// As [`schedule_module`].
pub fn schedule_module_within(cx: &ModuleCx<'_>, limits: Limits) -> Result<Scheduled, Diagnostics> {
    let mut run = Run::prepare(cx, limits)?;
    run.choose_conventions();
    run.schedule(&cx.funcs);
    loop {
        let again = run.give_up_failed();
        if again.is_empty() {
            break;
        }
        run.schedule(&again);
    }
    run.finish()
}

/// A function as the default scheduler sees it.
#[derive(Clone)]
struct Prepared {
    func: Function,
    traces: Vec<Trace>,
    /// Its memory must be saved around calls.
    must_save: bool,
}

/// How scheduling a function went.
#[derive(Clone)]
enum Outcome {
    /// By the default scheduler.
    Default(Result<FuncCode, StackError>),
    /// By the literal one.
    Literal(Result<Box<ScheduledFunc>, Diagnostics>),
    /// It needs memory, and there is none.
    LacksMemory,
}

/// A module while it is scheduled.
struct Run<'a> {
    cx: &'a ModuleCx<'a>,
    reach: Reach,
    may_spill: bool,
    funcs: SecondaryMap<Func, Option<Prepared>>,
    conventions: SecondaryMap<Func, Convention>,
    outcomes: SecondaryMap<Func, Option<Outcome>>,
    given_up: EntitySet<Func>,
}

impl<'a> Run<'a> {
    fn prepare(cx: &'a ModuleCx<'a>, limits: Limits) -> Result<Run<'a>, Diagnostics> {
        let prepared = parallel::map(cx.options.threads, &cx.funcs, |id| {
            prepare_promoted(&cx.module.funcs[*id]).map(|mut func| {
                let traces = take_traces(&mut func);
                let must_save = must_save_memory(cx, *id, &func);
                Prepared { func, traces, must_save }
            })
        });
        let mut faults = Diagnostics::default();
        let mut funcs: SecondaryMap<Func, Option<Prepared>> = SecondaryMap::new();
        for (id, result) in cx.funcs.iter().zip(prepared) {
            match result {
                Ok(prepared) => funcs[*id] = Some(prepared),
                Err(diagnostics) => faults.extend(diagnostics),
            }
        }
        if faults.has_errors() {
            return Err(faults);
        }
        let may_spill = cx.module.memory == MemoryModel::Frames;
        let mut given_up = EntitySet::new();
        given_up.extend(limits.given_up.into_iter().filter(|_| may_spill));
        Ok(Run {
            cx,
            reach: limits.reach,
            may_spill,
            funcs,
            conventions: SecondaryMap::new(),
            outcomes: SecondaryMap::new(),
            given_up,
        })
    }

    fn prepared(&self, id: Func) -> &Prepared {
        self.funcs[id].as_ref().expect("invariant: every reached function is prepared")
    }

    /// True for functions that the literal scheduler gets.
    fn is_literal(&self, id: Func) -> bool {
        self.prepared(id).must_save || self.given_up.contains(id)
    }

    fn context(&self, id: Func) -> Context<'_> {
        let Run { cx, reach, may_spill, .. } = *self;
        Context { module: cx, own: id, conventions: &self.conventions, may_spill, reach }
    }

    fn choose_conventions(&mut self) {
        for id in &self.cx.funcs {
            self.conventions[*id] = match self.is_literal(*id) {
                true => plain_convention(self.cx, *id),
                false if is_traceable(self.cx, *id) => traceable_convention(self.cx, *id),
                false => choose_convention(self.cx, *id, &self.prepared(*id).func),
            };
        }
        for id in &self.cx.funcs {
            let is_fixed = self.is_literal(*id) || is_traceable(self.cx, *id);
            let is_free = Some(*id) != self.cx.module.entry && !is_fixed;
            if is_free && params::can_change(&self.conventions[*id], &self.cx.options.effort) {
                let func_cx = self.context(*id);
                let params = params::choose_params(&FuncFacts::gather(&self.prepared(*id).func, &func_cx));
                self.conventions[*id].params = params;
            }
        }
    }

    fn schedule(&mut self, funcs: &[Func]) {
        let outcomes = parallel::map(self.cx.options.threads, funcs, |id| self.schedule_func(*id));
        for (id, outcome) in funcs.iter().zip(outcomes) {
            self.outcomes[*id] = Some(outcome);
        }
    }

    fn schedule_func(&self, id: Func) -> Outcome {
        match (self.is_literal(id), self.may_spill) {
            (false, _) => Outcome::Default(schedule(&self.prepared(id).func, &self.context(id))),
            (true, true) => {
                Outcome::Literal(spec::schedule_func(self.cx, &self.conventions, id).map(Box::new))
            }
            (true, false) => Outcome::LacksMemory,
        }
    }

    /// True where the default scheduler found words out of reach.
    fn has_failed(&self, id: Func) -> bool {
        matches!(self.outcomes[id], Some(Outcome::Default(Err(_))))
    }

    /// Gives up the functions that the default scheduler failed on, if there is memory; those to be
    /// scheduled again.
    fn give_up_failed(&mut self) -> Vec<Func> {
        let cx = self.cx;
        let failed: Vec<Func> = cx.funcs.iter().copied().filter(|id| self.has_failed(*id)).collect();
        if !self.may_spill || failed.is_empty() {
            return Vec::new();
        }
        let mut called_anew: EntitySet<Func> = EntitySet::new();
        for id in failed {
            self.given_up.insert(id);
            let plain = plain_convention(cx, id);
            if std::mem::replace(&mut self.conventions[id], plain.clone()) != plain {
                called_anew.insert(id);
            }
        }
        let is_stale = |id: &Func| {
            self.has_failed(*id) || cx.callees(*id).iter().any(|callee| called_anew.contains(*callee))
        };
        cx.funcs.iter().copied().filter(is_stale).collect()
    }

    fn finish(mut self) -> Result<Scheduled, Diagnostics> {
        let mut code = ModuleCode::new();
        let mut faults = Diagnostics::default();
        for id in &self.cx.funcs {
            let Prepared { func, traces, .. } =
                self.funcs[*id].take().expect("invariant: every reached function is prepared");
            match self.outcomes[*id].take().expect("invariant: every reached function is scheduled") {
                Outcome::Default(Ok(FuncCode { frame, .. })) if !self.may_spill && !frame.is_empty() => {
                    faults.push(lacks_memory(&func));
                }
                Outcome::Default(Ok(scheduled)) => {
                    code[*id] = Some(ScheduledFunc { func, code: scheduled, traces });
                }
                Outcome::Default(Err(error)) => faults.push(error.to_diagnostic()),
                Outcome::LacksMemory => faults.push(lacks_memory(&func)),
                Outcome::Literal(Ok(scheduled)) => code[*id] = Some(*scheduled),
                Outcome::Literal(Err(diagnostics)) => faults.extend(diagnostics),
            }
        }
        let is_given_up = |id: &Func| self.given_up.contains(*id);
        let given_up = self.cx.funcs.iter().copied().filter(is_given_up).collect();
        if faults.has_errors() { Err(faults) } else { Ok(Scheduled { code, given_up }) }
    }
}

/// The error for memory of a frame in a module that has none.
fn lacks_memory(func: &Function) -> Diagnostic {
    let mut insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    let alloca = insts.find(|inst| func.dfg.op(*inst) == Op::Alloca);
    Diagnostic::error(format!("function `{}` has an `alloca`, but all memory is the program's", func.name))
        .with_span(alloca.map_or(func.span, |inst| func.inst_place(inst)))
        .with_note("wide integers are multiplied and divided in memory, too")
        .with_help("without the module's attribute `[noframe]` or `[unguarded]` there is room for it")
}

/// True for functions that can be entered again while they use memory of their frame: its words must
/// be saved around such calls, which the literal scheduler does.
fn must_save_memory(cx: &ModuleCx<'_>, id: Func, func: &Function) -> bool {
    cx.callees(id).iter().any(|callee| cx.is_reentrant(id, *callee)) && func.has_alloca()
}
