//! Where jumps may go, without decoding all of the code.
//!
//! Contract: the same answers as a sweep from offset 0. Cost: a question looks at some bytes before
//! the offset, as far as it takes to be sure where an instruction begins; where that is far, all of
//! the code is swept, once.

use crate::optable::OpTable;
use crate::pc_set::PcSet;
use cairn_evm::Opcode;
use std::borrow::Cow;
use std::cell::OnceCell;

/// The longest data of a push.
const MAX_DATA: usize = 32;
/// Bytes that are looked at for one question before all of the code is.
const FAR: usize = 256;

pub(crate) struct JumpTargets<'a> {
    pub(crate) code: &'a [u8],
    pub(crate) table: &'a OpTable,
    /// All of them, once they were needed.
    all: OnceCell<Cow<'a, PcSet>>,
}

impl<'a> JumpTargets<'a> {
    pub(crate) fn new(code: &'a [u8], table: &'a OpTable) -> JumpTargets<'a> {
        JumpTargets { code, table, all: OnceCell::new() }
    }

    /// The same where all of them are known.
    pub(crate) fn known(code: &'a [u8], table: &'a OpTable, all: &'a PcSet) -> JumpTargets<'a> {
        JumpTargets { code, table, all: OnceCell::from(Cow::Borrowed(all)) }
    }

    /// True for a `JUMPDEST` that is no data of a push.
    pub(crate) fn contains(&self, pc: usize) -> bool {
        if self.code.get(pc).is_none_or(|byte| Opcode(*byte) != Opcode::JUMPDEST) {
            return false;
        }
        if let Some(all) = self.all.get() {
            return all.contains(pc);
        }
        match self.start_before(pc) {
            Some(start) => self.sweep(start, pc) == pc,
            None => self.all.get_or_init(|| Cow::Owned(PcSet::jumpdests(self.code, self.table))).contains(pc),
        }
    }

    /// An offset not far before `pc` where an instruction surely begins: no byte before it is a push
    /// over it, even if it is read as one.
    fn start_before(&self, pc: usize) -> Option<usize> {
        let mut start = pc;
        loop {
            let from = start.saturating_sub(MAX_DATA);
            let before = self.code[from..start].iter().zip(from..);
            let mut over = before.filter(|(byte, place)| place + self.width(**byte) > start);
            match over.next() {
                None => return Some(start),
                Some(_) if pc - from > FAR => return None,
                Some((_, place)) => start = place,
            }
        }
    }

    /// The first beginning of an instruction from `pc` on, if instructions begin at `start`.
    fn sweep(&self, start: usize, pc: usize) -> usize {
        let mut at = start;
        while at < pc {
            at += self.width(self.code[at]);
        }
        at
    }

    /// Bytes of the instruction that begins with `byte`.
    fn width(&self, byte: u8) -> usize {
        1 + usize::from(self.table[usize::from(byte)].immediate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Blocks;
    use crate::optable::table_of;
    use cairn_evm::Fork;

    #[test]
    fn data_of_a_push_is_no_target() {
        let table = table_of(Fork::default());
        // PUSH2 5b5b, JUMPDEST; then data that looks like a push over the `JUMPDEST`.
        let code = [0x61, 0x5b, 0x5b, 0x5b, 0x60, 0x61, 0x5b];
        let targets = JumpTargets::new(&code, &table);
        let found: Vec<bool> = (0..8).map(|pc| targets.contains(pc)).collect();
        assert_eq!(found, [false, false, false, true, false, false, true, false]);
    }

    #[test]
    fn answers_are_those_of_a_sweep() {
        let table = table_of(Fork::default());
        // Pushes and `JUMPDEST`s in all kinds of places, and long stretches of pushes alone.
        let bytes = [0x5b, 0x60, 0x61, 0x7f, 0x5b, 0x00, 0x73, 0x5b];
        for seed in 1..64u32 {
            let byte = |at: u32| bytes[(at.wrapping_mul(seed * 2_654_435) >> 20) as usize % bytes.len()];
            let mut code: Vec<u8> = (0..600).map(byte).collect();
            if seed % 3 == 0 {
                code[50..400].fill(0x7f);
            }
            let (blocks, targets) = (Blocks::compute(&code, &table), JumpTargets::new(&code, &table));
            for pc in 0..code.len() as u32 + 40 {
                assert_eq!(targets.contains(pc as usize), blocks.jump_target(pc).is_some(), "{seed} {pc}");
            }
        }
    }
}
