//! Exchanges that change nothing, or that fewer exchanges do.
//!
//! * `SWAP1 op` → `op` for commutative `op`; `LT` ↔ `GT`, `SLT` ↔ `SGT`.
//! * Two producers (pushes, leaf opcodes, `DUP`s) and `SWAP1` → the producers the other way round.
//! * `DUPn SWAPn` → `DUPn`.
//! * A run of `SWAP`s → the fewest that make the same permutation: a cycle through the top needs
//!   one less than its length, any other one more.

use super::facts::{dup_depth, is_movable_leaf, swap_depth};
use super::{Rewrite, last, op};
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind};
use cairn_evm::Opcode;
use smallvec::SmallVec;

/// Runs of exchanges longer than this are shortened piece by piece.
const MAX_RUN: usize = 24;

pub(super) fn apply(items: &[Item], _: &PassContext) -> Option<Rewrite> {
    commuted_operands(items).or_else(|| {
        swap_depth(items.last()?.kind)?;
        swapped_producers(items).or_else(|| swap_of_copy(items)).or_else(|| shorter_permutation(items))
    })
}

fn commuted_operands(items: &[Item]) -> Option<Rewrite> {
    let [ItemKind::Op(Opcode::SWAP1), ItemKind::Op(opcode)] = last(items)? else { return None };
    Rewrite::new(2, [op(opcode.with_swapped_operands()?)])
}

/// Both producers see the stack without the other's word: depths of `DUP`s change by one.
fn swapped_producers(items: &[Item]) -> Option<Rewrite> {
    let [first, second, ItemKind::Op(Opcode::SWAP1)] = last(items)? else { return None };
    let lowered = match dup_depth(*second) {
        Some(1) => return None,
        Some(depth) => op(Opcode::dup(depth - 1)),
        None if is_movable_leaf(*second) => *second,
        None => return None,
    };
    let raised = match dup_depth(*first) {
        Some(16) => return None,
        Some(depth) => op(Opcode::dup(depth + 1)),
        None if is_movable_leaf(*first) => *first,
        None => return None,
    };
    Rewrite::new(3, [lowered, raised])
}

fn swap_of_copy(items: &[Item]) -> Option<Rewrite> {
    let [copy, swap] = last(items)?;
    (dup_depth(*copy)? == swap_depth(*swap)?).then(|| Rewrite::new(2, [*copy]))?
}

fn shorter_permutation(items: &[Item]) -> Option<Rewrite> {
    let depths: SmallVec<[usize; MAX_RUN]> =
        items.iter().rev().take(MAX_RUN).map_while(|item| swap_depth(item.kind)).map(usize::from).collect();
    if depths.len() < 2 {
        return None;
    }
    let mut wanted: [usize; 17] = std::array::from_fn(|position| position);
    for depth in depths.iter().rev() {
        wanted.swap(0, *depth);
    }
    let swaps = fewest_swaps(&wanted);
    (swaps.len() < depths.len())
        .then(|| Rewrite::new(depths.len(), swaps.into_iter().map(|depth| op(Opcode::swap(depth)))))?
}

/// The exchanges with the top that turn the identity into `wanted`.
fn fewest_swaps(wanted: &[usize; 17]) -> SmallVec<[u8; 24]> {
    let mut current: [usize; 17] = std::array::from_fn(|position| position);
    let mut swaps = SmallVec::new();
    loop {
        let top_belongs = wanted.iter().position(|word| *word == current[0]).filter(|position| *position > 0);
        let misplaced = || (1..17).find(|position| current[*position] != wanted[*position]);
        let Some(depth) = top_belongs.or_else(misplaced) else { return swaps };
        current.swap(0, depth);
        swaps.push(depth as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_kept, expect_rewritten};
    use super::fewest_swaps;

    #[test]
    fn swap_before_commutative_operations() {
        expect_rewritten("SWAP1 ADD", "ADD");
        expect_rewritten("SWAP1 EQ", "EQ");
        expect_rewritten("SWAP1 LT", "GT");
        expect_rewritten("SWAP1 SGT", "SLT");
        expect_kept("SWAP1 SUB");
        expect_kept("SWAP2 ADD");
        expect_kept("SWAP1 ADDMOD");
    }

    #[test]
    fn swapped_producers() {
        expect_rewritten("CALLER ADDRESS SWAP1", "ADDRESS CALLER");
        expect_rewritten("DUP3 5 SWAP1", "5 DUP4");
        expect_rewritten("5 DUP3 SWAP1", "DUP2 5");
        expect_rewritten("DUP2 DUP4 SWAP1", "DUP3 DUP3");
        expect_kept("DUP16 5 SWAP1");
        expect_kept("GAS 5 SWAP1");
        expect_kept("MLOAD 5 SWAP1");
    }

    #[test]
    fn swap_of_a_copy_with_its_original() {
        expect_rewritten("DUP1 SWAP1", "DUP1");
        expect_rewritten("DUP7 SWAP7", "DUP7");
        expect_kept("DUP7 SWAP6");
    }

    #[test]
    fn permutations() {
        expect_rewritten("SWAP3 SWAP3", "");
        expect_rewritten("SWAP1 SWAP2 SWAP1 SWAP2", "SWAP2 SWAP1");
        expect_kept("SWAP1 SWAP2 SWAP1");
        expect_kept("SWAP1 SWAP2 SWAP3");
        expect_kept("SWAP1 SWAP2 SWAP3 SWAP1");
    }

    /// Breadth-first over all permutations of six words.
    #[test]
    fn the_fewest_swaps() {
        let start: [usize; 17] = std::array::from_fn(|position| position);
        let mut distances = std::collections::BTreeMap::from([(start, 0)]);
        let mut frontier = vec![start];
        while let Some(known) = frontier.first().copied() {
            frontier.remove(0);
            assert_eq!(fewest_swaps(&known).len(), distances[&known]);
            for depth in 1..6 {
                let mut next = known;
                next.swap(0, depth);
                if !distances.contains_key(&next) {
                    distances.insert(next, distances[&known] + 1);
                    frontier.push(next);
                }
            }
        }
        assert_eq!(distances.len(), 720);
    }
}
