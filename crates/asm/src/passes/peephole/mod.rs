//! `peephole`: rewrites short runs of instructions.
//!
//! Effect: each rule looks at the last items of the code written so far and may replace them by
//! cheaper ones; replacements are looked at again. So one walk over the code reaches a fixpoint.
//! Preserves: stack, memory, storage and control flow at the end of each rewritten run.
//! Cost: linear; the number of rewrites is bounded by [`REWRITES_PER_ITEM`].
//!
//! A rule never makes code worse under the cost model, and a run with a label in it never matches.

mod bytes;
mod conditions;
mod constants;
mod copies;
mod facts;
mod identities;
mod pops;
mod swaps;
mod windows;

use super::pass::{Level, Pass, PassContext};
use crate::program::{Item, ItemKind, JumpKind, Program};
use cairn_evm::Opcode;
use smallvec::SmallVec;

/// What to do with the last items.
#[derive(Debug, PartialEq)]
pub(crate) struct Rewrite {
    /// How many are replaced.
    remove: usize,
    /// By what.
    insert: SmallVec<[ItemKind; 4]>,
}

impl Rewrite {
    fn new(remove: usize, insert: impl IntoIterator<Item = ItemKind>) -> Option<Rewrite> {
        Some(Rewrite { remove, insert: insert.into_iter().collect() })
    }
}

type Rule = fn(&[Item], &PassContext) -> Option<Rewrite>;

/// The rules that can match code that ends in this item, in the order in which they are tried.
fn rules_for(last: ItemKind) -> &'static [Rule] {
    let ItemKind::Op(opcode) = last else {
        return if last.is_push() { &[copies::apply, windows::apply] } else { &[] };
    };
    match opcode {
        Opcode::POP => &[pops::apply, windows::apply],
        _ if opcode.swap_depth().is_some() => &[swaps::apply, windows::apply],
        _ if opcode.dup_depth().is_some() => &[copies::apply, windows::apply],
        _ => match opcode.info().map(|info| info.inputs) {
            None => &[],
            Some(0) => &[copies::apply, windows::apply],
            Some(_) => &[swaps::apply, conditions::apply, identities::apply, bytes::apply, constants::apply],
        },
    }
}

/// Bound on the number of rewrites.
const REWRITES_PER_ITEM: usize = 16;

/// See the head of this module.
pub(super) const PASS: Pass =
    Pass { name: "peephole", summary: "rewrites short runs of instructions", level: Level::Basic, run };

fn run(program: &mut Program, cx: &PassContext) -> usize {
    let input = std::mem::take(&mut program.items);
    let mut fuel = input.len().saturating_mul(REWRITES_PER_ITEM);
    let mut rewrites = 0;
    let mut output: Vec<Item> = Vec::with_capacity(input.len());
    let mut again: Vec<Item> = Vec::new();
    for item in input {
        let mut next = Some(item);
        while let Some(current) = next {
            output.push(current);
            if let Some(rewrite) = find_rewrite(&output, cx).filter(|_| fuel > 0) {
                fuel -= 1;
                rewrites += 1;
                output.truncate(output.len() - rewrite.remove);
                again.extend(rewrite.insert.into_iter().rev().map(|kind| like(current, kind)));
            }
            next = again.pop();
        }
    }
    program.items = output;
    rewrites
}

fn find_rewrite(output: &[Item], cx: &PassContext) -> Option<Rewrite> {
    rules_for(output.last()?.kind).iter().find_map(|rule| rule(output, cx))
}

/// An item of this kind with the debug information of another.
fn like(item: Item, kind: ItemKind) -> Item {
    let is_jump = matches!(kind, ItemKind::Op(Opcode::JUMP | Opcode::JUMPI));
    Item { kind, jump: if is_jump { item.jump } else { JumpKind::Plain }, ..item }
}

/// The kinds of the last `N` items.
fn last<const N: usize>(items: &[Item]) -> Option<[&ItemKind; N]> {
    Some(items.last_chunk::<N>()?.each_ref().map(|item| &item.kind))
}

fn op(opcode: Opcode) -> ItemKind {
    ItemKind::Op(opcode)
}

#[cfg(test)]
mod testing;
