//! Short runs of stack operations, replaced by the cheapest run with the same result.
//!
//! Definitions. A *run* is at most [`MAX_RUN`] copies, exchanges, drops (none deeper than
//! [`MAX_DEPTH`]) and at most one movable leaf. Its *result* is the stack it leaves, as a list of
//! words it found and the leaf. Runs of up to two operations are kept in a table by result, the
//! cheapest for each. A third operation at the end of a better run is guessed from the result: an
//! exchange undone, a copy or leaf on top taken away. A better run has no more operations, costs no
//! more gas, and is better in one of the two.
//!
//! Cost: the table has some hundred entries and is made once. What is found for a run is kept, so
//! that mostly a run costs one look-up.

use super::facts::{dup_depth, is_movable_leaf, swap_depth};
use super::{Rewrite, op};
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind};
use cairn_evm::Opcode;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::OnceLock;

const MAX_RUN: usize = 5;
const MAX_DEPTH: u8 = 9;

/// Words that a run can reach: so many are on the stack before it.
const WORDS: usize = MAX_DEPTH as usize + MAX_RUN;

/// Stands for the leaf in a result; words are numbered from the bottom.
const LEAF: u8 = u8::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StackOp {
    Dup(u8),
    Swap(u8),
    Pop,
    Leaf,
}

type Run = SmallVec<[StackOp; MAX_RUN]>;

/// The stack after a run, bottom first.
type Words = SmallVec<[u8; WORDS + MAX_RUN]>;

pub(super) fn apply(items: &[Item], _: &PassContext) -> Option<Rewrite> {
    let window = Window::of_last(items)?;
    let (length, better) = ANSWERS.with_borrow_mut(|answers| window.find_better(answers))?;
    let kinds = better.iter().map(|operation| item_kind(*operation, window.leaf));
    Rewrite::new(length, kinds.collect::<Option<SmallVec<[ItemKind; MAX_RUN]>>>()?)
}

/// The longest run that code ends with.
struct Window {
    /// Last operation first.
    operations: Run,
    leaf: Option<ItemKind>,
}

impl Window {
    /// `None` if it is a single operation, which is never replaced.
    fn of_last(items: &[Item]) -> Option<Window> {
        let mut window = Window { operations: Run::new(), leaf: None };
        for item in items.iter().rev().take(MAX_RUN) {
            let Some(operation) = window.stack_op(item.kind) else { break };
            if operation == StackOp::Leaf {
                window.leaf = Some(item.kind);
            }
            window.operations.push(operation);
        }
        (window.operations.len() > 1).then_some(window)
    }

    /// The operation that an item is, if it may be part of the run, which has one leaf at most.
    fn stack_op(&self, kind: ItemKind) -> Option<StackOp> {
        if matches!(kind, ItemKind::Op(Opcode::POP)) {
            return Some(StackOp::Pop);
        }
        if let Some(depth) = dup_depth(kind) {
            return (depth <= MAX_DEPTH).then_some(StackOp::Dup(depth));
        }
        if let Some(depth) = swap_depth(kind) {
            return (depth <= MAX_DEPTH).then_some(StackOp::Swap(depth));
        }
        (self.leaf.is_none() && is_movable_leaf(kind)).then_some(StackOp::Leaf)
    }

    /// The shortest run at the end for which there is a better one: its length and the better one.
    fn find_better(&self, answers: &mut FxHashMap<u32, Option<Run>>) -> Option<(usize, Run)> {
        if answers.len() >= MEMORY {
            answers.clear();
        }
        let mut key = code(self.operations[0]);
        (2..=self.operations.len()).find_map(|length| {
            key |= code(self.operations[length - 1]) << (5 * (length - 1));
            let better = answers.entry(key).or_insert_with(|| {
                let run: Run = self.operations[..length].iter().rev().copied().collect();
                shorter(&result(&run)?, cost(&run))
            });
            better.clone().map(|better| (length, better))
        })
    }
}

/// So many answers are remembered at most.
const MEMORY: usize = 1 << 16;

thread_local! {
    /// A better run for each that was asked for, if there is one. The [`code`] of the last
    /// operation stands in the lowest bits of a key.
    static ANSWERS: RefCell<FxHashMap<u32, Option<Run>>> = RefCell::default();
}

/// A number below 32, not 0.
fn code(operation: StackOp) -> u32 {
    match operation {
        StackOp::Pop => 1,
        StackOp::Leaf => 2,
        StackOp::Dup(depth) => 2 + u32::from(depth),
        StackOp::Swap(depth) => 2 + u32::from(MAX_DEPTH) + u32::from(depth),
    }
}

fn item_kind(operation: StackOp, leaf: Option<ItemKind>) -> Option<ItemKind> {
    match operation {
        StackOp::Dup(depth) => Some(op(Opcode::dup(depth))),
        StackOp::Swap(depth) => Some(op(Opcode::swap(depth))),
        StackOp::Pop => Some(op(Opcode::POP)),
        StackOp::Leaf => leaf,
    }
}

/// Gas and number of operations. A leaf counts as any operation: no better run has more of them.
fn cost(run: &Run) -> (usize, usize) {
    let drops = run.iter().filter(|operation| **operation == StackOp::Pop).count();
    (3 * run.len() - drops, run.len())
}

fn is_better(cost: (usize, usize), than: (usize, usize)) -> bool {
    cost.0 <= than.0 && cost.1 <= than.1 && cost != than
}

/// What a run leaves; `None` if it reaches below the words.
fn result(run: &Run) -> Option<Words> {
    let mut words: Words = (0..WORDS as u8).collect();
    run.iter().try_for_each(|operation| execute(*operation, &mut words))?;
    Some(words)
}

fn execute(operation: StackOp, words: &mut Words) -> Option<()> {
    let top = words.len().checked_sub(1)?;
    match operation {
        StackOp::Dup(depth) => words.push(words[(top + 1).checked_sub(usize::from(depth))?]),
        StackOp::Swap(depth) => words.swap(top, top.checked_sub(usize::from(depth))?),
        StackOp::Pop => _ = words.pop(),
        StackOp::Leaf => words.push(LEAF),
    }
    Some(())
}

/// The cheapest known run with this result that is better than `bound`.
fn shorter(words: &Words, bound: (usize, usize)) -> Option<Run> {
    let table = TABLE.get_or_init(make_table);
    let mut best = table.get(words).cloned();
    for ending in endings(words) {
        let Some(start) = before(words, ending).and_then(|words| table.get(&words)) else { continue };
        let mut run = start.clone();
        run.push(ending);
        if best.as_ref().is_none_or(|best| cost(&run) < cost(best)) {
            best = Some(run);
        }
    }
    best.filter(|best| is_better(cost(best), bound))
}

/// Operations that a run with this result could end with.
fn endings(words: &Words) -> impl Iterator<Item = StackOp> {
    let top = words.len() - 1;
    let copied = (1..=MAX_DEPTH).filter(move |depth| usize::from(*depth) <= top);
    let copies: SmallVec<[StackOp; 4]> =
        copied.filter(|depth| words[top - usize::from(*depth)] == words[top]).map(StackOp::Dup).collect();
    let leaf = (words[top] == LEAF).then_some(StackOp::Leaf);
    (1..=MAX_DEPTH).map(StackOp::Swap).chain(copies).chain(leaf)
}

/// The stack before the last operation.
fn before(words: &Words, ending: StackOp) -> Option<Words> {
    let mut words = words.clone();
    match ending {
        StackOp::Swap(_) => execute(ending, &mut words)?,
        StackOp::Dup(_) | StackOp::Leaf => _ = words.pop(),
        StackOp::Pop => return None,
    }
    Some(words)
}

static TABLE: OnceLock<FxHashMap<Words, Run>> = OnceLock::new();

/// All runs of at most two operations by their results. Shorter runs come first and stay, so do
/// those with a drop or leaf in the place of a copy or exchange.
fn make_table() -> FxHashMap<Words, Run> {
    let copies = (1..=MAX_DEPTH).map(StackOp::Dup);
    let exchanges = (1..=MAX_DEPTH).map(StackOp::Swap);
    let operations: Vec<StackOp> =
        [StackOp::Pop, StackOp::Leaf].into_iter().chain(copies).chain(exchanges).collect();
    let mut runs: Vec<Run> = vec![Run::new()];
    runs.extend(operations.iter().map(|first| Run::from_slice(&[*first])));
    for first in &operations {
        runs.extend(operations.iter().map(|second| Run::from_slice(&[*first, *second])));
    }
    let mut table = FxHashMap::default();
    for run in runs {
        let leaves = run.iter().filter(|operation| **operation == StackOp::Leaf).count();
        if let Some(words) = result(&run).filter(|_| leaves <= 1) {
            table.entry(words).or_insert(run);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_kept, expect_rewritten};

    #[test]
    fn copies_made_earlier() {
        expect_rewritten("DUP1 SWAP2 SWAP1", "SWAP1 DUP2");
        expect_rewritten("7 DUP1 SWAP2 SWAP1", "7 SWAP1 DUP2");
        expect_rewritten("SWAP1 DUP1 SWAP2", "DUP2 SWAP1");
        expect_rewritten("DUP3 SWAP1 DUP3 SWAP1", "DUP2 DUP4 SWAP2");
    }

    #[test]
    fn words_pushed_later() {
        expect_rewritten("7 SWAP1 SWAP2 SWAP1", "SWAP1 7");
        expect_rewritten("7 DUP5 SWAP2 SWAP1", "DUP4 SWAP1 7");
        expect_rewritten("7 SWAP1 SWAP3 POP", "SWAP2 POP 7");
    }

    #[test]
    fn runs_that_are_as_short_as_can_be() {
        expect_kept("SWAP2 SWAP1");
        expect_kept("DUP1 SWAP2");
        expect_kept("SWAP1 SWAP2 SWAP1");
        expect_kept("GAS SWAP1 SWAP2 SWAP1");
        expect_kept("DUP1 SWAP10 SWAP1");
    }
}
