//! `merge-blocks`: one copy of equal blocks that end in a jump or halt.
//!
//! Effect: of labelled blocks without inner labels that are equal up to their own label, all
//! labels go to one. That is one that control falls into, if there is such a block; the others
//! become unreachable unless control falls into them too.
//! Blocks that jump to merged blocks can become equal: [`ROUNDS`] rounds are made.
//! Cost: linear a round. Verbatim items are compared by their bytes.

use super::flow::Aliases;
use super::pass::{Level, Pass, PassContext};
use super::places::Places;
use crate::program::{Item, ItemKind, Label, Program};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;

const ROUNDS: usize = 8;

/// Stands for a block's own label in comparisons.
const OWN: Label = Label(u32::MAX);

struct Block {
    label: Label,
    body: Range<usize>,
    fallen_into: bool,
}

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "merge-blocks",
    summary: "one copy of equal blocks that end in a jump or halt",
    level: Level::Quick,
    run,
};

fn run(program: &mut Program, _: &PassContext) -> usize {
    unify_blobs(program);
    let blocks = find_blocks(&program.items);
    let mut aliases = Aliases::new(program);
    let mut joined = Vec::new();
    for _ in 0..ROUNDS {
        let before = joined.len();
        let mut known: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (index, block) in blocks.iter().enumerate() {
            let candidates = known.entry(hash(program, block, &mut aliases)).or_default();
            let equal =
                candidates.iter().position(|other| is_equal(program, &blocks[*other], block, &mut aliases));
            let Some(place) = equal else {
                candidates.push(index);
                continue;
            };
            let other = &blocks[candidates[place]];
            let (kept, gone) = match block.fallen_into && !other.fallen_into {
                true => (block, other),
                false => (other, block),
            };
            if aliases.redirect(gone.label, kept.label) {
                joined.push((kept.body.clone(), gone.body.clone()));
            }
            if std::ptr::eq(kept, block) {
                candidates[place] = index;
            }
        }
        if joined.len() == before {
            break;
        }
    }
    if !joined.is_empty() {
        let places = Places::new(program);
        joined.into_iter().for_each(|(kept, gone)| places.join(program, kept, gone));
    }
    aliases.apply(program)
}

/// Lets verbatim items of equal bytes use the same blob.
fn unify_blobs(program: &mut Program) {
    let mut first: FxHashMap<&[u8], u32> = FxHashMap::default();
    let ids: Vec<u32> =
        (0..).zip(&program.blobs).map(|(id, bytes)| *first.entry(bytes).or_insert(id)).collect();
    for item in &mut program.items {
        if let ItemKind::Verbatim { blob, .. } = &mut item.kind {
            *blob = ids[*blob as usize];
        }
    }
}

fn find_blocks(items: &[Item]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(Label, usize)> = None;
    for (index, item) in items.iter().enumerate() {
        if let ItemKind::Label(label) = item.kind {
            open = Some((label, index));
        }
        if !item.kind.is_terminator() {
            continue;
        }
        if let Some((label, start)) = open.take() {
            let fallen_into = start == 0 || !items[start - 1].kind.is_terminator();
            blocks.push(Block { label, body: start + 1..index + 1, fallen_into });
        }
    }
    blocks
}

/// The items of a block as they are compared.
fn body<'a>(
    program: &'a Program,
    block: &'a Block,
    aliases: &'a mut Aliases,
) -> impl Iterator<Item = ItemKind> + 'a {
    let own = aliases.resolve(block.label);
    program.items[block.body.clone()].iter().map(move |item| match item.kind {
        ItemKind::PushLabel(label) => {
            let label = aliases.resolve(label);
            ItemKind::PushLabel(if label == own { OWN } else { label })
        }
        kind => kind,
    })
}

fn hash(program: &Program, block: &Block, aliases: &mut Aliases) -> u64 {
    let mut hasher = FxHasher::default();
    body(program, block, aliases).for_each(|kind| kind.hash(&mut hasher));
    hasher.finish()
}

fn is_equal(program: &Program, one: &Block, other: &Block, aliases: &mut Aliases) -> bool {
    let first: Vec<ItemKind> = body(program, one, aliases).collect();
    one.body.len() == other.body.len() && body(program, other, aliases).eq(first)
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept, program};
    use crate::passes::pass::PassContext;
    use crate::program::ItemKind;
    use cairn_evm::CostModel;
    use cairn_evm::Fork;

    #[test]
    fn equal_blocks() {
        expect(
            run,
            "L0 JUMPI L1 JUMPI STOP L0: 0 0 REVERT L1: 0 0 REVERT",
            "L0 JUMPI L0 JUMPI STOP L0: 0 0 REVERT L1: 0 0 REVERT",
        );
    }

    #[test]
    fn blocks_that_become_equal() {
        expect(
            run,
            "L0 L1 JUMP L0: CALLER L2 JUMP L1: CALLER L3 JUMP L2: 0 0 REVERT L3: 0 0 REVERT",
            "L0 L0 JUMP L0: CALLER L2 JUMP L1: CALLER L2 JUMP L2: 0 0 REVERT L3: 0 0 REVERT",
        );
    }

    #[test]
    fn equal_loops() {
        expect(
            run,
            "L0 L1 JUMP L0: CALLER L0 JUMP L1: CALLER L1 JUMP",
            "L0 L0 JUMP L0: CALLER L0 JUMP L1: CALLER L0 JUMP",
        );
    }

    #[test]
    fn the_block_that_is_fallen_into_stays() {
        expect(
            run,
            "L0 JUMPI STOP L0: 0 0 REVERT L1: CALLER L2: 0 0 REVERT L3: L0 L2 JUMP",
            "L2 JUMPI STOP L0: 0 0 REVERT L1: CALLER L2: 0 0 REVERT L3: L2 L2 JUMP",
        );
    }

    #[test]
    fn different_blocks() {
        expect_kept(run, "L0 L1 JUMP L0: 0 0 REVERT L1: 0 1 REVERT");
        expect_kept(run, "L0 L1 JUMP L0: CALLER L0 JUMP L1: CALLER L0 JUMP");
        expect_kept(run, "L0 L1 JUMP L0: CALLER L2: STOP L1: CALLER L3: CALLER STOP");
    }

    #[test]
    fn verbatim_is_compared_by_bytes() {
        let merged = |blobs: [u8; 2]| {
            let mut program = program("L0 L1 JUMP L0: CALLER STOP L1: CALLER STOP");
            program.blobs = blobs.iter().map(|byte| vec![*byte]).collect();
            program.items[4].kind = ItemKind::Verbatim { blob: 0, inputs: 0, outputs: 0 };
            program.items[7].kind = ItemKind::Verbatim { blob: 1, inputs: 0, outputs: 0 };
            run(&mut program, &PassContext::new(Fork::Osaka, CostModel::deployed(200)))
        };
        assert_eq!((merged([1, 1]), merged([1, 2])), (1, 0));
    }
}
