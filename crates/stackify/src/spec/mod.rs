//! The literal rules of the stackifier specification, as the reference for correctness.
//!
//! Values used across blocks live in memory, others on the stack; constants are pushed where they
//! are used; at block borders the stack holds the return address only. A value that is out of
//! reach is sent to memory and the function scheduled again: at most three times, then every value
//! goes to memory, where nothing is out of reach, if the function has the plain convention:
//! - parameters lie in the order in which they are stored, results of calls are stored from the top;
//! - operands are pushed one by one, each an immediate or a load, so no `DUP` is needed;
//! - between instructions nothing but the return address is on the stack, so no dead word is dug out;
//! - the return address is swapped past at most 16 results; past more it goes through memory.
//!
//! What is left can only be too much for the EVM's stack: words that a call of the function itself
//! must save on it, which is an error that says so.

mod block;
mod calls;
pub(crate) mod homes;
mod live;

use crate::code::{Convention, FuncCode, ModuleCode, ScheduledFunc};
use crate::context::ModuleCx;
use crate::convention::plain_conventions;
use crate::explain::homes_in_order;
use crate::parallel;
use crate::prepare::{prepare, take_traces};
use block::{BlockScheduler, FuncCx};
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_ir::{Block, Func, Function, MemoryModel, SecondaryMap};
use cranelift_entity::EntitySet;
use homes::{Forced, Homes};

/// Rounds before every value goes to memory.
const MAX_ROUNDS: u32 = 3;

/// Schedules every function that the entry function reaches.
///
/// # Errors
/// Functions that need frame memory in a module that has no room for it.
pub fn schedule(cx: &ModuleCx<'_>) -> Result<ModuleCode, Diagnostics> {
    let conventions = plain_conventions(cx);
    let mut code = ModuleCode::new();
    let mut faults = Diagnostics::default();
    let results = parallel::map(cx.options.threads, &cx.funcs, |id| schedule_func(cx, &conventions, *id));
    for (id, result) in cx.funcs.iter().zip(results) {
        match result {
            Ok(scheduled) => code[*id] = Some(scheduled),
            Err(diagnostics) => faults.extend(diagnostics),
        }
    }
    if faults.has_errors() { Err(faults) } else { Ok(code) }
}

/// Schedules one function, whatever the others are scheduled by.
///
/// # Errors
/// As [`schedule`].
pub(crate) fn schedule_func(
    cx: &ModuleCx<'_>,
    conventions: &SecondaryMap<Func, Convention>,
    id: Func,
) -> Result<ScheduledFunc, Diagnostics> {
    let mut func = prepare(&cx.module.funcs[id])?;
    check_params(&func)?;
    let traces = take_traces(&mut func);
    let blocks = executed_blocks(cx, &func);
    let mut forced = Forced::Values(EntitySet::new());
    for round in 0.. {
        let homes = homes::decide(cx, id, &func, &blocks, &forced);
        check_frame_allowed(cx, &func, &homes)?;
        let saves = live::Saves::compute(cx, id, &func, &homes, &blocks)?;
        let reach = cx.options.reach();
        let func_cx =
            FuncCx { module: cx, conventions, id, func: &func, homes: &homes, saves: &saves, reach };
        let mut scheduler = BlockScheduler::new(func_cx);
        let blocks = blocks.iter().map(|block| scheduler.schedule(*block)).collect();
        let too_deep = scheduler.too_deep;
        if too_deep.is_empty() {
            let explained = match cx.wants_homes() {
                true => homes_in_order(&func, |value| homes.explain(value)),
                false => Vec::new(),
            };
            let convention = conventions[id].clone();
            let code = FuncCode { blocks, frame: homes.frame, convention, homes: explained };
            return Ok(ScheduledFunc { func, code, traces });
        }
        match &mut forced {
            Forced::Values(values) if round + 1 < MAX_ROUNDS => values.extend(too_deep.iter()),
            Forced::Values(_) => forced = Forced::All,
            Forced::All => unreachable!("invariant: values in memory are never out of reach"),
        }
    }
    unreachable!("invariant: the loop ends by returning")
}

/// Canonical form has parameters on the entry block alone.
fn check_params(func: &Function) -> Result<(), Diagnostics> {
    let has_params = |block: &Block| !func.dfg.params(*block).is_empty();
    let Some(block) = func.layout.blocks().skip(1).find(has_params) else { return Ok(()) };
    let text = format!("a block of function `{}` has parameters, which is not canonical", func.name);
    Err(Diagnostic::error(text)
        .with_span(func.block_place(block))
        .with_help("run the legalizer first")
        .into())
}

/// Blocks that can be executed, in depth-first order: a successor follows when its last
/// predecessor on the path was left.
fn executed_blocks(cx: &ModuleCx<'_>, func: &Function) -> Vec<Block> {
    let entry = func.layout.entry();
    let mut seen: EntitySet<Block> = EntitySet::new();
    let mut order = Vec::new();
    let mut worklist = vec![entry];
    while let Some(block) = worklist.pop() {
        if !seen.insert(block) {
            continue;
        }
        order.push(block);
        if cx.last_executed(func, block).is_some() {
            continue;
        }
        let from = worklist.len();
        func.for_each_successor(block, |next| worklist.push(next));
        worklist[from..].reverse();
    }
    order
}

fn check_frame_allowed(cx: &ModuleCx<'_>, func: &Function, homes: &Homes) -> Result<(), Diagnostics> {
    if cx.module.memory == MemoryModel::Frames || homes.frame.is_empty() {
        return Ok(());
    }
    let count = homes.frame.len();
    let words = if count == 1 { "one value" } else { &format!("{count} values") };
    let text =
        format!("function `{}` must keep {words} in memory, but all memory is the program's", func.name);
    Err(Diagnostic::error(text)
        .with_span(func.span)
        .with_note("the literal stackifier keeps every value that is used across blocks in memory")
        .with_help("reserve memory with `memoryguard`, or build without `--spec`")
        .into())
}
