//! Clean-ups of stack code: what can be seen on the items alone, without the IR they came from.
//!
//! Every pass keeps what the program does, apart from gas and the place of things in code. They
//! rely on one convention: labels, offsets and sizes are used as such (labels are only jumped to,
//! nothing computes with the distance of two places, `PC` isn't read for its value), and verbatim
//! bytes neither jump nor read the stack beyond their declared inputs.
//!
//! Order (the table [`PASSES`]) and its reasons: peepholes first, since shorter code has more
//! equal blocks; threading before merging, since it makes targets equal; placing after merging,
//! since a block that was merged away needs no place; unreachable code is removed after everything
//! that makes some. Rounds repeat until no pass finds anything, at most [`MAX_ROUNDS`] times. The
//! [`FINAL_PASSES`] run once after them, for the rounds would undo what they do.

mod copy_targets;
mod cost;
mod encode_constants;
mod flow;
mod merge_blocks;
mod merge_tails;
mod outline;
mod pass;
mod peephole;
mod place_near;
mod place_segments;
mod places;
mod remove_unreachable;
mod resolve_returns;
mod share_ends;
mod skip_jumps;
mod thread_jumps;

pub use encode_constants::word_cost;
pub use pass::{Level, Pass, PassOptions};

use crate::program::Program;
use cairn_evm::CostModel;
use pass::PassContext;
use std::collections::BTreeMap;

/// Rounds at most.
pub const MAX_ROUNDS: usize = 8;

/// The passes of a round, in order.
pub const PASSES: &[Pass] = &[
    peephole::PASS,
    thread_jumps::PASS,
    resolve_returns::PASS,
    skip_jumps::PASS,
    remove_unreachable::PASS,
    merge_blocks::PASS,
    merge_tails::PASS,
    share_ends::PASS,
    copy_targets::PASS,
    place_segments::PASS,
];

/// The passes after all rounds, in order.
pub const FINAL_PASSES: &[Pass] = &[outline::PASS, encode_constants::PASS, place_near::PASS];

/// How often each pass changed something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassReport {
    /// Changes by name of the pass.
    pub changes: BTreeMap<&'static str, usize>,
    /// The most rounds that an object took.
    pub rounds: usize,
}

/// Runs all passes on `program` and its sub-objects.
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
        run_on_object(object, options.level, &PassContext { fork: options.fork, cost }, &mut report);
        pending.extend(&mut object.subs);
    }
    report
}

fn run_on_object(object: &mut Program, level: Level, cx: &PassContext, report: &mut PassReport) {
    let passes: Vec<&Pass> = PASSES.iter().filter(|pass| pass.level <= level).collect();
    // How many passes in a row found nothing: when all did, none will.
    let mut idle = 0;
    for (turn, pass) in passes.iter().cycle().take(MAX_ROUNDS * passes.len()).enumerate() {
        report.rounds = report.rounds.max(turn / passes.len() + 1);
        let changes = (pass.run)(object, cx);
        *report.changes.entry(pass.name).or_default() += changes;
        idle = if changes > 0 { 0 } else { idle + 1 };
        if idle == passes.len() {
            break;
        }
    }
    for pass in FINAL_PASSES.iter().filter(|pass| pass.level <= level) {
        *report.changes.entry(pass.name).or_default() += (pass.run)(object, cx);
    }
}
