//! Where control can go, by abstract interpretation of the stack.
//!
//! First only jump destinations are followed through the stack, which resolves what compilers
//! write. Where that leaves a jump open, sets of words are followed through arithmetic too. What
//! is still open then goes to every `JUMPDEST` that the height of the stack allows. When even that
//! takes too much work, every `JUMPDEST` counts as reached: the result is coarse, never wrong.

mod coarse;
pub(crate) mod engine;
mod outcome;
pub(crate) mod store;
pub(crate) mod summary;
pub(crate) mod value;

pub(crate) use outcome::{Outcome, Procedure};

use crate::blocks::Blocks;
use crate::optable::OpTable;
use engine::Engine;
use summary::Precision;

/// Steps a block while only destinations are followed, and the least.
pub(crate) const FUEL_OF_LABELS: (u64, u64) = (200, 20_000);
/// The same for sets of words.
const FUEL_OF_WORDS: (u64, u64) = (100, 50_000);
/// The most steps of the second attempt.
pub(crate) const MAX_FUEL_OF_WORDS: u64 = 400_000;

/// Interprets the code; see the head of the module.
pub(crate) fn interpret(code: &[u8], blocks: &Blocks, table: &OpTable) -> Outcome {
    let count = blocks.len() as u64;
    let mut engine = Engine::new(code, blocks, table, Precision::Labels);
    engine.run(FUEL_OF_LABELS.1 + count * FUEL_OF_LABELS.0);
    if !engine.gave_up && engine.is_resolved() {
        return outcome::collect(&engine);
    }
    let mut engine = Engine::new(code, blocks, table, Precision::Words);
    engine.run((FUEL_OF_WORDS.1 + count * FUEL_OF_WORDS.0).min(MAX_FUEL_OF_WORDS));
    if !engine.gave_up {
        return outcome::collect(&engine);
    }
    coarse::collect(code, blocks, table)
}
