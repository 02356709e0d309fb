//! `relocate-buffers`: builds what is hashed, logged or passed to a call in scratch memory.
//!
//! ```text
//! %p = evm.mload 64                    (dead)
//! evm.mstore %p, %x              =>    evm.mstore 0, %x
//! %q = evm.add %p, 32                  (dead)
//! evm.mstore %q, %y                    evm.mstore 32, %y
//! evm.log1 %p, 64, %topic              evm.log1 0, 64, %topic
//! ```
//!
//! *Scratch* is the first [`SCRATCH`] bytes of memory. A *buffer* ([`buffer`]) is what `keccak256`, a log, a
//! creation or a call reads, if that lies in allocated or free memory and is no larger than scratch. It is built
//! in scratch if
//!
//! * the stores before, in the same block, give each of its bytes and write nothing else, and nothing else
//!   touches memory in between;
//! * nobody reads the bytes of these stores later where they were, before they are written again;
//! * nobody reads later what is in scratch without writing it before: the demand behind the reader says
//!   both ([`dead_stores`](super::dead_stores)), in callers too.
//!
//! Four bytes of a selector at the start of a buffer end the first word of scratch: there they need not be
//! shifted to the top of one. What a call gives back mostly lies where its input was, and is loaded. This
//! *answer* ([`answer`]) moves to address 0 if all its loads are found on the ways behind the call, before
//! anything else is done with memory, and only where a branch has said that so many bytes were returned: the
//! others keep what was in memory before.
//!
//! ```text
//! evm.mstore %p, 0x70a08231 << 224       evm.mstore 0, 0x70a08231
//! evm.mstore (%p + 4), %who              evm.mstore 32, %who
//! evm.staticcall …, %p, 36, %p, 32  =>   evm.staticcall …, 28, 36, 0, 32
//! (fails if 32 > evm.returndatasize)     (fails if 32 > evm.returndatasize)
//! %y = evm.mload %p                      %y = evm.mload 0
//! ```
//!
//! Relies on A3, A14 and A17 (docs/assumptions.md). Does nothing in a module that reads the size of memory, or
//! that does not keep the pointer to free memory.
//! Needs promotion, preserves blocks and promotion. Cost: as of `dead-stores`.

use super::dead_stores::demand::{Demand, Flow, is_return};
use crate::guards::Guards;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use answer::{Answer, End, Facts};
use buffer::Buffer;
use cairn_analysis::{CallGraph, Cfg, FuncEffects, callgraph};
use cairn_ir::{Block, EntityRef, Func, Function, Inst, Module, SecondaryMap};
use std::borrow::Cow;

mod answer;
mod buffer;

/// Bytes of memory for whoever needs them for a short time.
const SCRATCH: u64 = 64;

/// Instructions at the end of a block that are looked at for one call.
const MAX_BEHIND: usize = 512;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "relocate-buffers",
    summary: "builds what is hashed, logged or passed to a call in scratch memory",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    let keeps_pointer = cx.summaries.heap.free_from.is_some_and(|least| least >= SCRATCH);
    if cx.summaries.observes_msize || !keeps_pointer || cx.summaries.own_memory < SCRATCH {
        return Changed::No;
    }
    let cfgs = Cfg::compute_all(module);
    let graph = CallGraph::compute_with(module, &cfgs);
    let effects = FuncEffects::compute_with(module, &graph, &cfgs);
    let mut demands: SecondaryMap<Func, Demand> = SecondaryMap::with_default(Demand::all());
    let (options, heap) = (cx.options, cx.summaries.heap);
    for id in graph.bottom_up().filter(|id| !graph.is_recursive(*id)) {
        let flow = Flow { options, heap, graph: &graph, effects: &effects, demands: &demands };
        let starts = flow.solve(&module.funcs[id], &cfgs[id.index()], &Demand::default());
        demands[id] = starts[module.funcs[id].layout.entry().index()].clone();
    }
    let flow = Flow { options, heap, graph: &graph, effects: &effects, demands: &demands };
    let mut at_return: SecondaryMap<Func, Demand> = SecondaryMap::new();
    let mut changed = false;
    for id in graph.bottom_up().rev() {
        if graph.is_recursive(id) {
            at_return[id] = Demand::all();
        }
        let moves =
            Site::new(&module.funcs[id], &cfgs[id.index()], &flow, &at_return[id]).find(&mut at_return);
        changed |= !moves.is_empty();
        moves.iter().for_each(|made| made.make(&mut module.funcs[id]));
    }
    Changed::from(changed)
}

/// A buffer that is built in scratch, and what a call writes there.
struct Move {
    buffer: Buffer,
    answer: Option<Answer>,
}

impl Move {
    fn make(&self, func: &mut Function) {
        self.buffer.relocate(func);
        if let Some(answer) = &self.answer {
            answer.relocate(func);
        }
    }
}

/// One function, and what is demanded in it.
struct Site<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    guards: Guards,
    flow: &'a Flow<'a>,
    /// What is demanded at the start of each block.
    starts: Vec<Demand>,
    /// What is demanded where the function returns to its caller.
    at_return: Demand,
}

impl<'a> Site<'a> {
    fn new(func: &'a Function, cfg: &'a Cfg, flow: &'a Flow<'a>, callers: &Demand) -> Site<'a> {
        let returns = cfg.rpo().iter().any(|block| is_return(func, *block));
        let at_return = if returns { callers.clone() } else { Demand::default() };
        let starts = flow.solve(func, cfg, &at_return);
        Site { func, cfg, guards: Guards::compute(func, cfg), flow, starts, at_return }
    }

    /// The buffers that may be elsewhere. Adds what is demanded behind calls to what the called functions
    /// return to.
    fn find(&self, callers: &mut SecondaryMap<Func, Demand>) -> Vec<Move> {
        let (func, heap) = (self.func, self.flow.heap);
        let mut found = Vec::new();
        for block in self.cfg.rpo() {
            let mut demand = self.flow.demand_behind(func, *block, &self.starts, &self.at_return);
            for inst in func.layout.insts_rev(*block) {
                if let Some(callee) = callgraph::callee(func, inst) {
                    let mut behind = demand.clone();
                    behind.pass_definition(func, heap, |_| true);
                    callers[callee].join(func, heap, &behind);
                }
                found.extend(self.move_of(*block, inst, &demand));
                self.flow.pass_inst(func, inst, &mut demand);
            }
        }
        found
    }

    /// How what an instruction reads, and what it writes if it is a call, moves to scratch.
    fn move_of(&self, block: Block, reader: Inst, behind: &Demand) -> Option<Move> {
        let (func, heap) = (self.func, self.flow.heap);
        let buffer = Buffer::of(func, reader, heap)?;
        if !buffer.regions(func).any(|region| behind.wants(func, heap, &region)) {
            return Some(Move { buffer, answer: None });
        }
        let facts = Facts { cfg: self.cfg, guards: &self.guards, heap };
        let answer = Answer::of(func, facts, block, reader)?;
        let is_done = |end: &End| {
            let mut regions = buffer.regions(func).chain(answer.regions());
            let demand = self.demand_at(*end);
            demand.is_some_and(|demand| !regions.any(|region| demand.wants(func, heap, &region)))
        };
        answer.ends.iter().all(is_done).then_some(Move { buffer, answer: Some(answer) })
    }

    /// What is demanded at the end of a way; none if that takes long to tell.
    fn demand_at(&self, end: End) -> Option<Cow<'_, Demand>> {
        match end {
            End::Start(block) => Some(Cow::Borrowed(&self.starts[block.index()])),
            End::Return => Some(Cow::Borrowed(&self.at_return)),
            End::Before(block, first) => {
                let mut demand = self.flow.demand_behind(self.func, block, &self.starts, &self.at_return);
                for inst in self.func.layout.insts_rev(block).take(MAX_BEHIND) {
                    self.flow.pass_inst(self.func, inst, &mut demand);
                    if inst == first {
                        return Some(Cow::Owned(demand));
                    }
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
