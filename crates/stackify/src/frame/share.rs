//! Which objects of one function share memory.
//!
//! Only spills and slots do: nobody else knows their addresses. An object is live from a store to
//! the loads that can see it. Steps are numbered in the order of the code; the *interval* of an
//! object reaches from the first to the last step where it is live or written. Objects whose
//! intervals are apart share a word: intervals are visited by their start and get the lowest free
//! word. The checker proves the result.

use super::set::ObjectSet;
use super::{FuncFrame, WORD_BYTES};
use crate::allocas::{Allocas, Escape};
use crate::code::{BlockCode, FrameObject, FrameUse, ScheduledFunc, Step, StepKind};
use cairn_evm::Opcode;
use cairn_ir::{Block, Inst, SecondaryMap};
use cranelift_entity::packed_option::PackedOption;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Functions with more blocks times objects don't share: their live sets would be too large.
const MAX_LIVE_BITS: usize = 1 << 28;

/// Lays out the objects of one function.
pub(crate) fn lay_out_objects(scheduled: &ScheduledFunc) -> FuncFrame {
    let mut frame = FuncFrame::default();
    if scheduled.code.frame.is_empty() {
        return frame;
    }
    let mut accesses = Accesses::of(scheduled);
    if scheduled.code.blocks.len() * scheduled.code.frame.len() > MAX_LIVE_BITS {
        accesses.shareable = ObjectSet::default();
    } else {
        share(&accesses.intervals(), &mut frame);
    }
    // An object that could share but is never accessed has the first word, like one that is.
    if scheduled.code.frame.keys().any(|object| accesses.can_share(object)) {
        frame.size = frame.size.max(WORD_BYTES);
    }
    for (object, data) in &scheduled.code.frame {
        if !accesses.can_share(object) {
            frame.offsets[object] = frame.size;
            frame.size += data.size.next_multiple_of(WORD_BYTES);
        }
    }
    frame
}

/// An object and the steps between which it is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Interval {
    start: usize,
    end: usize,
    object: FrameObject,
}

fn share(intervals: &[Interval], frame: &mut FuncFrame) {
    let mut active: BinaryHeap<Reverse<(usize, u64)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    for interval in intervals {
        while let Some(Reverse((end, offset))) = active.peek().copied() {
            if end >= interval.start {
                break;
            }
            active.pop();
            free.push(Reverse(offset));
        }
        let offset = match free.pop() {
            Some(Reverse(offset)) => offset,
            None => {
                frame.size += WORD_BYTES;
                frame.size - WORD_BYTES
            }
        };
        frame.offsets[interval.object] = offset;
        active.push(Reverse((interval.end, offset)));
    }
}

/// What a step does to an object.
#[derive(Clone, Copy, Debug)]
enum Access {
    Load(FrameObject),
    Store(FrameObject),
}

/// The accesses to objects that can share memory.
struct Accesses<'a> {
    scheduled: &'a ScheduledFunc,
    allocas: Allocas,
    objects: SecondaryMap<Inst, PackedOption<FrameObject>>,
    shareable: ObjectSet,
}

impl<'a> Accesses<'a> {
    fn of(scheduled: &'a ScheduledFunc) -> Self {
        let has_alloca = |usage| matches!(usage, FrameUse::Alloca(_));
        let any_alloca = scheduled.code.frame.values().any(|data| has_alloca(data.usage));
        let allocas = if any_alloca { Allocas::of(&scheduled.func) } else { Allocas::default() };
        let mut objects: SecondaryMap<Inst, PackedOption<FrameObject>> = SecondaryMap::new();
        let mut shareable = ObjectSet::new(scheduled.code.frame.len());
        for (object, data) in &scheduled.code.frame {
            let can_share = match data.usage {
                FrameUse::Alloca(inst) => {
                    objects[inst] = object.into();
                    allocas.escape(inst) == Escape::Slot
                }
                FrameUse::Spill => true,
            };
            if can_share {
                shareable.insert(object);
            }
        }
        Accesses { scheduled, allocas, objects, shareable }
    }

    fn can_share(&self, object: FrameObject) -> bool {
        self.shareable.contains(object)
    }

    /// What a step does, given the step before it.
    fn access(&self, step: Step, before: Option<&Step>) -> Option<Access> {
        let StepKind::Op(opcode @ (Opcode::MLOAD | Opcode::MSTORE)) = step.kind else { return None };
        let object = match (step.origin, before.map(|step| step.kind)) {
            (Some(inst), _) => {
                let pointer = self.scheduled.func.dfg.args(inst).first()?;
                self.objects[self.allocas.points_into(*pointer)?].expand()?
            }
            (None, Some(StepKind::PushFrame(object, _))) => object,
            (None, _) => return None,
        };
        let access = if opcode == Opcode::MLOAD { Access::Load(object) } else { Access::Store(object) };
        self.can_share(object).then_some(access)
    }

    /// The accesses of a block, last first, with the index of their step.
    fn backwards<'b>(&'b self, code: &'b BlockCode) -> impl Iterator<Item = (usize, Access)> + 'b {
        let before = |index: usize| index.checked_sub(1).map(|index| &code.steps[index]);
        let steps = code.steps.iter().enumerate().rev();
        steps.filter_map(move |(index, step)| Some((index, self.access(*step, before(index))?)))
    }

    /// The objects live into each block, by index of its code.
    fn live_in(&self, at: &SecondaryMap<Block, u32>) -> Vec<ObjectSet> {
        let blocks = &self.scheduled.code.blocks;
        let mut preds: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
        for (index, code) in blocks.iter().enumerate() {
            for next in code.exit.targets(&self.scheduled.func) {
                if let Some(preds) = preds.get_mut(at[next] as usize) {
                    preds.push(index);
                }
            }
        }
        let mut live_in = vec![ObjectSet::new(self.scheduled.code.frame.len()); blocks.len()];
        let mut worklist: Vec<usize> = (0..blocks.len()).collect();
        let mut is_waiting = vec![true; blocks.len()];
        while let Some(index) = worklist.pop() {
            is_waiting[index] = false;
            let mut live = self.live_out(&blocks[index], at, &live_in);
            for (_, access) in self.backwards(&blocks[index]) {
                match access {
                    Access::Load(object) => live.insert(object),
                    Access::Store(object) => live.remove(object),
                }
            }
            if live_in[index] != live {
                live_in[index] = live;
                worklist.extend(
                    preds[index].iter().copied().filter(|p| !std::mem::replace(&mut is_waiting[*p], true)),
                );
            }
        }
        live_in
    }

    fn live_out(&self, code: &BlockCode, at: &SecondaryMap<Block, u32>, live_in: &[ObjectSet]) -> ObjectSet {
        let mut live = ObjectSet::new(self.scheduled.code.frame.len());
        let targets = code.exit.targets(&self.scheduled.func);
        targets.iter().for_each(|next| live.add_all(live_in.get(at[*next] as usize)));
        live
    }

    /// The intervals of all objects that can share memory and are used at all, by their start.
    fn intervals(&self) -> Vec<Interval> {
        let mut at: SecondaryMap<Block, u32> = SecondaryMap::with_default(u32::MAX);
        self.scheduled.code.blocks.iter().zip(0..).for_each(|(code, index)| at[code.block] = index);
        let live_in = self.live_in(&at);
        let mut found: SecondaryMap<FrameObject, Option<(usize, usize)>> = SecondaryMap::new();
        let mut extend = |object: FrameObject, at: usize| {
            let (start, end) = found[object].unwrap_or((at, at));
            found[object] = Some((start.min(at), end.max(at)));
        };
        let mut first = 0;
        for (code, live) in self.scheduled.code.blocks.iter().zip(&live_in) {
            let last = first + code.steps.len();
            live.iter().for_each(|object| extend(object, first));
            self.live_out(code, &at, &live_in).iter().for_each(|object| extend(object, last));
            for (index, access) in self.backwards(code) {
                let (Access::Load(object) | Access::Store(object)) = access;
                extend(object, first + index);
            }
            first = last + 1;
        }
        let objects = self.scheduled.code.frame.keys();
        let used =
            objects.filter_map(|object| found[object].map(|(start, end)| Interval { start, end, object }));
        let mut intervals: Vec<Interval> = used.collect();
        intervals.sort_unstable();
        intervals
    }
}
