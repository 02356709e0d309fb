//! The copy that is called, and the calls.
//!
//! The place to return to is on top when the copy begins, and has to be there again when it ends.
//! Words that the run takes are brought above it first, by `SWAPk … SWAP1`; the words that it
//! leaves are brought below it by `SWAP1 … SWAPq`. A `DUP` of a word beneath reaches one deeper.

use super::Outlined;
use crate::passes::flow::stack_effect;
use crate::passes::places::Places;
use crate::program::{Item, ItemKind, JumpKind, Label, Program};
use cairn_evm::Opcode;
use rustc_hash::FxHashMap;

/// Words that a run may take or leave: each costs an exchange.
const MAX_WORDS: usize = 6;

/// The deepest word that `DUP` reaches.
const REACH: isize = 16;

/// What a run does to the stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// Words taken.
    takes: usize,
    /// Words left in their place.
    leaves: usize,
}

impl Shape {
    /// The longest beginning of a run that can be called: its shape and length.
    pub(super) fn of_longest(items: &[Item]) -> Option<(Shape, usize)> {
        let mut longest = None;
        // Places are relative to the top before the run, the word on top there being −1.
        let (mut height, mut lowest) = (0, 0);
        let mut out_of_reach = 0;
        for (index, item) in items.iter().enumerate() {
            let (touched, change) = effect(item.kind)?;
            if let Some(copied) = dup_depth(item.kind).filter(|depth| *depth == REACH) {
                out_of_reach = out_of_reach.min(height - copied);
            }
            lowest = lowest.min(height - touched);
            height += change;
            let shape = Shape { takes: lowest.unsigned_abs(), leaves: (height - lowest).unsigned_abs() };
            if shape.takes > MAX_WORDS {
                break;
            }
            if shape.leaves <= MAX_WORDS && out_of_reach >= lowest {
                longest = Some((shape, index + 1));
            }
        }
        longest
    }

    /// Exchanges that the copy needs around the run.
    pub(super) fn exchanges(self) -> usize {
        self.takes + self.leaves
    }

    /// Bytes of the copy beside those of the run: `JUMPDEST`, exchanges, `JUMP`.
    pub(super) fn overhead(self) -> u64 {
        self.exchanges() as u64 + 2
    }
}

/// The words from the top that an item takes or exchanges, and by how much the stack grows.
fn effect(kind: ItemKind) -> Option<(isize, isize)> {
    if let ItemKind::Op(opcode) = kind {
        if opcode.dup_depth().is_some() {
            return Some((0, 1));
        }
        if let Some(depth) = opcode.swap_depth() {
            return Some((isize::from(depth) + 1, 0));
        }
    }
    let (inputs, outputs) = stack_effect(kind)?;
    Some((inputs as isize, outputs as isize - inputs as isize))
}

fn dup_depth(kind: ItemKind) -> Option<isize> {
    match kind {
        ItemKind::Op(opcode) => opcode.dup_depth().map(isize::from),
        _ => None,
    }
}

/// Replaces the runs by calls and puts the copies behind all other code, which ends in a terminator.
pub(super) fn rewrite(program: &mut Program, outlined: &[Outlined]) {
    let mut calls: FxHashMap<usize, (Label, usize)> = FxHashMap::default();
    let mut copies = Vec::new();
    let places = Places::new(program);
    for one in outlined {
        let entry = program.new_label();
        let first = one.sites[0];
        for site in &one.sites[1..] {
            places.join(program, first..first + one.length, *site..*site + one.length);
        }
        copies.push(Item::from(ItemKind::Label(entry)));
        write_copy(&program.items[first..first + one.length], one.shape, &mut copies);
        calls.extend(one.sites.iter().map(|site| (*site, (entry, one.length))));
    }
    let items = std::mem::take(&mut program.items);
    let mut output = Vec::with_capacity(items.len());
    let mut index = 0;
    while let Some(item) = items.get(index) {
        let Some((entry, length)) = calls.get(&index) else {
            output.push(*item);
            index += 1;
            continue;
        };
        let back = program.new_label();
        let call = [
            ItemKind::PushLabel(back),
            ItemKind::PushLabel(*entry),
            ItemKind::Op(Opcode::JUMP),
            ItemKind::Label(back),
        ];
        output.extend(call.map(|kind| Item { kind, jump: JumpKind::Plain, ..*item }));
        index += length;
    }
    output.extend(copies);
    program.items = output;
}

/// Writes the run with the place to return to beneath, and the jump there. What is not of the run has no location
/// in the source.
fn write_copy(run: &[Item], shape: Shape, output: &mut Vec<Item>) {
    let swap = |depth: usize| Item::from(Opcode::swap(depth as u8));
    output.extend((1..=shape.takes).rev().map(swap));
    let mut height = shape.takes as isize;
    for item in run {
        let kind = match dup_depth(item.kind) {
            Some(depth) if depth > height => ItemKind::Op(Opcode::dup(depth as u8 + 1)),
            _ => item.kind,
        };
        output.push(Item { kind, ..*item });
        height += effect(item.kind).map_or(0, |(_, change)| change);
    }
    output.extend((1..=shape.leaves).map(swap));
    output.push(Opcode::JUMP.into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::flow::testing::program;
    use cairn_diag::SourceLoc;

    fn shape(text: &str) -> Option<(usize, usize, usize)> {
        Shape::of_longest(&program(text).items).map(|(shape, length)| (shape.takes, shape.leaves, length))
    }

    fn copy(text: &str) -> Vec<Item> {
        let items = program(text).items;
        let (shape, length) = Shape::of_longest(&items).expect("a shape");
        let mut output = Vec::new();
        write_copy(&items[..length], shape, &mut output);
        output
    }

    #[test]
    fn shapes() {
        assert_eq!(shape("1 2"), Some((0, 2, 2)));
        assert_eq!(shape("ADD 1 SSTORE"), Some((2, 0, 3)));
        assert_eq!(shape("DUP3 DUP3 MSTORE"), Some((0, 0, 3)));
        assert_eq!(shape("SWAP2 POP"), Some((3, 2, 2)));
        assert_eq!(shape("1 1 1 1 1 1 1"), Some((0, 6, 6)));
        assert_eq!(shape("1 SWAP8"), Some((0, 1, 1)));
    }

    #[test]
    fn a_copy_has_the_places_that_hold_for_all_its_sites() {
        let mut program = program("1 2 STOP 1 2 STOP");
        let at = |start, end| SourceLoc { source: 0, start, end };
        program.locs = vec![at(0, 9), at(1, 2), at(3, 4)];
        for (item, loc) in program.items.iter_mut().zip([1, 0, 0, 2, 0, 0]) {
            item.loc = Some(loc);
        }
        let outlined = Outlined { sites: vec![0, 3], length: 2, shape: Shape { takes: 0, leaves: 2 } };
        rewrite(&mut program, &[outlined]);
        let copy = program.items.iter().rev().take(5).map(|item| item.loc).collect::<Vec<_>>();
        assert_eq!(copy, [None, None, None, Some(0), Some(0)]);
    }

    #[test]
    fn words_beneath_stay_in_reach() {
        assert_eq!(shape("1 DUP16 SSTORE"), Some((0, 1, 1)));
        assert_eq!(shape("DUP15 SLOAD"), Some((0, 1, 2)));
        assert_eq!(shape("POP POP 1 DUP16"), Some((2, 1, 3)));
    }

    #[test]
    fn copies_keep_the_place_to_return_to() {
        assert_eq!(copy("1 2"), program("1 2 SWAP1 SWAP2 JUMP").items);
        assert_eq!(copy("ADD 1 SSTORE"), program("SWAP2 SWAP1 ADD 1 SSTORE JUMP").items);
        assert_eq!(copy("1 DUP2 DUP2 MSTORE POP"), program("1 DUP3 DUP2 MSTORE POP JUMP").items);
        assert_eq!(copy("SLOAD DUP1 DUP3 SSTORE"), program("SWAP1 SLOAD DUP1 DUP4 SSTORE SWAP1 JUMP").items);
    }
}
