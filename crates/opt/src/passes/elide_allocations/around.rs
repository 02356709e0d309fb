//! The code around a move of the pointer: whether the move is needed.

use super::alive::Alive;
use super::allocation::{LENGTH_BITS, SIZE_BITS};
use super::buffers::is_move;
use super::callee::Callees;
use super::functions::Scene;
use super::parts::Origin;
use crate::pointer_word;
use cairn_analysis::callgraph;
use cairn_evm::{Opcode, word};
use cairn_ir::{Block, Function, Inst, Op, Value};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

/// Blocks that are looked at before and behind a move.
const MAX_BLOCKS: usize = 64;

/// Sums in a place that the pointer is moved to.
const MAX_DEPTH: u32 = 8;

/// The word that the pointer is moved to a sum with, if that is what an instruction does.
pub(super) fn moved(func: &Function, inst: Inst, callees: &Callees) -> Option<Value> {
    let args = func.dfg.args(inst);
    if is_move(func, inst) {
        return Some(args[1]);
    }
    callees.moved_behind(func, inst).map(|pointer| args[pointer])
}

/// Why a move stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Escapes,
    Large,
    Written,
    Used,
    Far,
}

impl Reason {
    /// For remarks.
    pub(super) fn text(self) -> &'static str {
        match self {
            Reason::Escapes => "where the buffer lies is kept or passed on",
            Reason::Large => "its size may be large",
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
pub(super) struct Around<'a> {
    scene: Scene<'a>,
    /// Computed when it is first asked for.
    alive: OnceCell<Alive<'a>>,
}

impl<'a> Around<'a> {
    pub(super) fn new(scene: Scene<'a>) -> Around<'a> {
        Around { scene, alive: OnceCell::new() }
    }

    fn alive(&self) -> &Alive<'a> {
        let is_read = |block: Block, inst: Inst| {
            self.scene.callees.reads(self.scene.access, self.scene.id, block, inst)
        };
        self.alive
            .get_or_init(|| Alive::compute(self.scene.func, self.scene.cfg, self.scene.buffers, is_read))
    }

    /// True for calls that do nothing but allocate what is small and fill it.
    pub(super) fn is_allocation(&self, block: Block, inst: Inst) -> bool {
        let callee = callgraph::callee(self.scene.func, inst)
            .filter(|callee| self.scene.callees.of(*callee).only_allocates);
        callee.is_some()
            && self.scene.func.dfg.args(inst).iter().all(|length| self.has_bits(block, *length, LENGTH_BITS))
    }

    /// Why a move stays, if it has to.
    pub(super) fn reason_to_stay(&self, block: Block, inst: Inst) -> Option<Reason> {
        let buffer = moved(self.scene.func, inst, self.scene.callees)
            .and_then(|value| self.scene.buffers.buffer_of(value));
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
        if buffers.iter().any(|buffer| self.scene.buffers.fate(*buffer).escapes) {
            return Some(Reason::Escapes);
        }
        self.use_when_read(&found, &buffers)
    }

    /// Whether the pointer is moved by so little that no check of where it gets to ever fails for it.
    pub(super) fn is_small(&self, block: Block, inst: Inst) -> bool {
        let args = self.scene.func.dfg.args(inst);
        match self.scene.callees.moved_behind(self.scene.func, inst) {
            Some(pointer) => {
                let mut sizes = args.iter().enumerate().filter(|(index, _)| *index != pointer);
                self.is_near(block, args[pointer], 0) && sizes.all(|(_, size)| self.is_step(block, *size))
            }
            None => self.is_near(block, args[1], 0),
        }
    }

    /// True for a load of the pointer and what is below 2^28.
    fn is_near(&self, block: Block, value: Value, depth: u32) -> bool {
        let dfg = &self.scene.func.dfg;
        let Some(inst) = dfg.def_inst(value).filter(|_| depth < MAX_DEPTH) else {
            return false;
        };
        let args = dfg.args(inst);
        let is_near = |index: usize| self.is_near(block, args[index], depth + 1);
        let is_step = |index: usize| self.is_step(block, args[index]);
        match dfg.op(inst) {
            Op::PtrToInt | Op::IntToPtr => is_near(0),
            Op::PtrAdd | Op::Evm(Opcode::ADD) => (is_near(0) && is_step(1)) || (is_step(0) && is_near(1)),
            Op::Evm(Opcode::SUB) => is_near(0) && is_step(1),
            // Only rounding belongs to what it rounds.
            Op::Evm(Opcode::AND) => is_near(0) || is_near(1),
            _ => pointer_word::is_loaded(self.scene.func, inst),
        }
    }

    /// True for words that the pointer may be moved by.
    fn is_step(&self, block: Block, value: Value) -> bool {
        self.has_bits(block, value, SIZE_BITS)
    }

    /// True for words that have no more bits.
    fn has_bits(&self, block: Block, value: Value, bits: usize) -> bool {
        let range = self.scene.access.ranges.at(self.scene.id, block, value);
        range.is_none_or(|range| range.all.facts.hi() <= word::low_mask(bits))
    }

    /// Other loads that may have found the same pointer: those on the ways to the move, back to where
    /// the pointer was moved before. Other moves behind the same buffer may lie between, if they are small:
    /// where a move takes back one that need not be possible, it stays.
    ///
    /// # Errors
    /// Something else may have been put in its place, or there are too many ways.
    fn loaded_with(&self, found: &Move) -> Result<Vec<Origin>, Reason> {
        let load = self.scene.func.dfg.def_inst(self.scene.buffers.value(found.buffer));
        let mut loaded = Vec::new();
        let mut seen = FxHashSet::default();
        // Blocks with the instruction before which to look, and whether the load was passed.
        let mut work = vec![(found.block, self.scene.func.layout.prev_inst(found.inst), false)];
        while let Some((block, mut next, mut is_before_load)) = work.pop() {
            let mut is_open = true;
            while let Some(inst) = next.filter(|_| is_open) {
                next = self.scene.func.layout.prev_inst(inst);
                is_before_load |= Some(inst) == load;
                let written = self.writes(block, inst);
                match (written, is_before_load) {
                    (Written::Nothing, _) => {
                        let origin = self
                            .scene
                            .buffers
                            .loaded_at(self.scene.func, inst)
                            .filter(|origin| *origin != found.buffer);
                        loaded.extend(origin);
                    }
                    (Written::Moved(buffer), false)
                        if buffer == found.buffer && self.is_small(block, inst) => {}
                    (Written::Moved(_) | Written::Other, false) => return Err(Reason::Written),
                    (Written::Moved(_) | Written::Other, true) => is_open = false,
                }
            }
            if !is_open {
                continue;
            }
            for before in self.scene.cfg.preds(block) {
                if seen.insert((*before, is_before_load)) {
                    if seen.len() > MAX_BLOCKS {
                        return Err(Reason::Far);
                    }
                    work.push((*before, self.scene.func.layout.last_inst(*before), is_before_load));
                }
            }
        }
        Ok(loaded)
    }

    /// Whether one of the buffers is alive where the word is read next behind a move.
    fn use_when_read(&self, found: &Move, buffers: &[Origin]) -> Option<Reason> {
        let mut seen = FxHashSet::default();
        let mut work = vec![(found.block, self.scene.func.layout.next_inst(found.inst))];
        while let Some((block, mut next)) = work.pop() {
            let mut is_open = true;
            while let Some(inst) = next.filter(|_| is_open) {
                next = self.scene.func.layout.next_inst(inst);
                if self.scene.callees.reads(self.scene.access, self.scene.id, block, inst) {
                    if buffers.iter().any(|buffer| self.alive().is_before(inst, *buffer)) {
                        return Some(Reason::Used);
                    }
                    is_open = false;
                } else if is_move(self.scene.func, inst) {
                    is_open = false;
                }
            }
            for after in self.scene.cfg.succs(block).iter().filter(|_| is_open) {
                if seen.insert(*after) {
                    if seen.len() > MAX_BLOCKS {
                        return Some(Reason::Far);
                    }
                    work.push((*after, self.scene.func.layout.first_inst(*after)));
                }
            }
        }
        None
    }

    fn writes(&self, block: Block, inst: Inst) -> Written {
        if let Some(value) = moved(self.scene.func, inst, self.scene.callees) {
            return self.scene.buffers.buffer_of(value).map_or(Written::Other, Written::Moved);
        }
        match self.scene.callees.writes(self.scene.access, self.scene.id, block, inst) {
            true => Written::Other,
            false => Written::Nothing,
        }
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
