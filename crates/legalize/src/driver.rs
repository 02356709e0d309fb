//! Runs the steps.

use crate::cx::Cx;
use crate::options::Options;
use crate::outline::outline;
use crate::report::{Report, Step};
use crate::runtime::Linked;
use crate::steps::composites::{leaves, lower_composites};
use crate::steps::edges::normalize_edges;
use crate::steps::operations::legalize_operations;
use crate::steps::order::order_blocks;
use crate::steps::phis::eliminate_phis;
use crate::steps::pointers::enforce_pointers;
use crate::steps::slots::hoist_slots;
use crate::steps::switches::normalize_switches;
use crate::steps::terminators::repair_terminators;
use crate::steps::types::legalize_types;
use crate::steps::unreachable::remove_unreachable;
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_ir::debug::drop_dead_traces;
use cairn_ir::verify::{Form, verify};
use cairn_ir::{Func, Function, Module};

/// Rounds after which a function must have reached canonical form. One round does the work and one
/// finds nothing left to do; the others are a margin.
pub const MAX_ROUNDS: usize = 8;

type Run = fn(&mut Function, &mut Cx<'_>);

/// The steps in order. Each relies on what those before it establish: all of them on terminators,
/// those on pointers and types on composites being gone,
/// phis on switches being gone (their edges cannot hold stores), edges on arguments being gone.
/// Unreachable code is removed first so that no step works for nothing.
const STEPS: [(Step, Run); 11] = [
    (Step::RepairTerminators, repair_terminators),
    (Step::RemoveUnreachable, remove_unreachable),
    (Step::LowerComposites, lower_composites),
    (Step::EnforcePointers, enforce_pointers),
    (Step::LegalizeTypes, legalize_types),
    (Step::LegalizeOperations, legalize_operations),
    (Step::NormalizeSwitches, normalize_switches),
    (Step::EliminatePhis, eliminate_phis),
    (Step::NormalizeEdges, normalize_edges),
    (Step::HoistSlots, hoist_slots),
    (Step::OrderBlocks, order_blocks),
];

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
    outline(module, options, report);
    let mut work: Vec<Func> = module.funcs.keys().collect();
    let mut linked = Linked::default();
    while !work.is_empty() {
        let params = module.funcs.values().map(|func| leaves(&func.signature.params)).collect();
        let mut callers = Vec::new();
        for id in work {
            let mut cx = Cx::new(options, module.memory, &params);
            legalize_function(&mut module.funcs[id], &mut cx);
            let is_rewritten = !cx.report.is_unchanged() && !cx.errors.has_errors();
            errors.extend(cx.errors);
            report.merge(cx.report);
            if cx.runtime.has_any() {
                callers.push((id, cx.runtime));
            } else if is_rewritten {
                // What was replaced takes as much memory as what replaced it.
                module.funcs[id].compact();
            }
        }
        work = linked.link(module, &callers);
    }
    module.funcs.values_mut().for_each(drop_dead_traces);
}

/// Legalizes one function. Nothing outside of it is looked at or changed.
fn legalize_function(func: &mut Function, cx: &mut Cx<'_>) {
    if func.layout.first_block().is_none() {
        cx.errors
            .push(Diagnostic::error(format!("function `@{}` has no block", func.name)).with_span(func.span));
        return;
    }
    for _ in 0..MAX_ROUNDS {
        let before = cx.report.total();
        for (step, run) in STEPS {
            cx.enter(step);
            run(func, cx);
            if cx.errors.has_errors() {
                return;
            }
        }
        if cx.report.total() == before {
            return;
        }
    }
    let message = format!("internal error: legalizing `@{}` did not end in {MAX_ROUNDS} rounds", func.name);
    cx.errors.push(Diagnostic::error(message).with_span(func.span));
}
