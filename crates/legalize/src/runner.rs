//! Runs the passes.

use crate::apply_target;
use crate::context::PassContext;
use crate::options::Options;
use crate::outline::outline;
use crate::pass::{Leaves, Pass};
use crate::passes::lower_composites::leaves;
use crate::pipeline::{CLEANUP, PASSES};
use crate::report::Report;
use crate::runtime::Linked;
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_ir::debug::drop_dead_traces;
use cairn_ir::verify::{Form, verify};
use cairn_ir::{Func, Function, Module};

/// Rounds after which a function must have reached canonical form. One round does the work and one
/// finds nothing left to do; the others are a margin.
pub const MAX_ROUNDS: usize = 8;

/// Turns a module and the modules nested in it into canonical form.
///
/// # Errors
/// Faults of the input that no rewrite repairs, all of those found. The module is then in an
/// unspecified state.
pub fn legalize(module: &mut Module, options: &Options) -> Result<Report, Diagnostics> {
    let mut errors = match options.validate {
        true => verify(module, Form::Free),
        false => Diagnostics::default(),
    };
    if errors.has_errors() {
        return Err(errors);
    }
    let mut report = Report::default();
    let mut work: Vec<&mut Module> = vec![module];
    while let Some(module) = work.pop() {
        module.record_reserved();
        legalize_module(module, options, &mut report, &mut errors);
        work.extend(module.modules.iter_mut().rev());
    }
    match errors.has_errors() {
        true => Err(errors),
        false => Ok(report),
    }
}

/// Legalizes the functions of one module, with those that [`outline`] adds, then the routines of the
/// runtime that they call, which may call others.
fn legalize_module(module: &mut Module, options: &Options, report: &mut Report, errors: &mut Diagnostics) {
    apply_target::apply(module, options, report, errors);
    outline(module, options, report);
    let mut work: Vec<Func> = module.funcs.keys().collect();
    let mut linked = Linked::default();
    while !work.is_empty() {
        let params = module.funcs.values().map(|func| leaves(&func.signature.params)).collect();
        let mut callers = Vec::new();
        for id in work {
            let mut cx = PassContext::new(options, module.memory, &params);
            legalize_function(&mut module.funcs[id], &mut cx);
            let is_rewritten = !cx.report.is_unchanged() && !cx.errors.has_errors();
            errors.extend(cx.errors);
            report.merge(cx.report);
            if cx.runtime.has_any() {
                callers.push((id, cx.runtime));
            } else if is_rewritten {
                module.funcs[id].compact_sparse();
            }
        }
        work = linked.link(module, &callers);
    }
    module.funcs.values_mut().for_each(drop_dead_traces);
}

/// Legalizes one function. Nothing outside of it is looked at or changed.
fn legalize_function(func: &mut Function, cx: &mut PassContext<'_>) {
    if func.layout.first_block().is_none() {
        cx.errors
            .push(Diagnostic::error(format!("function `@{}` has no block", func.name)).with_span(func.span));
        return;
    }
    for round in 1..=MAX_ROUNDS {
        let before = cx.report.total();
        for pass in PASSES {
            run(pass, func, cx);
            if cx.errors.has_errors() {
                return;
            }
        }
        // A pass keeps what those before it gave, so the first round did the work: another one is a check.
        if cx.report.total() == before || !cx.options.validate {
            cx.report.rounds = round;
            return;
        }
    }
    let message = format!("internal error: legalizing `@{}` did not end in {MAX_ROUNDS} rounds", func.name);
    cx.errors.push(Diagnostic::error(message).with_span(func.span));
}

/// Runs a pass, and the cleanup where it may have left dead code.
fn run(pass: &Pass, func: &mut Function, cx: &mut PassContext<'_>) {
    let before = cx.report.total();
    cx.enter(pass.name);
    (pass.run)(func, cx);
    let is_rewritten = cx.report.total() != before && !cx.errors.has_errors();
    if is_rewritten && pass.leaves == Leaves::DeadCode {
        cx.enter(CLEANUP.name);
        (CLEANUP.run)(func, cx);
    }
}
