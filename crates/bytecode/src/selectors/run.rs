//! Runs blocks of a dispatcher.

use super::Walk;
use super::word::{Stack, Word, apply, pushed};
use crate::decode::{Instruction, instructions};
use crate::optable::OpKind;
use cairn_evm::Word as Number;
use cairn_evm::{Opcode, STACK_LIMIT};
use smallvec::SmallVec;

/// Where the first word of the calldata is stored that makes the first word of memory the selector.
const SELECTOR_STORED_AT: u32 = 28;

/// What a block ends with.
pub(super) enum End {
    /// Control falls into the next block.
    Fall(u32),
    /// Control jumps there, or where is not known, or ends.
    Jump(Option<u32>),
    /// Control jumps to what stands behind the jump.
    Next(u32),
    /// Control jumps to one of these: entries of a table, or places in a row.
    OneOf(SmallVec<[u32; 8]>),
    /// Control jumps to where a row of a table in the code says.
    Row(u32),
    /// On a condition to the first, otherwise to the second.
    Branch(Word, Option<u32>, u32),
    /// With `REVERT`.
    Revert,
}

/// What a block does besides.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen {
    pub(super) copies_code: bool,
    /// It reads the first word of the calldata, but finds zero there when the call has wei: then it is none of
    /// the cases.
    pub(super) reads_unless_paid: bool,
}

impl Walk<'_> {
    /// Runs a block that reads no tables.
    pub(super) fn run(&self, pc: u32, stack: &mut Stack) -> End {
        self.run_block(pc, stack, &[]).0
    }

    /// Runs a block, given what it loads from tables.
    pub(super) fn run_block(&self, pc: u32, stack: &mut Stack, loads: &[(u32, Number)]) -> (End, Seen) {
        let mut seen = Seen::default();
        let end = self.run_until_end(pc, stack, |inst, stack| {
            seen.copies_code |= inst.opcode == Opcode::CODECOPY;
            if let Some(top @ Word::CalldataUnlessValue) = stack.last_mut() {
                *top = Word::Calldata;
                seen.reads_unless_paid = true;
            }
            let load = loads.iter().find(|(at, _)| *at == inst.pc);
            if let (Some((_, word)), Some(top)) = (load, stack.last_mut()) {
                *top = u64::try_from(*word).map_or(Word::Other, Word::Row);
            }
        });
        (end, seen)
    }

    /// Runs a block, and something behind each instruction that is neither arithmetic nor control.
    fn run_until_end(
        &self,
        pc: u32,
        stack: &mut Stack,
        mut behind: impl FnMut(&Instruction<'_>, &mut Stack),
    ) -> End {
        for inst in instructions(self.code, pc, self.code.len() as u32).take(self.left.get() as usize) {
            self.left.set(self.left.get() - 1);
            let facts = self.table[usize::from(inst.opcode.0)];
            if stack.len() < usize::from(facts.inputs) || stack.len() > STACK_LIMIT {
                return End::Jump(None);
            }
            match facts.kind {
                OpKind::Push => stack.push(pushed(inst.pc, inst.data, inst.opcode)),
                OpKind::JumpDest if inst.pc == pc => {}
                OpKind::JumpDest => return End::Fall(inst.pc),
                OpKind::Jump => {
                    return match stack.pop() {
                        Some(Word::Entry(table, limit)) => End::OneOf(self.entries_of(table, limit)),
                        Some(Word::Place(places)) => End::OneOf(places.all().collect()),
                        Some(Word::Row(row)) => self.row_target(row).map_or(End::Jump(None), End::Row),
                        word => match word.and_then(|word| self.target(word)) {
                            Some(pc) if pc == inst.next_pc() => End::Next(pc),
                            target => End::Jump(target),
                        },
                    };
                }
                OpKind::JumpI => {
                    let target = stack.pop().and_then(|word| self.target(word));
                    return End::Branch(stack.pop().unwrap_or(Word::Other), target, inst.next_pc());
                }
                OpKind::Halt if inst.opcode == Opcode::REVERT => return End::Revert,
                OpKind::Halt | OpKind::Undefined => return End::Jump(None),
                OpKind::Dup => stack.push(stack[stack.len() - usize::from(facts.inputs)]),
                OpKind::Swap => {
                    let top = stack.len() - 1;
                    stack.swap(top, top + 1 - usize::from(facts.inputs));
                }
                OpKind::And | OpKind::Arithmetic | OpKind::Pc | OpKind::CodeSize => {
                    apply(inst.opcode, facts, stack);
                }
                OpKind::Plain => {
                    let is_selector = self.loads_selector(inst.opcode, stack);
                    apply(inst.opcode, facts, stack);
                    if let (true, Some(top)) = (is_selector, stack.last_mut()) {
                        *top = Word::Selector;
                    }
                    behind(&inst, stack);
                }
            }
        }
        End::Jump(None)
    }

    /// True where the selector is loaded from memory: Vyper before 0.3.1 stores the first word of the calldata so that
    /// the first word of memory ends with its first four bytes.
    fn loads_selector(&self, op: Opcode, stack: &Stack) -> bool {
        match (op, stack.as_slice()) {
            (Opcode::MSTORE, [.., Word::Calldata, Word::Const(SELECTOR_STORED_AT)]) => {
                self.is_selector_stored.set(true);
                false
            }
            (Opcode::MLOAD, [.., Word::Const(0)]) => self.is_selector_stored.get(),
            _ => false,
        }
    }

    /// Where a jump to a part of a row goes.
    fn row_target(&self, row: u64) -> Option<u32> {
        u32::try_from(row).ok().filter(|pc| self.targets.contains(*pc as usize))
    }

    /// Where a jump to the word goes.
    pub(super) fn target(&self, word: Word) -> Option<u32> {
        let (Word::Const(pc) | Word::Four(pc)) = word else { return None };
        self.targets.contains(pc as usize).then_some(pc)
    }
}
