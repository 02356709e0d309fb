//! Executes a block on one stack.

use super::{Engine, STACK_LIMIT};
use crate::absint::store::{Entered, MAIN, Origin, State, StateId};
use crate::absint::summary::{Summary, Way};
use crate::absint::value::Value;
use crate::blocks::BlockEnd;

impl Engine<'_> {
    pub(super) fn execute(&mut self, id: StateId) {
        self.states[id as usize].is_queued = false;
        let State { proc, block, stack, .. } = self.states[id as usize];
        let data = *self.blocks.get(block);
        if data.ends == BlockEnd::Halt {
            return;
        }
        if proc == MAIN && stack.count < data.needs {
            self.underflows.push(block);
            return;
        }
        // The words below those that the procedure keeps make the stack only higher.
        if stack.count + data.peak > STACK_LIMIT {
            self.overflows.push(block);
            return;
        }
        let summary = self.summary(block);
        self.evaluate_exprs(proc, stack, summary);
        let pushes = summary.first..summary.first + summary.count;
        let first_expr = summary.first_expr;
        let Some(base) = self.replace_top(proc, stack, summary.pops, pushes, first_expr) else { return };
        let known =
            |value: Option<Value>| value.and_then(|value| self.substitute(proc, stack, first_expr, value));
        let (target, condition) = (known(summary.target), known(summary.condition));
        let (can_jump, can_fall) = self.directions(condition);
        let scratch = std::mem::take(&mut self.scratch);
        let mut before = std::mem::take(&mut self.refined);
        if let Some(target) = target.filter(|_| can_jump) {
            let words = self.refine(&mut before, &scratch, summary, Way::Jump);
            self.go_to(proc, target, base, words, Origin::Block(block));
        }
        if can_fall
            && matches!(data.ends, BlockEnd::Fallthrough | BlockEnd::JumpI)
            && (block as usize) + 1 < self.blocks.len()
        {
            let words = self.refine(&mut before, &scratch, summary, Way::Fallthrough);
            if self.falls_into_function(block, words) {
                self.call(proc, block + 1, base, words, Entered::ByCall);
            } else {
                self.flow(proc, block + 1, base, words);
            }
        }
        self.refined = before;
        self.scratch = scratch;
    }

    /// The stack on one way out of a block, with the words that are zero there.
    #[inline]
    pub(crate) fn refine<'b>(
        &self,
        refined: &'b mut Vec<Value>,
        words: &'b [Value],
        summary: Summary,
        way: Way,
    ) -> &'b [Value] {
        if summary.zero_count == 0 || summary.zero_on_jump != (way == Way::Jump) {
            return words;
        }
        self.set_zeros(refined, words, summary);
        refined
    }

    #[inline(never)]
    fn set_zeros(&self, refined: &mut Vec<Value>, words: &[Value], summary: Summary) {
        refined.clear();
        refined.extend_from_slice(words);
        let zeros = summary.first_zero as usize..(summary.first_zero + summary.zero_count) as usize;
        for place in &self.summarizer.zeros[zeros] {
            if let Some(word) = words.len().checked_sub(1 + *place as usize).map(|index| &mut refined[index])
            {
                *word = Value::constant(0);
            }
        }
    }

    /// Whether a branch on this condition can jump, and whether it can fall through.
    #[inline]
    pub(crate) fn directions(&self, condition: Option<Value>) -> (bool, bool) {
        match condition {
            Some(condition) if !condition.is_unknown() => self.directions_of(condition),
            _ => (true, true),
        }
    }

    #[inline(never)]
    fn directions_of(&self, condition: Value) -> (bool, bool) {
        if let Some(small) = condition.as_const() {
            return (small != 0, small == 0);
        }
        match self.pool.set(condition) {
            Some(words) => {
                (words.iter().any(|word| !word.is_zero()), words.iter().any(|word| word.is_zero()))
            }
            None => (true, true),
        }
    }
}
