//! Answers: what a call writes to memory, and who loads it. See the head of [`relocate_buffers`](super).

use super::SCRATCH;
use crate::edit::constant_before;
use crate::guards::{Bound, Guards};
use crate::memory::{Heap, Place, Region, WORD, touches_memory};
use cairn_analysis::Cfg;
use cairn_evm::memory::{MemoryRegion, memory_write};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Function, Inst, Op, Value};

/// Instructions behind a call that are looked at.
const MAX_STEPS: usize = 256;

/// What a call writes to memory, where every load of it is known and finds what the call wrote.
pub(super) struct Answer {
    call: Inst,
    /// Where the call writes it.
    pub(super) region: Region,
    /// With their distances from the beginning of the answer.
    loads: Vec<(Inst, u64)>,
    /// Where the ways end on which nothing else was done with memory.
    pub(super) ends: Vec<End>,
}

/// The end of a way on which an answer is loaded.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// Before an instruction.
    Before(Block, Inst),
    /// At the start of a block that other ways lead to.
    Start(Block),
    /// Where the function returns to its caller.
    Return,
}

impl Answer {
    /// The answer of a call, if it fits into scratch.
    pub(super) fn of(func: &Function, facts: Facts<'_>, block: Block, call: Inst) -> Option<Answer> {
        let region = Region::of(func, call, written_by(func, call)?);
        let length = u64::try_from(region.length?).ok().filter(|length| (1..=SCRATCH).contains(length))?;
        let answer = Answer { call, region, loads: Vec::new(), ends: Vec::new() };
        let mut walk = Walk { func, facts, length, sizes: Vec::new(), answer };
        walk.follow(block)?;
        Some(walk.answer)
    }

    /// What is written otherwise if the answer is at the start of scratch.
    pub(super) fn regions(&self) -> [Region; 2] {
        [self.region, Region { place: Place::at(Word::ZERO), length: self.region.length }]
    }

    /// Lets the call write it at the start of scratch, and the loads find it there.
    pub(super) fn relocate(&self, func: &mut Function) {
        for (load, from) in &self.loads {
            func.dfg.args_mut(*load)[0] = constant_before(func, *load, Word::from(*from));
        }
        let Some(region) = written_by(func, self.call) else { return };
        func.dfg.args_mut(self.call)[usize::from(region.start)] =
            constant_before(func, self.call, Word::ZERO);
    }
}

/// What is known of a function whose calls are looked at.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) cfg: &'a Cfg,
    pub(super) guards: &'a Guards,
    pub(super) heap: Heap,
}

/// The ways behind a call, up to where memory is used otherwise or other ways join.
struct Walk<'a> {
    func: &'a Function,
    facts: Facts<'a>,
    /// Bytes that the call writes, if so many are returned.
    length: u64,
    /// What the ways so far found as the size of what was returned.
    sizes: Vec<Value>,
    answer: Answer,
}

/// What an instruction behind a call means for its answer.
enum Step {
    Pass,
    Load(u64),
    End,
}

impl Walk<'_> {
    fn follow(&mut self, home: Block) -> Option<()> {
        let (func, mut n_steps) = (self.func, 0);
        let mut work = vec![(home, func.layout.next_inst(self.answer.call))];
        while let Some((block, first)) = work.pop() {
            let mut next = first;
            while let Some(inst) = next {
                n_steps += 1;
                match self.step(inst) {
                    _ if n_steps > MAX_STEPS => return None,
                    Step::Load(from) if !self.is_returned(block, from + WORD) => return None,
                    Step::Load(from) => self.answer.loads.push((inst, from)),
                    Step::End => {
                        self.answer.ends.push(End::Before(block, inst));
                        break;
                    }
                    Step::Pass if func.dfg.op(inst) == Op::Iret => self.answer.ends.push(End::Return),
                    Step::Pass => {}
                }
                next = func.layout.next_inst(inst);
            }
            if next.is_none() {
                for succ in self.facts.cfg.succs(block) {
                    if self.facts.cfg.preds(*succ) == [block] {
                        work.push((*succ, func.layout.first_inst(*succ)));
                    } else {
                        self.answer.ends.push(End::Start(*succ));
                    }
                }
            }
        }
        Some(())
    }

    fn step(&mut self, inst: Inst) -> Step {
        let (func, op) = (self.func, self.func.dfg.op(inst));
        let place = || Place::of(func, func.dfg.args(inst)[0]);
        match op {
            Op::Evm(Opcode::MLOAD) => {
                let last = self.length.checked_sub(WORD);
                let from = last.and_then(|last| place().behind(self.answer.region.place, last));
                from.map_or(Step::End, Step::Load)
            }
            // The pointer to free memory and what else programs keep between scratch and what they allocate.
            Op::Evm(Opcode::MSTORE) if self.is_reserved(place()) => Step::Pass,
            Op::Evm(Opcode::RETURNDATASIZE) => {
                self.sizes.push(func.dfg.result(inst));
                Step::Pass
            }
            op if touches_memory(op) => Step::End,
            _ => Step::Pass,
        }
    }

    /// True for a word behind scratch and before all that is allocated.
    fn is_reserved(&self, at: Place) -> bool {
        let end = at.offset.checked_add(Word::from(WORD));
        let is_below = |free: u64| end.is_some_and(|end| end <= Word::from(free));
        at.base.is_none()
            && at.offset >= Word::from(SCRATCH)
            && self.facts.heap.free_from.is_some_and(is_below)
    }

    /// True if so many bytes were surely returned where control is in a block.
    fn is_returned(&self, block: Block, length: u64) -> bool {
        let is_enough = |bound| match bound {
            Bound::AtLeast(least) => {
                self.func.dfg.as_const(least).is_some_and(|least| least >= Word::from(length))
            }
            Bound::AtMost(_) | Bound::Below(_) | Bound::AtMostWord(_) => false,
        };
        self.sizes.iter().any(|size| self.facts.guards.of(*size, block).any(is_enough))
    }
}

/// What a call writes to memory of what it gets back.
fn written_by(func: &Function, call: Inst) -> Option<MemoryRegion> {
    match func.dfg.op(call) {
        Op::Evm(opcode @ (Opcode::CALL | Opcode::CALLCODE | Opcode::DELEGATECALL | Opcode::STATICCALL)) => {
            memory_write(opcode)
        }
        _ => None,
    }
}
