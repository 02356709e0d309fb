//! `dead-stores`: removes stores to memory that nobody reads, and moves those of the first block to
//! where somebody may ([`sink`]).
//!
//! ```text
//! evm.mstore 0, %a                       evm.mstore 0, %b
//! evm.mstore 0, %b                 =>    %h = evm.keccak256 0, 32
//! %h = evm.keccak256 0, 32               …
//! evm.mstore 64, %end                    evm.stop
//! evm.stop
//! ```
//!
//! Definitions: a *region* is a [`Place`] and a number of bytes, or everything from the place on.
//! The *demand* of a program point is the regions that may be read from there on before they are
//! written; it flows backwards, callees before callers, and what a callee demands by constant
//! address is known to its callers. A store outside the demand behind it goes.
//!
//! Memory is nobody's when the frame has ended, so what is stored before `stop` or `return` and not
//! returned is dead. A base that is computed later is unknown before: its region is everything.
//! Nothing is done where the size of memory is observed (A2). Copies and stores through unknown
//! addresses demand nothing by themselves; external calls read their input only.
//!
//! Needs promotion. Preserves blocks. Cost: linear a round, demands are bounded by
//! [`MAX_DEMAND`] regions.

use crate::memory::{Heap, Place, Region};
use crate::options::Options;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::{CallGraph, Cfg, FuncEffects, callgraph};
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::{Block, EntityRef, Func, Function, Inst, Module, Op, SecondaryMap, ValueDef};

mod sink;

/// Regions of a demand; more become everything.
const MAX_DEMAND: usize = 12;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "dead-stores",
    summary: "removes stores to memory that nobody reads, moves those that few read",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    if cx.summaries.observes_msize {
        return Changed::No;
    }
    let cfgs = Cfg::compute_all(module);
    let graph = CallGraph::compute_with(module, &cfgs);
    let effects = FuncEffects::compute_with(module, &graph, &cfgs);
    let mut demands: SecondaryMap<Func, Demand> = SecondaryMap::with_default(Demand::all());
    let mut changed = false;
    for id in graph.bottom_up() {
        let func = &mut module.funcs[id];
        let (options, heap) = (cx.options, cx.summaries.heap);
        let flow = Flow { options, heap, graph: &graph, effects: &effects, demands: &demands };
        let (at_entry, is_changed) = flow.run(func, &cfgs[id.index()]);
        changed |= is_changed;
        if !graph.is_recursive(id) {
            demands[id] = at_entry;
        }
    }
    Changed::from(changed)
}

impl Region {
    fn is_empty(&self) -> bool {
        self.length == Some(Word::ZERO)
    }

    fn may_overlap(&self, func: &Function, heap: Heap, other: &Region) -> bool {
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
struct Demand {
    is_all: bool,
    regions: Vec<Region>,
}

impl Demand {
    fn all() -> Demand {
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

    fn join(&mut self, other: &Demand) {
        match other.is_all {
            true => *self = Demand::all(),
            false => other.regions.iter().for_each(|region| self.add(*region)),
        }
    }

    fn wants(&self, func: &Function, heap: Heap, written: &Region) -> bool {
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
    fn pass_definition(&mut self, func: &Function, heap: Heap, is_defined: impl Fn(ValueDef) -> bool) {
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
struct Flow<'a> {
    options: &'a Options,
    heap: Heap,
    graph: &'a CallGraph,
    effects: &'a FuncEffects,
    /// What functions demand when they are called.
    demands: &'a SecondaryMap<Func, Demand>,
}

impl Flow<'_> {
    /// Removes dead stores; the demand at the entry, as far as the function reads by itself.
    fn run(&self, func: &mut Function, cfg: &Cfg) -> (Demand, bool) {
        let own = self.solve(func, cfg, &Demand::default());
        let entry = func.layout.entry();
        let at_entry = own[entry.index()].clone();
        let returns = cfg.rpo().iter().any(|block| is_return(func, *block));
        let starts = if returns { self.solve(func, cfg, &Demand::all()) } else { own };
        let mut changed = false;
        for block in cfg.rpo() {
            let mut demand = demand_behind(func, *block, &starts, &Demand::all());
            let mut next = func.layout.last_inst(*block);
            while let Some(inst) = next {
                next = func.layout.prev_inst(inst);
                if is_store(func.dfg.op(inst)) && !demand.wants(func, self.heap, &written(func, inst)) {
                    func.layout.remove_inst(inst);
                    changed = true;
                    continue;
                }
                self.pass_inst(func, inst, &mut demand);
            }
        }
        changed |= sink::run(self, func, cfg, &starts);
        (at_entry, changed)
    }

    /// The demand at the start of each block when returning demands `at_return`.
    fn solve(&self, func: &Function, cfg: &Cfg, at_return: &Demand) -> Vec<Demand> {
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
    fn pass_inst(&self, func: &Function, inst: Inst, demand: &mut Demand) {
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

fn is_return(func: &Function, block: Block) -> bool {
    func.terminator(block).is_some_and(|inst| func.dfg.op(inst) == Op::Iret)
}

fn demand_behind(func: &Function, block: Block, starts: &[Demand], at_return: &Demand) -> Demand {
    let mut demand = if is_return(func, block) { at_return.clone() } else { Demand::default() };
    func.for_each_successor(block, |next| demand.join(&starts[next.index()]));
    demand
}

/// Operations that only write memory, always all of their region.
fn is_sure_to_write(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::MSTORE | Opcode::MSTORE8 | Opcode::CALLDATACOPY | Opcode::CODECOPY | Opcode::MCOPY
    )
}

fn is_store(op: Op) -> bool {
    matches!(op, Op::Evm(opcode) if is_sure_to_write(opcode))
}

fn written(func: &Function, inst: Inst) -> Region {
    let Op::Evm(opcode) = func.dfg.op(inst) else {
        unreachable!("invariant: asked for opcodes only");
    };
    Region::of(func, inst, memory_write(opcode).expect("invariant: a store has a region"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{body, lines, parse, run_module_pass};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut module = parse(&format!("module @m {{ func @f(%x : u256, %y : u256) {{\n{text}\n}} }}"));
        run_module_pass(&mut module, run);
        assert_eq!(body(&module, Func::from_u32(0)), lines(expected));
    }

    const WORDS: &str = "%a = evm.constant 0 : u256
               %b = evm.constant 32 : u256
               %c = evm.constant 64 : u256";

    #[test]
    fn overwritten_words_and_those_of_an_ended_frame_go() {
        check(
            &format!(
                "^e:
               {WORDS}
               evm.mstore %a, %x
               evm.mstore %b, %x
               evm.mstore %a, %y
               %h = evm.keccak256 %a, %c : u256
               evm.mstore %a, %y
               evm.sstore %h, %x
               evm.stop"
            ),
            &format!(
                "^e:
               {WORDS}
               evm.mstore %b, %x
               evm.mstore %a, %y
               %h = evm.keccak256 %a, %c : u256
               evm.sstore %h, %x
               evm.stop"
            ),
        );
    }

    #[test]
    fn what_is_overwritten_at_an_end_of_what_is_read_goes() {
        for end in ["%a", "%b"] {
            check(
                &format!(
                    "^e:
                   {WORDS}
                   evm.mstore {end}, %x
                   evm.mstore {end}, %y
                   %h = evm.keccak256 %a, %c : u256
                   evm.sstore %h, %x
                   evm.stop"
                ),
                &format!(
                    "^e:
                   {WORDS}
                   evm.mstore {end}, %y
                   %h = evm.keccak256 %a, %c : u256
                   evm.sstore %h, %x
                   evm.stop"
                ),
            );
        }
    }

    #[test]
    fn a_word_read_in_part_or_through_an_unknown_address_stays() {
        let text = format!(
            "^e:
               {WORDS}
               %d = evm.constant 33 : u256
               evm.mstore %b, %x
               evm.mstore8 %b, %y
               evm.mstore %c, %x
               %l = evm.mload %d : u256
               evm.mstore %a, %x
               %m = evm.mload %y : u256
               evm.sstore %l, %m
               evm.stop"
        );
        check(&text, &text);
    }

    #[test]
    fn what_a_later_round_of_a_loop_reads_stays() {
        let text = format!(
            "^e:
               {WORDS}
               evm.br ^loop
             ^loop:
               %l = evm.mload %a : u256
               evm.mstore %b, %l
               %m = evm.mload %b : u256
               evm.mstore %a, %m
               evm.condbr %m, ^loop, ^done
             ^done:
               evm.stop"
        );
        check(&text, &text);
    }

    #[test]
    fn callers_know_what_a_callee_reads() {
        let mut module = parse(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 %a = evm.constant 0 : u256
                 %b = evm.constant 32 : u256
                 evm.mstore %a, %x
                 evm.mstore %b, %x
                 evm.icall @g(%x)
                 evm.stop
               }
               func @g(%x : u256) {
               ^e:
                 %b = evm.constant 32 : u256
                 %l = evm.mload %b : u256
                 evm.sstore %l, %x
                 evm.iret
               }
             }",
        );
        run_module_pass(&mut module, run);
        let text = body(&module, Func::from_u32(0));
        assert!(text.contains("mstore %b") && !text.contains("mstore %a"), "{text}");
    }
}
