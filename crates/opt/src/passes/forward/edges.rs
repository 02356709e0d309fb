//! Where loads are put: at the ends of blocks that lead on to one block only.

use super::facts::Space;
use super::{Forward, MAX_WAYS};
use crate::edit::{constant_before, copy_inst, split_edge};
use crate::memory::Place;
use cairn_analysis::Cfg;
use cairn_evm::Opcode;
use cairn_ir::{Block, Function, Inst, Op, Value, ValueDef};
use smallvec::SmallVec;

/// Puts blocks on edges where loads may be put: where a branch enters a loop whose head loads from storage, and where
/// it leads to a join that does. True if there were any.
pub(super) fn split_edges(func: &mut Function, cfg: &Cfg) -> bool {
    let mut changed = false;
    for block in cfg.rpo() {
        let preds = cfg.preds(*block);
        if preds.len() < 2 || !func.layout.insts(*block).any(|inst| load_space(func, inst).is_some()) {
            continue;
        }
        let is_forward = |pred: &&Block| !cfg.is_retreating(**pred, *block);
        let ways: SmallVec<[Block; MAX_WAYS]> = preds.iter().filter(is_forward).copied().collect();
        for before in ways.iter().filter(|_| ways.len() <= MAX_WAYS) {
            let is_branch = func.terminator(*before).is_some_and(|inst| func.dfg.op(inst) != Op::Br);
            let is_only_edge = ways.iter().filter(|other| *other == before).count() == 1;
            if is_branch && is_only_edge {
                split_edge(func, *before, *block);
                changed = true;
            }
        }
    }
    changed
}

/// Where a load looks whose words cost enough to be kept.
pub(super) fn load_space(func: &Function, inst: Inst) -> Option<Space> {
    match func.dfg.op(inst) {
        Op::Evm(Opcode::SLOAD) => Some(Space::Storage),
        Op::Evm(Opcode::TLOAD) => Some(Space::Transient),
        _ => None,
    }
}

impl Forward<'_> {
    /// The address that a load looks at, by the name that it has by now, and its place.
    pub(super) fn address_of(&self, load: Inst) -> (Value, Place) {
        let address = self.func.dfg.args(load)[0];
        let address = self.renaming[address].expand().unwrap_or(address);
        (address, self.place(address))
    }

    /// True for a constant, and for what is computed in a block of which this holds.
    pub(super) fn is_known_where(&self, value: Value, holds: impl Fn(Block) -> bool) -> bool {
        let block = match self.func.dfg.def(value) {
            ValueDef::Result(inst, _) => self.func.layout.inst_block(inst),
            ValueDef::Param(block, _) => Some(block),
        };
        self.func.dfg.as_const(value).is_some() || block.is_some_and(holds)
    }

    /// A load like another one, before an instruction at which its address is known.
    pub(super) fn load_before(&mut self, place: Inst, like: Inst, address: Value) -> Value {
        let address = match self.func.dfg.as_const(address) {
            Some(word) => constant_before(self.func, place, word),
            None => address,
        };
        let copy = copy_inst(self.func, like);
        self.func.dfg.args_mut(copy)[0] = address;
        self.func.dfg.inst_mut(copy).loc = self.func.dfg.inst(like).loc;
        self.func.layout.insert_inst_before(copy, place);
        self.func.dfg.result(copy)
    }
}
