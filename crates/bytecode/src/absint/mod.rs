//! Where control can go, by abstract interpretation of the stack.
//!
//! First only jump destinations are followed through the stack, which resolves what compilers
//! write. Where that leaves a jump open, sets of words are followed through arithmetic too. What
//! is still open then goes to every `JUMPDEST`, those included where the stack then runs out. When
//! even that takes too much work, every `JUMPDEST` counts as reached: the result is coarse, never wrong.
//!
//! Where a jump stays open, control may enter anything in its middle, and most of what comes after
//! is lost in that. What the first attempt found out about *regular* control, which does not come
//! from an open jump, is kept beside it: the functions, those that only open jumps may call
//! included, and which jumps are open of themselves.

mod coarse;
pub(crate) mod engine;
mod outcome;
pub(crate) mod store;
mod subject;
pub(crate) mod summary;
pub(crate) mod value;

pub(crate) use engine::{CallSite, FoundEdge};
pub(crate) use outcome::{AddressPlace, MAX_EDGES, Outcome, Procedure};
pub(crate) use subject::Subject;

use engine::Engine;
use summary::Precision;

/// Steps a block while only destinations are followed, and the least.
pub(crate) const FUEL_OF_LABELS: (u64, u64) = (200, 20_000);
/// The same for sets of words.
const FUEL_OF_WORDS: (u64, u64) = (100, 50_000);
/// The most steps of the second attempt.
pub(crate) const MAX_FUEL_OF_WORDS: u64 = 400_000;

/// Interprets the code; see the head of the module.
pub(crate) fn interpret(subject: Subject<'_>) -> Outcome {
    let count = subject.blocks.len() as u64;
    let fuel_of_labels = FUEL_OF_LABELS.1 + count * FUEL_OF_LABELS.0;
    let mut labels = Engine::new(subject, Precision::Labels);
    labels.run(fuel_of_labels);
    if labels.is_resolved()
        && let Some(outcome) = found(&labels)
    {
        return outcome;
    }
    let mut engine = Engine::new(subject, Precision::Words);
    engine.run((FUEL_OF_WORDS.1 + count * FUEL_OF_WORDS.0).min(MAX_FUEL_OF_WORDS));
    let mut outcome = found(&engine).unwrap_or_else(|| coarse::collect(subject));
    let is_known = !outcome.is_coarse && engine.is_resolved();
    // Where words tell all, nobody asks for what labels alone told.
    let regular = if is_known { None } else { find_regular(&mut labels, fuel_of_labels) };
    outcome.asks_for_end |= labels.asks_for_end();
    if let Some(regular) = regular {
        outcome.add_regular(regular);
    }
    outcome
}

/// What an engine found; `None` where that may not be relied on, or is too much.
fn found(engine: &Engine<'_>) -> Option<Outcome> {
    if engine.gave_up { None } else { outcome::collect(engine) }
}

/// What is known of control that does not come from an open jump, and of what only such a jump may enter; of the former
/// alone where that is too much.
fn find_regular(labels: &mut Engine<'_>, fuel: u64) -> Option<Outcome> {
    let outcome = found(labels)?;
    labels.enter_unreached(fuel);
    Some(match found(labels) {
        Some(all) => Outcome { jumps: outcome.jumps, ..all },
        None => outcome,
    })
}
