//! What is known at a place in the code: words at places, and hashes of words.

use super::MAX_STATE;
use crate::memory::Place;
use cairn_evm::{Effects, Word};
use cairn_ir::Value;
use cranelift_entity::packed_option::PackedOption;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Memory,
    Storage,
    Transient,
}

impl Space {
    pub(super) const ALL: [Space; 3] = [Space::Memory, Space::Storage, Space::Transient];

    pub(super) fn write_effect(self) -> Effects {
        match self {
            Space::Memory => Effects::WRITE_MEMORY,
            Space::Storage => Effects::WRITE_STORAGE,
            Space::Transient => Effects::WRITE_TRANSIENT,
        }
    }

    /// How far apart neighbouring words are.
    pub(super) fn word(self) -> Word {
        match self {
            Space::Memory => Word::from(32),
            Space::Storage | Space::Transient => Word::from(1),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// The word at a place.
    Holds(Space, Place, Value),
    /// The hash of one or two words.
    Hash(Value, PackedOption<Value>, Value),
}

pub(super) type State = VecDeque<Fact>;

pub(super) fn held(state: &State, space: Space, place: Place) -> Option<Value> {
    state.iter().find_map(|fact| match fact {
        Fact::Holds(of, at, value) if *of == space && *at == place => Some(*value),
        Fact::Holds(..) | Fact::Hash(..) => None,
    })
}

pub(super) fn remember(state: &mut State, fact: Fact) {
    if state.len() == MAX_STATE {
        state.pop_front();
    }
    state.push_back(fact);
}

pub(super) fn forget_word(state: &mut State, space: Space, place: Place) {
    state.retain(|fact| !matches!(fact, Fact::Holds(of, at, _) if *of == space && *at == place));
}

pub(super) fn forget_space(state: &mut State, space: Space) {
    state.retain(|fact| !matches!(fact, Fact::Holds(of, ..) if *of == space));
}
