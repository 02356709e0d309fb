//! Runs passes: timing, fuel, verification after each.

use crate::calls::CallFacts;
use crate::memory::Heap;
use crate::options::Options;
use crate::pass::{Changed, Pass, PassContext, Property, Remarks, Run, Summaries};
use crate::rules::RuleSet;
use cairn_analysis::{CallGraph, Cfg, FuncEffects, StaticFrames};
use cairn_evm::Effects;
use cairn_ir::debug::{drop_dead_traces, traces};
use cairn_ir::{Func, Function, MemoryModel, Module};
use std::fmt;
use std::time::Duration;

/// Called after each pass with the pass's name; an error ends the run.
pub type Verify<'a> = &'a dyn Fn(&Module, &str) -> Result<(), String>;

/// What the caller observes of a run. Libraries have no clock of their own.
#[derive(Clone, Copy, Default)]
pub struct Hooks<'a> {
    /// Checks the module after each pass.
    pub verify: Option<Verify<'a>>,
    /// Time since some fixed moment.
    pub clock: Option<&'a dyn Fn() -> Duration>,
    /// Takes what passes say about their decisions.
    pub remarks: Option<&'a Remarks>,
}

/// A pass broke the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The pass.
    pub pass: &'static str,
    /// What the check said.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pass `{}` left an invalid module: {}", self.pass, self.message)
    }
}

impl std::error::Error for Fault {}

/// What a pass did in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassStats {
    /// Its name.
    pub name: &'static str,
    /// Functions or modules it ran on.
    pub runs: u64,
    /// How many of these it changed.
    pub changed: u64,
    /// Time, if there was a clock.
    pub time: Duration,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// One row for each place in the pipeline.
    pub passes: Vec<PassStats>,
    /// Fuel spent.
    pub fuel: u64,
    /// Where the fuel ran out: the last pass that ran, and its function or module.
    pub last: Option<(&'static str, String)>,
    /// Names of the modules that visibly keep the pointer to free memory (A17).
    pub keeps_pointer: Vec<String>,
}

/// Runs `passes` in order on a module and on each module nested in it.
///
/// # Errors
/// The verify hook rejected the module after a pass.
pub fn run_passes(
    module: &mut Module,
    passes: &[Pass],
    options: &Options,
    hooks: Hooks<'_>,
) -> Result<Report, Fault> {
    let rules = &RuleSet::all(options.fork);
    let rows =
        passes.iter().map(|pass| PassStats { name: pass.name, runs: 0, changed: 0, time: Duration::ZERO });
    let mut report = Report { passes: rows.collect(), ..Report::default() };
    let mut work = vec![module];
    while let Some(module) = work.pop() {
        run_on_module(module, passes, options, rules, hooks, &mut report)?;
        work.extend(module.modules.iter_mut().rev());
    }
    Ok(report)
}

fn run_on_module(
    module: &mut Module,
    passes: &[Pass],
    options: &Options,
    rules: &RuleSet,
    hooks: Hooks<'_>,
    report: &mut Report,
) -> Result<(), Fault> {
    let mut summaries = compute_summaries(module, Heap::default());
    // Passes on modules need no summaries of each other's results: a row of them costs one.
    let mut is_stale = false;
    let mut calls = CallFacts::default();
    let has_traces = module.funcs.values().any(|func| !traces(func).is_empty());
    for (row, pass) in passes.iter().enumerate() {
        let start = hooks.clock.map(|clock| clock());
        if is_stale && !matches!(pass.run, Run::Module(_) | Run::Heap(_)) {
            summaries = compute_summaries(module, summaries.heap);
            is_stale = false;
        }
        let mut cx = PassContext { options, rules, summaries: &summaries, remarks: hooks.remarks };
        let n_changed = report.passes[row].changed;
        let heap = run_pass(module, row, pass, &mut cx, &mut calls, report);
        is_stale |= matches!(pass.run, Run::Module(_)) && report.passes[row].changed > n_changed;
        summaries.heap = heap.unwrap_or(summaries.heap);
        if !pass.preserves.contains(&Property::Calls) {
            calls.forget();
        }
        if has_traces {
            module.funcs.values_mut().for_each(drop_dead_traces);
        }
        module.funcs.values_mut().for_each(Function::compact_sparse);
        if let (Some(start), Some(clock)) = (start, hooks.clock) {
            report.passes[row].time += clock().saturating_sub(start);
        }
        if let Some(verify) = hooks.verify {
            verify(module, pass.name).map_err(|message| Fault { pass: pass.name, message })?;
        }
    }
    if summaries.heap.free_from.is_some() {
        report.keeps_pointer.push(module.name.clone());
    }
    Ok(())
}

/// Runs a pass as far as there is fuel; what it found of memory that is allocated.
fn run_pass(
    module: &mut Module,
    row: usize,
    pass: &Pass,
    cx: &mut PassContext<'_>,
    calls: &mut CallFacts,
    report: &mut Report,
) -> Option<Heap> {
    let options = cx.options;
    match pass.run {
        Run::Function(run) => {
            for func in module.funcs.values_mut() {
                if report.take_fuel(options, pass, &func.name) {
                    report.count(row, run(func, cx));
                }
            }
        }
        Run::CallersFirst(run) => {
            calls.begin(module, &cx.summaries.graph);
            for id in calls.order() {
                // Once fuel is out, no later function is visited with callees half seen.
                if report.take_fuel(options, pass, &module.funcs[id].name) {
                    calls.enter(id);
                    report.count(row, run(&mut module.funcs[id], cx, calls));
                }
            }
        }
        Run::Module(run) => {
            if report.take_fuel(options, pass, &module.name) {
                report.count(row, run(module, cx));
            }
        }
        Run::Heap(run) => {
            if report.take_fuel(options, pass, &module.name) {
                report.count(row, Changed::No);
                return Some(run(module));
            }
        }
    }
    None
}

impl Report {
    fn take_fuel(&mut self, options: &Options, pass: &Pass, on: &str) -> bool {
        let has_fuel = options.fuel.is_none_or(|fuel| self.fuel < fuel);
        self.fuel += u64::from(has_fuel);
        if has_fuel && options.fuel == Some(self.fuel) {
            self.last = Some((pass.name, on.to_owned()));
        }
        has_fuel
    }

    fn count(&mut self, row: usize, changed: Changed) {
        self.passes[row].runs += 1;
        self.passes[row].changed += u64::from(changed == Changed::Yes);
    }
}

/// Facts of a module as it is; `heap` is what was found of allocated memory.
pub(crate) fn compute_summaries(module: &Module, heap: Heap) -> Summaries {
    let cfgs = Cfg::compute_all(module);
    let graph = CallGraph::compute_with(module, &cfgs);
    let effects = FuncEffects::compute_with(module, &graph, &cfgs);
    let statics = StaticFrames::compute(module, &graph, &cfgs);
    let roots: Vec<Func> = module.entry.map_or_else(|| module.funcs.keys().collect(), |entry| vec![entry]);
    let observes_msize = roots.iter().any(|func| effects.of_func(*func).contains(Effects::READ_MSIZE));
    let own_memory = match module.memory {
        MemoryModel::Frames => module.reserved,
        MemoryModel::NoFrame | MemoryModel::Unguarded => u64::MAX,
    };
    Summaries { graph, effects, statics, observes_msize, own_memory, heap }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testing::parse;
    use std::cell::Cell;

    fn rename(func: &mut Function, _: &mut PassContext<'_>) -> Changed {
        let is_new = !func.name.ends_with('!');
        if is_new {
            func.name.push('!');
        }
        Changed::from(is_new)
    }

    const RENAME: Pass = Pass {
        name: "rename",
        summary: "",
        needs: &[],
        preserves: &[],
        gives: &[],
        run: Run::Function(rename),
    };

    fn module() -> Module {
        parse(
            "module @m { func @a() { ^e: evm.stop } func @b() { ^e: evm.stop } module @n { func @c() { ^e: evm.stop } } }",
        )
    }

    fn names(module: &Module) -> Vec<&str> {
        module.funcs.values().chain(module.modules[0].funcs.values()).map(|func| func.name.as_str()).collect()
    }

    #[test]
    fn passes_run_on_nested_modules_and_are_counted() {
        let mut module = module();
        let report = run_passes(&mut module, &[RENAME, RENAME], &Options::default(), Hooks::default())
            .expect("no check");
        assert_eq!(names(&module), ["a!", "b!", "c!"]);
        let counts: Vec<_> = report.passes.iter().map(|row| (row.runs, row.changed)).collect();
        assert_eq!((counts, report.fuel), (vec![(3, 3), (3, 0)], 6));
    }

    #[test]
    fn fuel_stops_after_so_many_runs() {
        let mut module = module();
        let options = Options { fuel: Some(1), ..Options::default() };
        let report = run_passes(&mut module, &[RENAME], &options, Hooks::default()).expect("no check");
        assert_eq!(names(&module), ["a!", "b", "c"]);
        assert_eq!(report.last, Some(("rename", "a".to_owned())));
    }

    #[test]
    fn a_failed_check_names_the_pass() {
        let verify =
            |_: &Module, pass: &str| if pass == "rename" { Err("broken".to_owned()) } else { Ok(()) };
        let hooks = Hooks { verify: Some(&verify), ..Hooks::default() };
        let fault =
            run_passes(&mut module(), &[RENAME], &Options::default(), hooks).expect_err("the check fails");
        assert_eq!(fault.to_string(), "pass `rename` left an invalid module: broken");
    }

    #[test]
    fn time_is_taken_from_the_given_clock() {
        let ticks = Cell::new(0);
        let clock = || {
            ticks.set(ticks.get() + 1);
            Duration::from_secs(ticks.get())
        };
        let hooks = Hooks { clock: Some(&clock), ..Hooks::default() };
        let report = run_passes(&mut module(), &[RENAME], &Options::default(), hooks).expect("no check");
        assert_eq!(report.passes[0].time, Duration::from_secs(2));
    }
}
