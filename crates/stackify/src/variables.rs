//! Where variables of the source live, step by step: for debuggers.
//!
//! A trace binds a variable to a value once everything that stands before it in its block is
//! done. The binding holds to the end of the block and in blocks that are entered from there only.
//! Where a bound value lies is read off a symbolic replay of the stack; a value that is in neither
//! the stack nor a spill has no place, and its variable is not shown.

use crate::code::{BlockCode, FrameObject, ModuleCode, Place, ScheduledFunc, StackWord, Step};
use crate::symbolic::apply;
use cairn_ir::{Block, Inst, SecondaryMap, Value, Var};
use rustc_hash::FxHashMap;

/// Variables bound at once; further ones push out the oldest.
const MAX_BOUND: usize = 64;

/// Where a variable lies before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Found {
    /// So many words below the top of the stack.
    Stack(usize),
    /// In the frame.
    Frame(FrameObject),
}

/// The variables with a place, or one for each word, before one step.
pub(crate) type Visible = Vec<(Var, Vec<Found>)>;

type Bindings<'a> = Vec<(Var, &'a [Value])>;

/// Finds the variables of one function, block by block.
pub(crate) struct Variables<'a> {
    code: &'a ModuleCode,
    scheduled: &'a ScheduledFunc,
    spilled: FxHashMap<Value, FrameObject>,
    /// The only block that leads to a block.
    only_pred: SecondaryMap<Block, Option<Block>>,
    ends: SecondaryMap<Block, Bindings<'a>>,
}

impl<'a> Variables<'a> {
    /// `None` if nothing is traced.
    pub(crate) fn new(code: &'a ModuleCode, scheduled: &'a ScheduledFunc) -> Option<Self> {
        if scheduled.traces.is_empty() {
            return None;
        }
        let in_memory = scheduled.code.homes.iter().filter_map(|home| match home.place {
            Place::Memory(object) => Some((home.value, object)),
            Place::Nowhere | Place::Stack => None,
        });
        let spilled = in_memory.collect();
        let mut n_preds: SecondaryMap<Block, u32> = SecondaryMap::new();
        let mut only_pred = SecondaryMap::new();
        for block in &scheduled.code.blocks {
            for next in block.exit.targets(&scheduled.func) {
                n_preds[next] += 1;
                only_pred[next] = (n_preds[next] == 1).then_some(block.block);
            }
        }
        let mut variables = Variables { code, scheduled, spilled, only_pred, ends: SecondaryMap::new() };
        // Blocks come after those that lead to them, but for loops, whose heads inherit nothing.
        for block in &scheduled.code.blocks {
            variables.ends[block.block] = variables.replay(block, |_| {});
        }
        Some(variables)
    }

    /// What is visible before each step of a block, and after the last one.
    pub(crate) fn of_block(&self, block: &BlockCode) -> Vec<Visible> {
        let mut all = Vec::with_capacity(block.steps.len() + 1);
        self.replay(block, |visible| all.push(visible));
        all
    }

    fn replay(&self, block: &BlockCode, mut show: impl FnMut(Visible)) -> Bindings<'a> {
        let mut bound = self.only_pred[block.block].map(|pred| self.ends[pred].clone()).unwrap_or_default();
        let mut starts = self.starts(block).into_iter().peekable();
        let mut stack = block.entry.clone();
        for at in 0..=block.steps.len() {
            while let Some((_, var, values)) = starts.next_if(|(start, ..)| *start <= at) {
                bound.retain(|(other, _)| *other != var);
                bound.push((var, values));
                if bound.len() > MAX_BOUND {
                    bound.remove(0);
                }
            }
            let places = |values: &[Value]| {
                values.iter().map(|value| self.find(&stack, *value)).collect::<Option<Vec<Found>>>()
            };
            show(bound.iter().filter_map(|(var, values)| Some((*var, places(values)?))).collect());
            if let Some(step) = block.steps.get(at) {
                apply(self.code, self.scheduled, *step, &mut stack);
            }
        }
        bound
    }

    /// The bindings of a block with the steps before which they begin, in order.
    fn starts(&self, block: &BlockCode) -> Vec<(usize, Var, &'a [Value])> {
        let traces: Vec<_> =
            self.scheduled.traces.iter().filter(|trace| trace.block == block.block).collect();
        if traces.is_empty() {
            return Vec::new();
        }
        let insts = self.scheduled.func.layout.insts(block.block);
        let number: FxHashMap<Inst, usize> = insts.zip(1..).collect();
        let place = |inst: Option<Inst>| inst.and_then(|inst| number.get(&inst)).copied().unwrap_or(0);
        let mut starts: Vec<(usize, Var, &[Value])> = Vec::new();
        for trace in traces {
            let is_before =
                |step: &Step| step.origin.is_some_and(|inst| place(Some(inst)) <= place(trace.after));
            let start = block.steps.iter().rposition(is_before).map_or(0, |last| last + 1);
            let start = starts.last().map_or(start, |(before, ..)| start.max(*before));
            starts.push((start, trace.var, &trace.values));
        }
        starts
    }

    fn find(&self, stack: &[StackWord], value: Value) -> Option<Found> {
        let on_stack = stack.iter().rev().position(|word| *word == StackWord::Value(value));
        on_stack.map(Found::Stack).or_else(|| self.spilled.get(&value).copied().map(Found::Frame))
    }
}
