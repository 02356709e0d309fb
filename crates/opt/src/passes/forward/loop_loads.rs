//! Loads at the head of a loop that find the same in every round: done once, before the loop.
//!
//! The head runs at least once where the loop is entered, so no load is done that was not done before.
//! A word of memory is cheaper to load again than to carry along.

use super::facts::{Fact, Space, State, held, remember};
use super::{Forward, MAX_STATE};
use crate::memory::Place;
use cairn_analysis::{Cfg, LoopId};
use cairn_evm::Opcode;
use cairn_ir::{Block, Function, Inst, Op, Payload, Value, ValueDef};
use smallvec::SmallVec;

/// Loads of a loop's head that are moved: each keeps a word on the stack in all rounds.
const MAX_LOADS: usize = 4;

/// A load that may be done before a loop.
#[derive(Clone, Copy)]
pub(super) struct LoopLoad {
    load: Inst,
    space: Space,
    place: Place,
    address: Value,
}

pub(super) type LoopLoads = SmallVec<[LoopLoad; MAX_LOADS]>;

/// Puts blocks on edges where loads may be put: where a branch enters a loop whose head loads from storage, and where
/// it leads to a join that does. True if there were any.
pub(super) fn split_edges(func: &mut Function, cfg: &Cfg) -> bool {
    let mut changed = false;
    for block in cfg.rpo() {
        if !func.layout.insts(*block).any(|inst| load_space(func, inst).is_some()) {
            continue;
        }
        let is_outside = |pred: &&Block| !cfg.is_retreating(**pred, *block);
        let outside: SmallVec<[Block; 8]> = cfg.preds(*block).iter().filter(is_outside).copied().collect();
        if cfg.preds(*block).len() < 2 {
            continue;
        }
        for before in &outside {
            let branch = func.terminator(*before).filter(|inst| func.dfg.op(*inst) != Op::Br);
            let is_only = outside.iter().filter(|other| *other == before).count() == 1;
            if let Some(branch) = branch.filter(|_| is_only) {
                split_edge(func, *before, branch, *block);
                changed = true;
            }
        }
    }
    changed
}

/// Puts a block on the only edge of a branch to a block.
fn split_edge(func: &mut Function, from: Block, branch: Inst, to: Block) {
    let between = func.make_block();
    func.layout.insert_block_after(between, from);
    let mut passed = Vec::new();
    func.dfg.map_targets(branch, |block, args| {
        if block == to {
            passed = args.to_vec();
            (between, Vec::new())
        } else {
            (block, args.to_vec())
        }
    });
    let edge = func.dfg.block_call(to, &passed);
    let jump = func.dfg.make_inst(Op::Br, &[], Payload::Jump(edge));
    func.dfg.inst_mut(jump).loc = func.dfg.inst(branch).loc;
    func.layout.append_inst(jump, between);
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
    /// The loads of a loop's head from places that are known before the loop, but not what is there. The state
    /// that is given takes each to hold what the load finds; what the loop may change is to be forgotten then.
    pub(super) fn find_loop_loads(&self, header: Block, id: LoopId, state: &mut State) -> LoopLoads {
        let mut found = LoopLoads::new();
        for load in self.func.layout.insts(header) {
            let Some(space) = load_space(self.func, load) else { continue };
            let address = self.func.dfg.args(load)[0];
            let address = self.renaming[address].expand().unwrap_or(address);
            let place = self.place(address);
            let has_room = found.len() < MAX_LOADS && state.len() < MAX_STATE;
            if !has_room || held(state, space, place).is_some() || !self.is_known_before(address, id) {
                continue;
            }
            remember(state, Fact::Holds(space, place, self.func.dfg.result(load)));
            found.push(LoopLoad { load, space, place, address });
        }
        found
    }

    /// True for a constant, and for what is computed outside of the loop.
    fn is_known_before(&self, value: Value, id: LoopId) -> bool {
        let block = match self.func.dfg.def(value) {
            ValueDef::Result(inst, _) => self.func.layout.inst_block(inst),
            ValueDef::Param(block, _) => Some(block),
        };
        self.func.dfg.as_const(value).is_some() || block.is_some_and(|block| !self.loops.contains(id, block))
    }

    /// Does before the loop the loads whose place the loop does not change, and lets the state say so; what it
    /// says of the others is forgotten already.
    pub(super) fn do_before_loop(&mut self, loads: &LoopLoads, before: Block, state: &mut State) {
        for LoopLoad { load, space, place, address } in loads {
            let found = self.func.dfg.result(*load);
            let fact = Fact::Holds(*space, *place, found);
            let Some(at) = state.iter().position(|known| *known == fact) else { continue };
            let end = self.func.terminator(before).expect("invariant: each block ends with a terminator");
            let word = self.load_before(end, *load, *address);
            state[at] = Fact::Holds(*space, *place, word);
            self.changed = true;
        }
    }

    /// The only block outside of a loop that leads to its header, if it leads nowhere else.
    pub(super) fn block_before(&self, header: Block, cfg: &Cfg) -> Option<Block> {
        let mut outside = cfg.preds(header).iter().filter(|pred| !cfg.is_retreating(**pred, header));
        let before = *outside.next().filter(|_| outside.next().is_none())?;
        let terminator = self.func.terminator(before)?;
        (self.func.dfg.op(terminator) == Op::Br).then_some(before)
    }
}
