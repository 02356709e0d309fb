//! Which memory may be read from a point on, before it is written: the *demand* there. See the head of
//! [`dead_stores`](super).

use crate::copied::copy_of_output;
use crate::memory::{Heap, Region, is_sure_to_write};
use crate::options::Options;
use cairn_analysis::{CallGraph, Cfg, FuncEffects, callgraph};
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Effects, Opcode};
use cairn_ir::{Block, EntityRef, Func, Function, Inst, Op, SecondaryMap, ValueDef};

/// Regions that are read; more become everything.
const MAX_READ: usize = 12;
/// Regions that are written first; of more, those that are written last are forgotten.
const MAX_WRITTEN: usize = 8;

/// Memory that may be read before it is written: what is read, but for what is written first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demand {
    /// Everything may be read; `reads` is empty then.
    reads_all: bool,
    reads: Vec<Region>,
    /// Each byte of these is written before it is read, or never read; empty where nothing is read.
    written: Vec<Region>,
}

impl Demand {
    pub(crate) fn all() -> Demand {
        Demand { reads_all: true, ..Demand::default() }
    }

    /// What is read before.
    fn add(&mut self, func: &Function, heap: Heap, read: Region) {
        if read.is_empty() {
            return;
        }
        self.written.retain(|region| !region.may_overlap(func, heap, &read));
        self.add_to_reads(read);
    }

    fn add_to_reads(&mut self, read: Region) {
        if self.reads_all || self.reads.contains(&read) {
            return;
        }
        if self.reads.len() == MAX_READ {
            (self.reads_all, self.reads) = (true, Vec::new());
        } else {
            self.reads.push(read);
        }
    }

    pub(crate) fn join(&mut self, func: &Function, heap: Heap, other: &Demand) {
        let mut written: Vec<Region> = Vec::new();
        let mine = self.written.iter().filter(|region| !other.wants(func, heap, region));
        let theirs = other.written.iter().filter(|region| !self.wants(func, heap, region));
        for region in mine.chain(theirs) {
            if written.len() < MAX_WRITTEN && !written.contains(region) {
                written.push(*region);
            }
        }
        self.written = written;
        if other.reads_all {
            (self.reads_all, self.reads) = (true, Vec::new());
        }
        other.reads.iter().for_each(|read| self.add_to_reads(*read));
    }

    /// True if a byte of a region may be demanded.
    pub(crate) fn wants(&self, func: &Function, heap: Heap, region: &Region) -> bool {
        let is_read = || self.reads_all || self.reads.iter().any(|read| read.may_overlap(func, heap, region));
        !region.is_empty() && is_read() && !self.written.iter().any(|written| written.contains(region))
    }

    /// What is surely written before.
    fn remove(&mut self, written: &Region) {
        let is_near = |region: &Region| region.place.base == written.place.base;
        let reads = std::mem::take(&mut self.reads).into_iter();
        self.reads = reads
            .filter_map(|read| if is_near(&read) { read.without(written) } else { Some(read) })
            .collect();
        if !self.reads_all && self.reads.is_empty() {
            self.written.clear();
        } else if written.length.is_some() && !self.written.iter().any(|region| region.contains(written)) {
            self.written.retain(|region| !written.contains(region));
            if self.written.len() == MAX_WRITTEN {
                self.written.remove(0);
            }
            self.written.push(*written);
        }
    }

    /// Regions whose base is defined here are anything before, or anything from the least address
    /// that the base can be.
    pub(crate) fn pass_definition(
        &mut self,
        func: &Function,
        heap: Heap,
        is_defined: impl Fn(ValueDef) -> bool,
    ) {
        let is_met =
            |region: &Region| region.place.base.expand().is_some_and(|base| is_defined(func.dfg.def(base)));
        self.written.retain(|region| !is_met(region));
        if !self.reads.iter().any(is_met) {
            return;
        }
        let (met, kept) = std::mem::take(&mut self.reads).into_iter().partition(is_met);
        self.reads = kept;
        for region in met {
            match region.with_least(func, heap) {
                Some(region) => self.add_to_reads(region),
                None => (self.reads_all, self.reads) = (true, Vec::new()),
            }
        }
    }
}

/// What the flow through one function needs.
pub(crate) struct Flow<'a> {
    pub(crate) options: &'a Options,
    pub(crate) heap: Heap,
    pub(crate) graph: &'a CallGraph,
    pub(crate) effects: &'a FuncEffects,
    /// What functions demand when they are called.
    pub(crate) demands: &'a SecondaryMap<Func, Demand>,
}

impl Flow<'_> {
    /// The demand at the start of each block when returning demands `at_return`.
    pub(crate) fn solve(&self, func: &Function, cfg: &Cfg, at_return: &Demand) -> Vec<Demand> {
        let mut starts = vec![Demand::default(); func.num_blocks()];
        let mut is_waiting = vec![false; func.num_blocks()];
        let mut work: Vec<Block> = cfg.rpo().to_vec();
        work.iter().for_each(|block| is_waiting[block.index()] = true);
        while let Some(block) = work.pop() {
            is_waiting[block.index()] = false;
            let mut demand = self.demand_behind(func, block, &starts, at_return);
            for inst in func.layout.insts_rev(block) {
                self.pass_inst(func, inst, &mut demand);
            }
            demand.pass_definition(
                func,
                self.heap,
                |def| matches!(def, ValueDef::Param(home, _) if home == block),
            );
            // Only more is ever demanded, so that loops come to an end.
            let before = &mut starts[block.index()];
            let mut more = before.clone();
            more.join(func, self.heap, &demand);
            if more != *before {
                *before = more;
                for pred in cfg.preds(block) {
                    if !std::mem::replace(&mut is_waiting[pred.index()], true) {
                        work.push(*pred);
                    }
                }
            }
        }
        starts
    }

    /// The demand at the end of a block.
    pub(crate) fn demand_behind(
        &self,
        func: &Function,
        block: Block,
        starts: &[Demand],
        at_return: &Demand,
    ) -> Demand {
        let mut demand = if is_return(func, block) { at_return.clone() } else { Demand::default() };
        func.for_each_successor(block, |next| demand.join(func, self.heap, &starts[next.index()]));
        demand
    }

    /// From the demand behind an instruction to that before it.
    pub(crate) fn pass_inst(&self, func: &Function, inst: Inst, demand: &mut Demand) {
        demand.pass_definition(
            func,
            self.heap,
            |def| matches!(def, ValueDef::Result(home, _) if home == inst),
        );
        if let Some(callee) = callgraph::callee(func, inst) {
            if !self.graph.ends(callee).can_return() {
                *demand = Demand::default();
            }
            if self.effects.of_func(callee).contains(Effects::READ_MEMORY) {
                demand.join(func, self.heap, &self.demands[callee]);
            }
            return;
        }
        match func.dfg.op(inst) {
            Op::Evm(opcode) => {
                if is_sure_to_write(opcode) {
                    demand.remove(&written(func, inst));
                }
                if is_output(func, inst, opcode) {
                    *demand = Demand::default();
                }
                if let Some(region) = memory_read(opcode) {
                    demand.add(func, self.heap, Region::of(func, inst, region));
                }
            }
            op if op.effects().contains(Effects::READ_MEMORY) => *demand = Demand::all(),
            _ => {}
        }
    }
}

pub(crate) fn is_return(func: &Function, block: Block) -> bool {
    func.terminator(block).is_some_and(|inst| func.dfg.op(inst) == Op::Iret)
}

/// True for the copy of all that the frame gives back: nothing is read of memory behind it but what it writes.
fn is_output(func: &Function, inst: Inst, opcode: Opcode) -> bool {
    let is_copy = matches!(opcode, Opcode::CALLDATACOPY | Opcode::CODECOPY | Opcode::RETURNDATACOPY);
    let terminator = || func.layout.inst_block(inst).and_then(|block| func.terminator(block));
    is_copy && terminator().is_some_and(|terminator| copy_of_output(func, terminator) == Some(inst))
}

pub(crate) fn written(func: &Function, inst: Inst) -> Region {
    let Op::Evm(opcode) = func.dfg.op(inst) else {
        unreachable!("invariant: asked for opcodes only");
    };
    Region::of(func, inst, memory_write(opcode).expect("invariant: a store has a region"))
}
