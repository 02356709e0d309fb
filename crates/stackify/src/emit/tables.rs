//! Jumps through tables.
//!
//! ```text
//! …  DUP2 PUSH 24 SHR PUSH 0xf0 AND                         (which entry)
//! …  PUSH table(…) DUP3 PUSH 24 SHR PUSH 0xf0 AND SHR PUSH 0xffff AND JUMP
//! ```
//!
//! The table is pushed before what tells the entry is computed, where that is the last thing that the
//! code does; else above it, and exchanged.

use super::Emitter;
use cairn_asm::{Item, ItemKind, JumpKind, Label};
use cairn_evm::{Opcode, word};
use cairn_ir::table;

impl Emitter<'_> {
    /// Jumps to the entry that the top of the stack names, by its distance from the lowest bit.
    pub(super) fn jump_through(&mut self, entries: Vec<Label>) {
        let table = ItemKind::PushTable(self.program.add_table(entries));
        match raised(&self.program.items) {
            Some((first, computed)) => {
                self.program.items.truncate(first);
                self.push(table);
                self.program.items.extend(computed);
            }
            None => {
                self.push(table);
                self.push(ItemKind::Op(Opcode::SWAP1));
            }
        }
        self.push(ItemKind::Op(Opcode::SHR));
        self.push(ItemKind::Push(word::low_mask(table::STRIDE)));
        self.push(ItemKind::Op(Opcode::AND));
        self.push_jump(Opcode::JUMP, JumpKind::Plain);
    }
}

/// The last items that compute the top of the stack of copies and constants, as they are with one more
/// word beneath, and where they begin.
fn raised(items: &[Item]) -> Option<(usize, Vec<Item>)> {
    // Words that are still to be made by the items before.
    let mut missing = 1;
    let mut first = items.len();
    while missing > 0 {
        first = first.checked_sub(1)?;
        let (taken, left) = effect(items[first].kind)?;
        missing = (missing + taken).checked_sub(left)?;
    }
    let mut height = 0;
    let mut raised = Vec::with_capacity(items.len() - first);
    for item in &items[first..] {
        let (taken, left) = effect(item.kind)?;
        let kind = match dup_depth(item.kind) {
            Some(depth) if usize::from(depth) > height => {
                ItemKind::dup(u16::from(depth) + 1).filter(|kind| matches!(kind, ItemKind::Op(_)))?
            }
            _ => item.kind,
        };
        raised.push(Item { kind, ..*item });
        height = (height + left).checked_sub(taken)?;
    }
    Some((first, raised))
}

fn dup_depth(kind: ItemKind) -> Option<u8> {
    let ItemKind::Op(opcode) = kind else { return None };
    opcode.dup_depth()
}

/// Words taken and left by copies, pushes and arithmetic; `None` for everything else.
fn effect(kind: ItemKind) -> Option<(usize, usize)> {
    match kind {
        ItemKind::Op(opcode) if opcode.dup_depth().is_some() => Some((0, 1)),
        ItemKind::Op(opcode) if opcode.is_arithmetic() => {
            let info = opcode.info()?;
            Some((usize::from(info.inputs), usize::from(info.outputs)))
        }
        kind => kind.is_push().then_some((0, 1)),
    }
}
