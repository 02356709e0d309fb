//! Allocated buffers that are written only: what is stored there goes.
//!
//! ```text
//! %p = evm.mload 64                              %p = evm.mload 64
//! evm.mstore %p, %size                           %end = …
//! evm.returndatacopy (%p + 32), 0, %size   =>    evm.mstore 64, %end
//! %end = …
//! evm.mstore 64, %end
//! ```
//!
//! Nobody reads through the word that was loaded for the buffer. Others may have loaded the same word: before, until
//! the pointer was moved last, and behind, until it is moved. None of them reads behind the load of the buffer, on
//! any way; of what callers loaded, and callees before, that is trusted (A19). Behind the move the next who loads
//! the pointer finds another.
//!
//! Cost: some blocks around each such load.

use super::around::moved;
use super::functions::Scene;
use super::parts::Origin;
use cairn_ir::{Block, Inst, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Blocks that are looked at around a load.
const MAX_BLOCKS: usize = 64;

/// The buffers of a function.
pub(super) struct Unread<'a> {
    pub(super) scene: Scene<'a>,
}

impl Unread<'_> {
    /// The stores that go.
    pub(super) fn stores(&self) -> Vec<Inst> {
        let mut known: FxHashMap<Origin, bool> = FxHashMap::default();
        let insts = self.scene.cfg.rpo().iter().flat_map(|block| self.scene.func.layout.insts(*block));
        let goes = |inst: &Inst| {
            let buffer = self.scene.buffers.only_written_by(self.scene.func, *inst);
            buffer.is_some_and(|buffer| *known.entry(buffer).or_insert_with(|| self.is_unread(buffer)))
        };
        insts.filter(goes).collect()
    }

    /// True if nobody else reads what lies in a buffer that is not read itself.
    fn is_unread(&self, buffer: Origin) -> bool {
        let Some(load) = self.scene.func.dfg.def_inst(self.scene.buffers.value(buffer)) else { return false };
        let Some(block) = self.scene.func.layout.inst_block(load) else { return false };
        let others = self.loaded_before(block, load);
        others.is_some_and(|others| {
            let is_known = others.iter().all(|other| !self.scene.buffers.fate(*other).escapes);
            is_known && self.is_not_read_behind(block, load, &others)
        })
    }

    /// Other loads before a load that may have found the same pointer; nothing if callees may have.
    fn loaded_before(&self, block: Block, load: Inst) -> Option<Vec<Origin>> {
        let (mut loaded, mut seen) = (Vec::new(), FxHashSet::default());
        let mut work = vec![(block, self.scene.func.layout.prev_inst(load))];
        while let Some((block, mut next)) = work.pop() {
            let mut is_open = true;
            while let Some(inst) = next.filter(|_| is_open) {
                next = self.scene.func.layout.prev_inst(inst);
                if let Some(origin) = self.scene.buffers.loaded_at(self.scene.func, inst) {
                    loaded.push(origin);
                } else if self.scene.callees.reads(self.scene.access, self.scene.id, block, inst) {
                    return None;
                }
                is_open = !self.moves(inst);
            }
            for before in self.scene.cfg.preds(block).iter().filter(|_| is_open) {
                if seen.insert(*before) {
                    work.push((*before, self.scene.func.layout.last_inst(*before)));
                }
            }
            if seen.len() > MAX_BLOCKS {
                return None;
            }
        }
        Some(loaded)
    }

    /// True if on all ways behind a load none of some other buffers is read, and nobody looks at the pointer, or
    /// returns, before it is moved.
    fn is_not_read_behind(&self, block: Block, load: Inst, others: &[Origin]) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![(block, self.scene.func.layout.next_inst(load), false)];
        while let Some((block, mut next, mut is_moved)) = work.pop() {
            while let Some(inst) = next {
                next = self.scene.func.layout.next_inst(inst);
                if self.scene.buffers.may_read(self.scene.func, inst, self.scene.callees, others) {
                    return false;
                }
                let is_seen = self.scene.callees.reads(self.scene.access, self.scene.id, block, inst)
                    || self.scene.func.dfg.op(inst) == Op::Iret;
                if !is_moved && is_seen {
                    return false;
                }
                is_moved |= self.moves(inst);
            }
            for behind in self.scene.cfg.succs(block) {
                if seen.insert((*behind, is_moved)) {
                    work.push((*behind, self.scene.func.layout.first_inst(*behind), is_moved));
                }
            }
            if seen.len() > MAX_BLOCKS {
                return false;
            }
        }
        true
    }

    /// True for an instruction that surely moves the pointer.
    fn moves(&self, inst: Inst) -> bool {
        moved(self.scene.func, inst, self.scene.callees).is_some()
    }
}
