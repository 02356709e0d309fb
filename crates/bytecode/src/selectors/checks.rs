//! Checks at the beginning of functions: of wei, and of bytes of the calldata.

use super::run::End;
use super::word::{Stack, Word};
use super::{State, Walk, Wei};

/// Blocks of a function that are looked at for a check of the wei: Vyper before 0.3.10 checks arguments first.
const MAX_BEFORE_CHECK: usize = 32;
/// Blocks that are looked at for a `REVERT`, or for the jump that a row of a table tells.
const MAX_BEFORE_END: usize = 4;

impl Walk<'_> {
    /// The state behind the jump to where the row of a table says, past checks that revert, and the bytes that the
    /// calldata have at least there.
    pub(super) fn behind_row(&self, state: &State) -> Option<(State, Option<u32>)> {
        if !state.stack.iter().any(|word| matches!(word, Word::Row(_))) {
            return None;
        }
        let (mut state, mut least_size) = (state.clone(), None);
        for _ in 0..MAX_BEFORE_END {
            match self.run(state.pc, &mut state.stack) {
                End::Row(pc) => return Some((State { pc, ..state }, least_size)),
                End::Fall(pc) => state.pc = pc,
                End::Branch(condition, Some(with), next) if self.reverts(with, state.stack.clone()) => {
                    state.pc = next;
                    if matches!(condition, Word::Value | Word::ValueOrMore | Word::ShorterOrValue(_)) {
                        state.wei = Wei::None;
                    }
                    if let Word::ShorterThan(bytes) | Word::ShorterOrValue(bytes) = condition {
                        least_size = Some(bytes);
                    }
                }
                End::Branch(..) | End::Jump(_) | End::Next(_) | End::OneOf(_) | End::Revert => return None,
            }
        }
        None
    }

    /// False when a branch from here reverts when there is wei: the first one, or behind checks of other things that
    /// revert, as Vyper makes them. Solidity's checks of arguments are calls, and come later.
    pub(super) fn is_payable(&self, mut state: State) -> bool {
        let (mut num_left, mut has_checked) = (MAX_BEFORE_END, false);
        while num_left > 0 {
            num_left -= 1;
            if has_checked && self.addresses(&state.stack).next().is_some() {
                return true;
            }
            let (target, next) = match self.run(state.pc, &mut state.stack) {
                End::Fall(pc) | End::Jump(Some(pc)) | End::Next(pc) | End::Row(pc) => {
                    state.pc = pc;
                    continue;
                }
                End::Branch(Word::Value | Word::ValueOrMore, Some(with), _) => {
                    return !self.reverts(with, state.stack);
                }
                End::Branch(Word::NoValue, _, with) => return !self.reverts(with, state.stack),
                End::Branch(_, Some(target), next) => (target, next),
                End::Jump(None) | End::OneOf(_) | End::Branch(..) | End::Revert => return true,
            };
            state.pc = if self.reverts(target, state.stack.clone()) {
                next
            } else if self.reverts(next, state.stack.clone()) {
                target
            } else {
                return true;
            };
            if !std::mem::replace(&mut has_checked, true) {
                num_left = MAX_BEFORE_CHECK;
            }
        }
        true
    }

    /// True when the code reverts, perhaps in a function that it calls.
    fn reverts(&self, mut pc: u32, mut stack: Stack) -> bool {
        for _ in 0..MAX_BEFORE_END {
            match self.run(pc, &mut stack) {
                End::Revert => return true,
                End::Fall(next) | End::Jump(Some(next)) | End::Next(next) => pc = next,
                End::Jump(None) | End::OneOf(_) | End::Row(_) | End::Branch(..) => return false,
            }
        }
        false
    }
}
