//! What a step does to a stack whose words are known by what they stand for.
//!
//! For debuggers and explanations; the checker has a replay of its own, which trusts nothing.

use crate::code::{ModuleCode, ScheduledFunc, StackWord, Step, StepKind};

/// Carries out a step. Words that the code should have and has not are [`StackWord::Junk`].
pub(crate) fn apply(code: &ModuleCode, scheduled: &ScheduledFunc, step: Step, stack: &mut Vec<StackWord>) {
    let dfg = &scheduled.func.dfg;
    let results = step.origin.map(|inst| dfg.results(inst)).unwrap_or_default();
    let height = stack.len();
    match step.kind {
        StepKind::Push(word) => stack.push(StackWord::Const(word)),
        StepKind::PushFrame(..) | StepKind::PushHeapBase => {
            stack.push(results.first().map_or(StackWord::Junk, |value| StackWord::Value(*value)));
        }
        StepKind::PushReturnLabel(call) => stack.push(StackWord::CallReturn(call)),
        StepKind::Dup(depth) => {
            let word = height.checked_sub(usize::from(depth)).and_then(|at| stack.get(at)).copied();
            stack.push(word.unwrap_or(StackWord::Junk));
        }
        StepKind::Swap(depth) => {
            if let Some(at) = height.checked_sub(usize::from(depth) + 1) {
                stack.swap(at, height - 1);
            }
        }
        StepKind::Pop => drop(stack.pop()),
        StepKind::Op(opcode) => {
            let info = opcode.known();
            stack.truncate(height.saturating_sub(usize::from(info.inputs)));
            if info.outputs > 0 {
                stack.push(results.first().map_or(StackWord::Junk, |value| StackWord::Value(*value)));
            }
        }
        StepKind::Symbolic => {
            let taken = step.origin.map_or(0, |inst| dfg.args(inst).len());
            stack.truncate(height.saturating_sub(taken));
            stack.extend(results.iter().rev().map(|value| StackWord::Value(*value)));
        }
        StepKind::Call(callee) => {
            let label = step.origin.map(StackWord::CallReturn);
            let base = stack.iter().rposition(|word| Some(*word) == label);
            stack.truncate(base.unwrap_or(0));
            let convention = code[callee].as_ref().map(|callee| &callee.code.convention);
            let order = convention.map(|convention| convention.results.as_slice()).unwrap_or_default();
            let given = order.iter().filter_map(|index| results.get(usize::from(*index)));
            stack.extend(given.map(|value| StackWord::Value(*value)));
        }
    }
}
