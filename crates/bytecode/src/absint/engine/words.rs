//! Words of stacks that hold words of callers.

use super::{Engine, WORDS_AN_OPERATION};
use crate::absint::store::{MAIN, ProcId, Stack};
use crate::absint::summary::Summary;
use crate::absint::value::{Kind, Value};

impl Engine<'_> {
    /// The word `index` places below the top; `None` below the bottom of the EVM's stack.
    pub(crate) fn word_at(&self, proc: ProcId, stack: Stack, index: u32) -> Option<Value> {
        if index < stack.count {
            return Some(self.arena[(stack.first + stack.count - 1 - index) as usize]);
        }
        (proc != MAIN).then(|| Value::input(stack.base + index - stack.count))
    }

    #[inline]
    pub(crate) fn substitute(
        &self,
        proc: ProcId,
        stack: Stack,
        first_expr: u32,
        value: Value,
    ) -> Option<Value> {
        match value.kind() {
            Kind::Input { index, is_masked } => {
                let word = self.word_at(proc, stack, index)?;
                Some(if is_masked { word.masked() } else { word })
            }
            Kind::Expr(id) => Some(self.expr_values[(id - first_expr) as usize]),
            Kind::Unknown | Kind::Const(_) | Kind::Set(_) => Some(value),
        }
    }

    /// Leaves in `scratch` the stack after popping and pushing; its base. `None`: underflow.
    pub(crate) fn replace_top(
        &mut self,
        proc: ProcId,
        stack: Stack,
        pops: u32,
        pushes: std::ops::Range<u32>,
        first_expr: u32,
    ) -> Option<u32> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let kept = stack.count.saturating_sub(pops);
        self.spend(u64::from(kept) + pushes.len() as u64);
        let mut base = stack.base + pops.saturating_sub(stack.count);
        scratch.extend_from_slice(&self.arena[stack.first as usize..(stack.first + kept) as usize]);
        let mut is_whole = proc != MAIN || pops <= stack.count;
        scratch.extend(self.arena[pushes.start as usize..pushes.end as usize].iter().map(|value| {
            let value = self.substitute(proc, stack, first_expr, *value);
            is_whole &= value.is_some();
            value.unwrap_or(Value::UNKNOWN)
        }));
        if kept == 0 && base > 0 {
            let unchanged = |(index, value): &(usize, &Value)| {
                (*index as u32) < base && **value == Value::input(base - 1 - *index as u32)
            };
            let same = scratch.iter().enumerate().take_while(unchanged).count();
            scratch.drain(..same);
            base -= same as u32;
        }
        self.scratch = scratch;
        is_whole.then_some(base)
    }

    #[inline]
    pub(crate) fn evaluate_exprs(&mut self, proc: ProcId, stack: Stack, summary: Summary) {
        self.expr_values.clear();
        if summary.expr_count > 0 || self.pool.operations > 0 {
            self.evaluate_all(proc, stack, summary);
        }
    }

    #[inline(never)]
    fn evaluate_all(&mut self, proc: ProcId, stack: Stack, summary: Summary) {
        for index in summary.first_expr..summary.first_expr + summary.expr_count {
            let expr = self.summarizer.exprs[index as usize];
            let known =
                |value| self.substitute(proc, stack, summary.first_expr, value).unwrap_or(Value::UNKNOWN);
            let (a, b) = (known(expr.a), expr.b.map(known));
            let value = self.pool.apply(expr.op, a, b);
            self.expr_values.push(value);
        }
        let operations = std::mem::take(&mut self.pool.operations) + u64::from(summary.expr_count);
        self.spend(operations * WORDS_AN_OPERATION);
    }
}
