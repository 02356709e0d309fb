//! Runs passes on a program and its sub-objects.

use super::pass::{Level, Pass, PassContext, PassOptions};
use super::pipeline::{FINAL_PASSES, PASSES, max_rounds};
use crate::program::Program;
use cairn_evm::CostModel;
use std::collections::BTreeMap;

/// How often each pass changed something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassReport {
    /// Changes by name of the pass.
    pub changes: BTreeMap<&'static str, usize>,
    /// The most rounds that an object took.
    pub rounds: usize,
}

/// Runs all passes of a level on `program` and its sub-objects.
///
/// ```
/// use cairn_asm::{ItemKind, PassOptions, Program, run_passes};
/// use cairn_evm::Opcode;
///
/// let mut program = Program::new("main");
/// for opcode in [Opcode::CALLER, Opcode::CALLVALUE, Opcode::SWAP1, Opcode::SSTORE] {
///     program.push_item(ItemKind::Op(opcode));
/// }
/// run_passes(&mut program, &PassOptions::default());
/// let opcodes = [Opcode::CALLVALUE, Opcode::CALLER, Opcode::SSTORE].map(ItemKind::Op);
/// assert!(program.items.iter().map(|item| item.kind).eq(opcodes));
/// ```
pub fn run_passes(program: &mut Program, options: &PassOptions) -> PassReport {
    let mut report = PassReport::default();
    for_each_object(program, options, &mut |object, cx| run_level(object, options.level, cx, &mut report));
    report
}

/// Runs some passes once each, in their order, on `program` and its sub-objects.
pub fn run_selected(program: &mut Program, passes: &[Pass], options: &PassOptions) -> PassReport {
    let mut report = PassReport { rounds: 1, ..PassReport::default() };
    for_each_object(program, options, &mut |object, cx| {
        passes.iter().for_each(|pass| _ = run_pass(object, pass, cx, &mut report));
    });
    report
}

/// Visits a program and its sub-objects, with what their code costs: some is executed once.
///
/// Prices do not depend on what embeds an object: a contract that deployed code creates has the bytes that it
/// has alone, although they are deposited with that code and run whenever it creates one. Otherwise the hash of
/// its creation code, and so its `CREATE2` address, would not be that of its own artifact.
fn for_each_object(
    program: &mut Program,
    options: &PassOptions,
    run: &mut dyn FnMut(&mut Program, &PassContext),
) {
    let mut pending = vec![&mut *program];
    let mut is_root = true;
    while let Some(object) = pending.pop() {
        let creates = object.subs.iter().any(|sub| sub.name == format!("{}_deployed", object.name));
        let cost = if creates || (is_root && !object.subs.is_empty()) {
            CostModel::creation(options.fork)
        } else {
            CostModel::deployed(options.runs)
        };
        is_root = false;
        run(object, &PassContext { fork: options.fork, cost, strict_stack: options.strict_stack });
        pending.extend(&mut object.subs);
    }
}

fn run_level(object: &mut Program, level: Level, cx: &PassContext, report: &mut PassReport) {
    let passes: Vec<&Pass> = PASSES.iter().filter(|pass| pass.level <= level).collect();
    // How many passes in a row found nothing: when all did, none will.
    let mut idle = 0;
    for (turn, pass) in passes.iter().cycle().take(max_rounds(level) * passes.len()).enumerate() {
        report.rounds = report.rounds.max(turn / passes.len() + 1);
        let changes = run_pass(object, pass, cx, report);
        idle = if changes > 0 { 0 } else { idle + 1 };
        if idle == passes.len() {
            break;
        }
    }
    for pass in FINAL_PASSES.iter().filter(|pass| pass.level <= level) {
        run_pass(object, pass, cx, report);
    }
}

fn run_pass(object: &mut Program, pass: &Pass, cx: &PassContext, report: &mut PassReport) -> usize {
    let changes = (pass.run)(object, cx);
    *report.changes.entry(pass.name).or_default() += changes;
    changes
}
