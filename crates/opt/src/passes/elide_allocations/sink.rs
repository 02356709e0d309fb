//! Buffers that only one way from a branch uses: they are allocated and filled there.
//!
//! ```text
//! ^a:                                       ^a:
//!   %p = evm.icall @allocate(%c64)            evm.condbr %ok, ^go, ^fail
//!   %q = evm.add %p, %c32                   ^fail:
//!   evm.mstore %q, %text             =>       %p = evm.icall @allocate(%c64)
//!   evm.condbr %ok, ^go, ^fail                %q = evm.add %p, %c32
//! ^fail:                                      evm.mstore %q, %text
//!   evm.icall @fail_with(%p)                  evm.icall @fail_with(%p)
//! ```
//!
//! Moved is a load of the pointer, or a call of a function that does nothing but allocate, with all that is
//! done with it in its block, if nothing that stays behind it in the block has to do with memory, and if
//! what is left of its uses is behind one way out that nothing else leads to. On the other ways memory
//! is as if the buffer had never been, which a program does not look at (A19).

use super::buffers::is_rounding;
use crate::pointer_word;
use cairn_analysis::{Cfg, Dominators};
use cairn_evm::{Effects, Opcode};
use cairn_ir::{Block, Family, Function, Inst, Op, SecondaryMap, Value};

/// Instructions of a block that are looked at before its end.
const MAX_INSTS: usize = 64;

/// Instructions to move, in order, and the block at whose start they go.
#[derive(Debug)]
pub(super) struct Sunk {
    pub(super) insts: Vec<Inst>,
    pub(super) to: Block,
    /// What debuggers are told of them where they are not any more.
    lost: Vec<Inst>,
}

/// Memory that is not the buffer's may be read or written, or where it lies.
const MEMORY: Effects = Effects::READ_MEMORY.union(Effects::WRITE_MEMORY).union(Effects::READ_MSIZE);

/// Finds what to move in one function.
pub(super) struct Sinks<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    dominators: Dominators,
    /// Where each value is used.
    uses: SecondaryMap<Value, Vec<Inst>>,
    /// Where debuggers are told of each value.
    traces: SecondaryMap<Value, Vec<Inst>>,
    /// What is moved already.
    moved: SecondaryMap<Inst, bool>,
}

impl<'a> Sinks<'a> {
    /// Everything to move, in the order in which to do so: what is moved to one block comes from last to
    /// first. `is_allocation` tells calls that do nothing but allocate, `moved_to` where an instruction
    /// moves the pointer to, if no check fails for that.
    pub(super) fn find(
        func: &'a Function,
        cfg: &'a Cfg,
        is_allocation: impl Fn(Block, Inst) -> bool,
        moved_to: impl Fn(Block, Inst) -> Option<Value>,
    ) -> Vec<Sunk> {
        let begins =
            |block: Block, inst: Inst| pointer_word::is_loaded(func, inst) || is_allocation(block, inst);
        let mut sinks: Option<Sinks<'_>> = None;
        let mut found = Vec::new();
        for block in cfg.rpo().iter().copied().filter(|block| cfg.succs(*block).len() > 1) {
            let insts =
                func.layout.insts_rev(block).filter(|inst| func.dfg.op(*inst).family() != Family::Mark);
            let begun: Vec<Inst> = insts.take(MAX_INSTS).filter(|inst| begins(block, *inst)).collect();
            for first in begun {
                let sinks = sinks.get_or_insert_with(|| Sinks::new(func, cfg));
                let Some(sunk) = sinks.sink(block, first, &moved_to) else { break };
                sunk.insts.iter().for_each(|inst| sinks.moved[*inst] = true);
                found.push(sunk);
            }
        }
        found
    }

    fn new(func: &'a Function, cfg: &'a Cfg) -> Sinks<'a> {
        let mut uses: SecondaryMap<Value, Vec<Inst>> = SecondaryMap::new();
        for inst in cfg.rpo().iter().flat_map(|block| func.layout.insts(*block)) {
            func.dfg.for_each_use(inst, |value| uses[value].push(inst));
        }
        let mut traces: SecondaryMap<Value, Vec<Inst>> = SecondaryMap::new();
        for trace in cairn_ir::debug::traces(func) {
            func.dfg.args(trace).iter().for_each(|value| traces[*value].push(trace));
        }
        Sinks { func, cfg, dominators: Dominators::compute(cfg), uses, traces, moved: SecondaryMap::new() }
    }

    /// What begins with an instruction, if it can be moved.
    fn sink(
        &self,
        block: Block,
        first: Inst,
        moved_to: impl Fn(Block, Inst) -> Option<Value>,
    ) -> Option<Sunk> {
        let mut insts = vec![first];
        let mut places = vec![self.func.dfg.result(first)];
        let mut next = self.func.layout.next_inst(first);
        while let Some(inst) = next {
            next = self.func.layout.next_inst(inst);
            if self.func.dfg.op(inst) == Op::DbgTrace {
                insts.extend(self.tells_of(inst, &insts).then_some(inst));
                continue;
            }
            let uses_it = self.uses_of(inst, &insts);
            let moves = || moved_to(block, inst).is_some_and(|end| places.contains(&end));
            let goes = uses_it
                && !self.moved[inst]
                && !self.func.dfg.op(inst).is_terminator()
                && (self.effects(inst).is_pure() || self.accesses(inst, &places) || moves());
            if goes {
                places.extend(self.place(inst, &places, &insts));
                insts.push(inst);
            } else if uses_it || (!self.moved[inst] && self.effects(inst).intersects(MEMORY)) {
                return None;
            }
        }
        let to = self.only_way(block, &insts)?;
        let lost = self.traces_elsewhere(&insts, to);
        Some(Sunk { insts, to, lost })
    }

    /// What an instruction does; a call may do anything.
    fn effects(&self, inst: Inst) -> Effects {
        self.func.dfg.op(inst).effects()
    }

    /// A place in the buffer, if an instruction gives one: a sum of one and of what has nothing to do with the
    /// buffer, or one that is rounded.
    fn place(&self, inst: Inst, places: &[Value], given: &[Inst]) -> Option<Value> {
        let args = self.func.dfg.args(inst);
        let is_place = |index: usize| places.contains(&args[index]);
        let is_other = |index: usize| !self.is_given(args[index], given);
        let rounds = |index: usize| self.func.dfg.as_const(args[index]).is_some_and(is_rounding);
        let gives = match self.func.dfg.op(inst) {
            Op::PtrAdd | Op::Evm(Opcode::ADD) => (is_place(0) && is_other(1)) || (is_other(0) && is_place(1)),
            Op::Evm(Opcode::SUB) => is_place(0) && is_other(1),
            Op::Evm(Opcode::AND) => (is_place(0) && rounds(1)) || (rounds(0) && is_place(1)),
            Op::PtrToInt | Op::IntToPtr => is_place(0),
            _ => false,
        };
        gives.then(|| self.func.dfg.result(inst))
    }

    /// True if an instruction uses what others give.
    fn uses_of(&self, inst: Inst, given: &[Inst]) -> bool {
        let mut found = false;
        self.func.dfg.for_each_use(inst, |value| found |= self.is_given(value, given));
        found
    }

    /// True for a mark that tells debuggers of what others give.
    fn tells_of(&self, trace: Inst, given: &[Inst]) -> bool {
        !self.moved[trace] && self.func.dfg.args(trace).iter().any(|value| self.is_given(*value, given))
    }

    /// Marks that tell of what some instructions give, but are not behind the block that these go to.
    fn traces_elsewhere(&self, insts: &[Inst], to: Block) -> Vec<Inst> {
        let is_behind = |trace: Inst| {
            self.func.layout.inst_block(trace).is_some_and(|home| self.dominators.dominates(to, home))
        };
        let results = insts.iter().flat_map(|inst| self.func.dfg.results(*inst));
        let traces = results.flat_map(|value| &self.traces[*value]).copied();
        traces.filter(|trace| !insts.contains(trace) && !is_behind(*trace)).collect()
    }

    fn is_given(&self, value: Value, given: &[Inst]) -> bool {
        self.func.dfg.def_inst(value).is_some_and(|def| given.contains(&def))
    }

    /// True for operations whose memory begins at a place in the buffer. A word that was loaded from the buffer
    /// is none: it may be the place of another.
    fn accesses(&self, inst: Inst, places: &[Value]) -> bool {
        let is_access = match self.func.dfg.op(inst) {
            Op::DataCopy => true,
            Op::Evm(opcode) => matches!(
                opcode,
                Opcode::MSTORE | Opcode::MSTORE8 | Opcode::MLOAD | Opcode::CALLDATACOPY | Opcode::KECCAK256
            ),
            _ => false,
        };
        is_access && self.func.dfg.args(inst).first().is_some_and(|arg| places.contains(arg))
    }

    /// The way out of a block behind which all else is that uses what some of its instructions give.
    fn only_way(&self, block: Block, insts: &[Inst]) -> Option<Block> {
        let results = insts.iter().flat_map(|inst| self.func.dfg.results(*inst));
        let users = results.flat_map(|value| &self.uses[*value]).filter(|user| !insts.contains(user));
        let mut homes: Vec<Block> = users.filter_map(|user| self.func.layout.inst_block(*user)).collect();
        homes.dedup();
        let home = homes.first()?;
        let is_way = |way: &Block| self.cfg.preds(*way) == [block] && self.dominators.dominates(*way, *home);
        let way = self.cfg.succs(block).iter().copied().find(is_way)?;
        homes.iter().all(|home| self.dominators.dominates(way, *home)).then_some(way)
    }
}

impl Sunk {
    /// Moves the instructions; what debuggers are told of them elsewhere goes, and may be gone already.
    pub(super) fn apply(&self, func: &mut Function) {
        let is_there = |func: &Function, inst: Inst| func.layout.inst_block(inst).is_some();
        for trace in &self.lost {
            if is_there(func, *trace) {
                func.layout.remove_inst(*trace);
            }
        }
        for inst in self.insts.iter().rev() {
            if is_there(func, *inst) {
                func.layout.remove_inst(*inst);
                func.layout.prepend_inst(*inst, self.to);
            }
        }
    }
}
