//! `elide-allocations`: leaves the pointer to free memory where it is while that is all right.
//!
//! Solidity allocates what it gives to calls, hashes and logs, and never frees it. Where the buffer is
//! used for the last time before the pointer is loaded again, the next one may lie in its place:
//!
//! ```text
//! %m = evm.mload 64                              %m = evm.mload 64
//! evm.mstore %m, %selector                       evm.mstore %m, %selector
//! %ok = evm.call …, %m, 4, %m, 32        =>      %ok = evm.call …, %m, 4, %m, 32
//! …                                              …
//! evm.icall @finalize_allocation(%m, %n)         %x = evm.mload %m
//! %x = evm.mload %m                              …
//! …                                              %m2 = evm.mload 64
//! %m2 = evm.mload 64
//! ```
//!
//! A *move* is a store of the pointer, or a call of a function that does nothing else ([`Allocation`]).
//! It goes when
//!
//! * it moves the pointer behind a buffer whose address does not escape ([`Buffers`]);
//! * nothing else wrote the pointer's word since that was loaded, so that the word holds the same pointer
//!   without the move;
//! * on every way from it, when the word is read next, this buffer is not alive ([`Alive`]), nor one
//!   whose pointer may have been loaded since the pointer moved before;
//! * a call's sizes are below 2^62, so that it would not have failed.
//!
//! Relies on A17 and A19 (docs/assumptions.md). Does nothing in a module that reads the size of memory.
//!
//! Needs promotion, preserves blocks and calls. Cost: linear in the module; around each move
//! [`MAX_BLOCKS`] blocks are looked at.

mod alive;
mod allocation;
mod buffers;
mod callees;
mod parts;

use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::ranges::{Ranges, Shapes, Words};
use crate::word_access::WordAccess;
use alive::Alive;
use allocation::SIZE_BITS;
use buffers::{Buffers, Origin, is_move};
use cairn_analysis::{Cfg, callgraph};
use cairn_evm::{Word, word};
use cairn_ir::{Block, Func, Function, Inst, Module, Value};
use callees::Callees;
use rustc_hash::FxHashSet;

/// Blocks that are looked at before and behind a move.
const MAX_BLOCKS: usize = 64;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "elide-allocations",
    summary: "lets buffers that are not needed any more be overwritten",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    let Some(least) = cx.summaries.heap.free_from.filter(|_| !cx.summaries.observes_msize) else {
        return Changed::No;
    };
    let needless = needless(module, cx, least);
    for (id, inst) in &needless {
        module.funcs[*id].layout.remove_inst(*inst);
    }
    Changed::from(!needless.is_empty())
}

/// The moves that need not be.
fn needless(module: &Module, cx: &PassContext<'_>, least: u64) -> Vec<(Func, Inst)> {
    let (graph, shapes) = (&cx.summaries.graph, Shapes::compute(module));
    let pointer = Words::grown_from(Word::from(least));
    let Some(ranges) = Ranges::compute(module, graph, &shapes, pointer) else {
        return Vec::new();
    };
    let access = WordAccess { module, ranges, least };
    let mut needless = Vec::new();
    Callees::compute(&access, graph, &shapes, |id, callees, buffers| {
        let (func, cfg) = (&module.funcs[id], shapes.cfg(id));
        let insts = cfg.rpo().iter().flat_map(|block| func.layout.insts(*block).map(|inst| (*block, inst)));
        let moves: Vec<(Block, Inst)> =
            insts.filter(|(_, inst)| moved(func, *inst, callees).is_some()).collect();
        if moves.is_empty() {
            return;
        }
        let around = Around::new(func, id, cfg, callees, &buffers, &access);
        for (block, inst) in moves {
            match around.reason_to_stay(block, inst) {
                None => needless.push((id, inst)),
                Some(reason) => cx.remark(PASS.name, func, || {
                    let place = func
                        .inst_place(inst)
                        .map_or_else(String::new, |place| format!(" (bytes {}..{})", place.start, place.end));
                    format!("the pointer to free memory is moved{place}: {}", reason.text())
                }),
            }
        }
    });
    needless
}

/// The word that the pointer is moved to a sum with, if that is what an instruction does.
fn moved(func: &Function, inst: Inst, callees: &Callees) -> Option<Value> {
    let args = func.dfg.args(inst);
    if is_move(func, inst) {
        return Some(args[1]);
    }
    let allocation = callgraph::callee(func, inst).and_then(|callee| callees.of(callee).allocation)?;
    Some(args[allocation.pointer])
}

/// Why a move stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Escapes,
    Large,
    Written,
    Used,
    Far,
}

impl Reason {
    fn text(self) -> &'static str {
        match self {
            Reason::Escapes => "where the buffer lies is kept or passed on",
            Reason::Large => "its size may be too large",
            Reason::Written => "something else may lie in the place of the pointer before",
            Reason::Used => "the buffer is used after more is allocated",
            Reason::Far => "there is too much code around it",
        }
    }
}

/// A place where the pointer is moved behind a buffer.
struct Move {
    block: Block,
    inst: Inst,
    buffer: Origin,
}

/// The code around the moves of a function.
struct Around<'a> {
    func: &'a Function,
    id: Func,
    cfg: &'a Cfg,
    callees: &'a Callees,
    buffers: &'a Buffers,
    access: &'a WordAccess<'a>,
    alive: Alive<'a>,
}

impl<'a> Around<'a> {
    fn new(
        func: &'a Function,
        id: Func,
        cfg: &'a Cfg,
        callees: &'a Callees,
        buffers: &'a Buffers,
        access: &'a WordAccess<'a>,
    ) -> Around<'a> {
        let reads = |block: Block, inst: Inst| {
            access.reads(id, block, inst)
                || callgraph::callee(func, inst).is_some_and(|callee| callees.of(callee).reads_word)
        };
        let alive = Alive::compute(func, cfg, buffers, reads);
        Around { func, id, cfg, callees, buffers, access, alive }
    }

    fn reason_to_stay(&self, block: Block, inst: Inst) -> Option<Reason> {
        let buffer = moved(self.func, inst, self.callees).and_then(|value| self.buffers.buffer_of(value));
        let Some(buffer) = buffer else {
            return Some(Reason::Escapes);
        };
        if !self.is_small(block, inst) {
            return Some(Reason::Large);
        }
        let found = Move { block, inst, buffer };
        let mut buffers = match self.loaded_with(&found) {
            Ok(buffers) => buffers,
            Err(reason) => return Some(reason),
        };
        buffers.push(buffer);
        if buffers.iter().any(|buffer| self.buffers.fate(*buffer).escapes) {
            return Some(Reason::Escapes);
        }
        self.use_when_read(&found, &buffers)
    }

    /// Whether a call that moves the pointer does not fail.
    fn is_small(&self, block: Block, inst: Inst) -> bool {
        let callee = callgraph::callee(self.func, inst).and_then(|callee| self.callees.of(callee).allocation);
        let Some(allocation) = callee else {
            return true;
        };
        self.func.dfg.args(inst).iter().enumerate().filter(|(index, _)| *index != allocation.pointer).all(
            |(_, arg)| {
                let range = self.access.ranges.at(self.id, block, *arg);
                range.is_none_or(|range| range.all.facts.hi() <= word::low_mask(SIZE_BITS))
            },
        )
    }

    /// Other loads that may have found the same pointer: those on the ways to the move, back to where
    /// the pointer was moved before.
    ///
    /// # Errors
    /// Something else may have been put in its place, or there are too many ways.
    fn loaded_with(&self, found: &Move) -> Result<Vec<Origin>, Reason> {
        let load = self.func.dfg.def_inst(self.buffers.value(found.buffer));
        let mut loaded = Vec::new();
        let mut seen = FxHashSet::default();
        // Blocks with the instruction before which to look, and whether the load was passed.
        let mut work = vec![(found.block, self.func.layout.prev_inst(found.inst), false)];
        while let Some((block, mut next, mut is_before_load)) = work.pop() {
            let mut is_open = true;
            while let Some(inst) = next.filter(|_| is_open) {
                next = self.func.layout.prev_inst(inst);
                is_before_load |= Some(inst) == load;
                let written = self.writes(block, inst);
                match (written, is_before_load) {
                    (Written::Nothing, _) => {
                        let origin = self.loaded_at(inst).filter(|origin| *origin != found.buffer);
                        loaded.extend(origin);
                    }
                    (Written::Moved(buffer), false) if buffer == found.buffer => {}
                    (Written::Moved(_) | Written::Other, false) => return Err(Reason::Written),
                    (Written::Moved(_) | Written::Other, true) => is_open = false,
                }
            }
            if !is_open {
                continue;
            }
            for before in self.cfg.preds(block) {
                if seen.insert((*before, is_before_load)) {
                    if seen.len() > MAX_BLOCKS {
                        return Err(Reason::Far);
                    }
                    work.push((*before, self.func.layout.last_inst(*before), is_before_load));
                }
            }
        }
        Ok(loaded)
    }

    /// Whether one of the buffers is alive where the word is read next behind a move.
    fn use_when_read(&self, found: &Move, buffers: &[Origin]) -> Option<Reason> {
        let mut seen = FxHashSet::default();
        let mut work = vec![(found.block, self.func.layout.next_inst(found.inst))];
        while let Some((block, mut next)) = work.pop() {
            let mut is_open = true;
            while let Some(inst) = next.filter(|_| is_open) {
                next = self.func.layout.next_inst(inst);
                if self.reads(block, inst) {
                    if buffers.iter().any(|buffer| self.alive.is_before(inst, *buffer)) {
                        return Some(Reason::Used);
                    }
                    is_open = false;
                } else if is_move(self.func, inst) {
                    is_open = false;
                }
            }
            for after in self.cfg.succs(block).iter().filter(|_| is_open) {
                if seen.insert(*after) {
                    if seen.len() > MAX_BLOCKS {
                        return Some(Reason::Far);
                    }
                    work.push((*after, self.func.layout.first_inst(*after)));
                }
            }
        }
        None
    }

    fn loaded_at(&self, inst: Inst) -> Option<Origin> {
        let result = *self.func.dfg.results(inst).first()?;
        crate::pointer_word::is_loaded(self.func, inst).then(|| self.buffers.loads_of(result).next())?
    }

    fn reads(&self, block: Block, inst: Inst) -> bool {
        let callee = callgraph::callee(self.func, inst);
        self.access.reads(self.id, block, inst)
            || callee.is_some_and(|callee| self.callees.of(callee).reads_word)
    }

    fn writes(&self, block: Block, inst: Inst) -> Written {
        if let Some(value) = moved(self.func, inst, self.callees) {
            return self.buffers.buffer_of(value).map_or(Written::Other, Written::Moved);
        }
        let is_written = match callgraph::callee(self.func, inst) {
            Some(callee) => self.callees.of(callee).writes_word,
            None => self.access.written(self.id, block, inst).is_some(),
        };
        if is_written { Written::Other } else { Written::Nothing }
    }
}

/// What happens to the pointer's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Nothing,
    /// The pointer goes behind a buffer that does not escape.
    Moved(Origin),
    Other,
}
