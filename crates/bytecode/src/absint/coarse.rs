//! The result when nothing is known of stacks.
//!
//! Every `JUMPDEST` is reached, with any stack. A jump to a constant that its own block pushes is
//! resolved; every other goes to every `JUMPDEST`.

use super::engine::{FoundEdge, JumpFacts};
use super::outcome::Outcome;
use super::subject::Subject;
use super::summary::{Precision, Summarizer};
use super::value::SetPool;
use crate::blocks::{BlockEnd, BlockId, Blocks};

pub(crate) fn collect(subject: Subject<'_>) -> Outcome {
    let blocks = subject.blocks;
    let mut outcome = Outcome {
        jumps: vec![JumpFacts::default(); blocks.len()],
        heights: vec![None; blocks.len()],
        reached: reached(blocks),
        is_coarse: true,
        asks_for_end: true,
        ..Outcome::default()
    };
    let mut summarizer = Summarizer::new(subject, Precision::Labels);
    let (mut pool, mut arena) = (SetPool::default(), Vec::new());
    for (id, block) in blocks.list().iter().enumerate() {
        let jumps = matches!(block.ends, BlockEnd::Jump | BlockEnd::JumpI);
        if !jumps || !outcome.reached[id] {
            continue;
        }
        arena.clear();
        let target = summarizer.summarize(block, &mut pool, &mut arena).target;
        let facts = &mut outcome.jumps[id];
        match target.and_then(|target| target.as_const()) {
            Some(pc) => match blocks.jump_target(pc) {
                Some(to) => {
                    let from = id as BlockId;
                    outcome.edges.push(FoundEdge {
                        from,
                        to,
                        is_call: false,
                        words_above_next: None,
                        return_to: None,
                    });
                }
                None if subject.is_behind(pc) => facts.is_unresolved = true,
                None => facts.is_invalid = true,
            },
            None => facts.is_unresolved = true,
        }
    }
    outcome
}

/// The entry, every `JUMPDEST`, and what they fall through to.
fn reached(blocks: &Blocks) -> Vec<bool> {
    let mut reached = vec![false; blocks.len()];
    for (id, block) in blocks.list().iter().enumerate() {
        let falls = id > 0 && {
            let before = &blocks.list()[id - 1];
            reached[id - 1] && matches!(before.ends, BlockEnd::Fallthrough | BlockEnd::JumpI)
        };
        reached[id] = id == 0 || block.is_jump_target || falls;
    }
    reached
}
