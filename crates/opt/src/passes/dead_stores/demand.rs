//! Which memory may be read from a point on, before it is written: the *demand* there. See the head of
//! [`dead_stores`](super).

use crate::memory::{Heap, Place, Region};
use crate::options::Options;
use cairn_analysis::{CallGraph, Cfg, FuncEffects, callgraph};
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::{Block, EntityRef, Func, Function, Inst, Op, SecondaryMap, ValueDef};

/// Regions of a demand; more become everything.
const MAX_DEMAND: usize = 12;

impl Region {
    fn is_empty(&self) -> bool {
        self.length == Some(Word::ZERO)
    }

    pub(crate) fn may_overlap(&self, func: &Function, heap: Heap, other: &Region) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        if self.place.base == other.place.base {
            return !self.is_apart(other) || !other.is_apart(self);
        }
        let ends_before = |a: &Region, b: &Region| {
            a.length.is_some_and(|len| a.place.ends_before(func, heap, len, b.place))
        };
        !ends_before(self, other) && !ends_before(other, self)
    }

    /// True when `other`, which has the same base, begins behind the end of this region or, seen
    /// the other way round the ring of addresses, before it.
    fn is_apart(&self, other: &Region) -> bool {
        let ahead = other.place.offset.wrapping_sub(self.place.offset);
        self.length.is_some_and(|length| ahead >= length) || (self.length.is_none() && ahead > Word::MAX >> 1)
    }

    /// All that it can be without its base.
    fn with_least(&self, func: &Function, heap: Heap) -> Option<Region> {
        let least = heap.least(func, self.place.base.expand()?)?;
        let is_ahead = self.place.offset <= Word::from(u64::MAX);
        let place = Place::at(self.place.offset.wrapping_add(Word::from(least)));
        is_ahead.then_some(Region { place, length: None })
    }

    /// What is left when `written`, which has the same base, was written before.
    fn without(self, written: &Region) -> Option<Region> {
        let (Some(length), Some(n_written)) = (self.length, written.length) else {
            return Some(self);
        };
        let lead = self.place.offset.wrapping_sub(written.place.offset);
        if lead < n_written {
            let n_covered = n_written - lead;
            if n_covered >= length {
                return None;
            }
            let place = Place { offset: self.place.offset.wrapping_add(n_covered), ..self.place };
            return Some(Region { place, length: Some(length - n_covered) });
        }
        let kept = written.place.offset.wrapping_sub(self.place.offset);
        let covers_end = kept < length && length - kept <= n_written;
        Some(if covers_end { Region { length: Some(kept), ..self } } else { self })
    }
}

/// Regions that may be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demand {
    is_all: bool,
    regions: Vec<Region>,
}

impl Demand {
    pub(crate) fn all() -> Demand {
        Demand { is_all: true, regions: Vec::new() }
    }

    fn add(&mut self, region: Region) {
        if self.is_all || region.is_empty() || self.regions.contains(&region) {
            return;
        }
        if self.regions.len() == MAX_DEMAND {
            *self = Demand::all();
        } else {
            self.regions.push(region);
        }
    }

    pub(crate) fn join(&mut self, other: &Demand) {
        match other.is_all {
            true => *self = Demand::all(),
            false => other.regions.iter().for_each(|region| self.add(*region)),
        }
    }

    pub(crate) fn wants(&self, func: &Function, heap: Heap, written: &Region) -> bool {
        self.is_all || self.regions.iter().any(|region| region.may_overlap(func, heap, written))
    }

    fn remove(&mut self, written: &Region) {
        let is_near = |region: &Region| region.place.base == written.place.base;
        let regions = std::mem::take(&mut self.regions).into_iter();
        self.regions = regions
            .filter_map(|region| if is_near(&region) { region.without(written) } else { Some(region) })
            .collect();
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
        if !self.regions.iter().any(is_met) {
            return;
        }
        let (met, kept) = std::mem::take(&mut self.regions).into_iter().partition(is_met);
        self.regions = kept;
        for region in met {
            match region.with_least(func, heap) {
                Some(region) => self.add(region),
                None => *self = Demand::all(),
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
            let mut demand = demand_behind(func, block, &starts, at_return);
            for inst in func.layout.insts_rev(block) {
                self.pass_inst(func, inst, &mut demand);
            }
            demand.pass_definition(
                func,
                self.heap,
                |def| matches!(def, ValueDef::Param(home, _) if home == block),
            );
            // Only more is ever demanded, so that loops come to an end.
            demand.join(&starts[block.index()]);
            let is_new = demand.is_all != starts[block.index()].is_all
                || demand.regions.len() > starts[block.index()].regions.len();
            if is_new {
                starts[block.index()] = demand;
                for pred in cfg.preds(block) {
                    if !std::mem::replace(&mut is_waiting[pred.index()], true) {
                        work.push(*pred);
                    }
                }
            }
        }
        starts
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
                demand.join(&self.demands[callee]);
            }
            return;
        }
        match func.dfg.op(inst) {
            Op::Evm(opcode) => {
                if is_sure_to_write(opcode) {
                    demand.remove(&written(func, inst));
                }
                if let Some(region) = memory_read(opcode) {
                    demand.add(Region::of(func, inst, region));
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

pub(crate) fn demand_behind(func: &Function, block: Block, starts: &[Demand], at_return: &Demand) -> Demand {
    let mut demand = if is_return(func, block) { at_return.clone() } else { Demand::default() };
    func.for_each_successor(block, |next| demand.join(&starts[next.index()]));
    demand
}

/// Operations that only write memory, always all of their region.
pub(crate) fn is_sure_to_write(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::MSTORE | Opcode::MSTORE8 | Opcode::CALLDATACOPY | Opcode::CODECOPY | Opcode::MCOPY
    )
}

pub(crate) fn written(func: &Function, inst: Inst) -> Region {
    let Op::Evm(opcode) = func.dfg.op(inst) else {
        unreachable!("invariant: asked for opcodes only");
    };
    Region::of(func, inst, memory_write(opcode).expect("invariant: a store has a region"))
}
