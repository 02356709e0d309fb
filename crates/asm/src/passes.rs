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
mod peephole;
mod place_near;
mod place_segments;
mod places;
mod remove_unreachable;
mod resolve_returns;
mod share_ends;
mod skip_jumps;
mod thread_jumps;

pub use cost::CostModel;
pub use encode_constants::word_cost;

use crate::program::Program;
use cairn_evm::Fork;
use std::collections::BTreeMap;

/// How much is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing.
    None,
    /// What makes code shorter and cheaper at once, block by block.
    Basic,
    /// Everything, trading gas against bytes as [`PassOptions::runs`] says.
    #[default]
    Full,
}

/// What the passes aim for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassOptions {
    /// Decides which opcodes exist.
    pub fork: Fork,
    /// Expected executions of deployed code.
    pub runs: u64,
    /// How much is done.
    pub level: Level,
}

impl Default for PassOptions {
    fn default() -> Self {
        PassOptions { fork: Fork::default(), runs: 200, level: Level::default() }
    }
}

/// What a pass needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassContext {
    pub(crate) fork: Fork,
    pub(crate) cost: CostModel,
}

/// One pass.
#[derive(Clone, Copy)]
pub struct PassInfo {
    /// Name in kebab case.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The lowest level that runs it.
    pub level: Level,
    run: fn(&mut Program, &PassContext) -> usize,
}

/// Rounds at most.
pub const MAX_ROUNDS: usize = 8;

/// The passes of a round, in order.
pub const PASSES: &[PassInfo] = &[
    PassInfo {
        name: "peephole",
        summary: "rewrites short runs of instructions",
        level: Level::Basic,
        run: peephole::run,
    },
    PassInfo {
        name: "thread-jumps",
        summary: "jumps to jumps go to the last target",
        level: Level::Basic,
        run: thread_jumps::run,
    },
    PassInfo {
        name: "resolve-returns",
        summary: "a return to a label that the same code pushed becomes a jump to it",
        level: Level::Basic,
        run: resolve_returns::run,
    },
    PassInfo {
        name: "skip-jumps",
        summary: "jumps to the next instruction vanish; branches over a jump take its target",
        level: Level::Basic,
        run: skip_jumps::run,
    },
    PassInfo {
        name: "remove-unreachable",
        summary: "removes code that nothing reaches and labels that nothing uses",
        level: Level::Basic,
        run: remove_unreachable::run,
    },
    PassInfo {
        name: "merge-blocks",
        summary: "one copy of equal blocks that end in a jump or halt",
        level: Level::Full,
        run: merge_blocks::run,
    },
    PassInfo {
        name: "merge-tails",
        summary: "one copy of equal ends of code, where that pays",
        level: Level::Full,
        run: merge_tails::run,
    },
    PassInfo {
        name: "share-ends",
        summary: "a branch over an end of code that stands elsewhere, too, goes there",
        level: Level::Full,
        run: share_ends::run,
    },
    PassInfo {
        name: "copy-targets",
        summary: "a jump to a short end of code becomes a copy of it, where that pays",
        level: Level::Full,
        run: copy_targets::run,
    },
    PassInfo {
        name: "place-segments",
        summary: "puts the target of a jump behind the jump, which then vanishes",
        level: Level::Full,
        run: place_segments::run,
    },
];

/// The passes after all rounds, in order.
pub const FINAL_PASSES: &[PassInfo] = &[
    PassInfo {
        name: "outline",
        summary: "one copy of equal runs of code inside blocks, called where they stood",
        level: Level::Full,
        run: outline::run,
    },
    PassInfo {
        name: "encode-constants",
        summary: "computes constants where that is cheaper than pushing their bytes",
        level: Level::Full,
        run: encode_constants::run,
    },
    PassInfo {
        name: "place-near",
        summary: "puts what is jumped to most often where its position fits one byte",
        level: Level::Full,
        run: place_near::run,
    },
];

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
    let passes: Vec<&PassInfo> = PASSES.iter().filter(|pass| pass.level <= level).collect();
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
