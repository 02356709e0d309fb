//! Calls in a dispatcher: which of them are a part of it.

use super::run::End;
use super::word::{Stack, Word};
use super::{State, Walk};
use smallvec::SmallVec;

/// Blocks of a function that is called for the selector.
const MAX_IN_CALL: usize = 8;

/// What was seen of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// It comes back, and is a part of the dispatcher.
    Part,
    /// It comes back.
    Other,
    /// It does not come back on a straight way.
    Away,
}

/// True if a call with one stack that comes back with another one is a part of a dispatcher.
fn is_of_dispatcher(before: &Stack, after: &Stack) -> bool {
    let has_selector = |stack: &Stack| stack.contains(&Word::Selector);
    let makes_selector = before.contains(&Word::Calldata) && !has_selector(before) && has_selector(after);
    // Made there, or before: then what it is joined with is made there.
    let has_comparison = after.iter().any(|word| word.is_comparison());
    let mut made = after.iter().filter(|word| !before.contains(word));
    makes_selector || has_comparison || made.all(|word| word.is_constant())
}

impl Walk<'_> {
    /// Runs a call until it comes back, and says whether it is a part of the dispatcher. Code that is not optimized shifts in a function and
    /// gets the selector from it; what is optimized for size may do in one what several cases have in common: it
    /// compares there, or pushes long constants. Other calls are no part of a dispatcher.
    pub(super) fn run_call(&self, state: &mut State) -> Called {
        let before = state.stack.clone();
        let returns: SmallVec<[u32; 4]> = self.addresses(&before).collect();
        for _ in 0..MAX_IN_CALL {
            match self.run(state.pc, &mut state.stack) {
                End::Fall(pc) => state.pc = pc,
                End::Jump(Some(pc)) | End::Next(pc) => {
                    state.pc = pc;
                    if returns.contains(&pc) {
                        let is_part = is_of_dispatcher(&before, &state.stack);
                        return if is_part { Called::Part } else { Called::Other };
                    }
                }
                End::Jump(None) | End::OneOf(_) | End::Row(_) | End::Branch(..) | End::Revert => {
                    return Called::Away;
                }
            }
        }
        Called::Away
    }

    /// What lies on a stack that a call may return to. A zero is a number, also in code that begins with a `JUMPDEST`.
    pub(super) fn addresses<'s>(&'s self, stack: &'s Stack) -> impl Iterator<Item = u32> + 's {
        stack.iter().filter_map(|word| self.target(*word)).filter(|pc| *pc > 0)
    }
}
