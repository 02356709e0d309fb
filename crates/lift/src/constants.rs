//! Words that constants alone make.
//!
//! Code that is not optimized computes where it copies from, and how much: sums of pushes.

use cairn_evm::{Word, word};
use cairn_ir::{Function, Value};

/// Operations that are evaluated for one word at most.
const MAX_OPERATIONS: u32 = 16;

/// The word that a value is, where it is a constant or operations make it of some.
pub(crate) fn constant(func: &Function, value: Value) -> Option<Word> {
    let mut num_left = MAX_OPERATIONS;
    evaluate(func, value, &mut num_left)
}

fn evaluate(func: &Function, value: Value, num_left: &mut u32) -> Option<Word> {
    if let Some(word) = func.dfg.as_const(value) {
        return Some(word);
    }
    *num_left = num_left.checked_sub(1)?;
    let (op, args) = func.dfg.as_evm(value)?;
    let args = args.iter().map(|arg| evaluate(func, *arg, num_left));
    word::eval(op, &args.collect::<Option<Vec<Word>>>()?)
}
