//! What a block does, step by step, for many states at once: they share their beginnings.

use super::shuffle::{Move, Moves};
use cairn_evm::Opcode;
use cairn_ir::{Inst, Value};

/// What is done, in scheduler terms.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// A stack action.
    Move(Move),
    /// Carries out an instruction, as this opcode if its operands were exchanged.
    Exec(Inst, Option<Opcode>),
    /// Stores the top into the memory of a value and drops it.
    Store(Value),
}

/// Actions as a tree: states share their beginnings.
#[derive(Default)]
pub(crate) struct Trail {
    nodes: Vec<(u32, Action)>,
}

/// The place before the first action of a block.
pub(crate) const TRAIL_START: u32 = u32::MAX;

impl Trail {
    /// Appends an action after `parent`.
    pub(crate) fn push(&mut self, parent: u32, action: Action) -> u32 {
        self.nodes.push((parent, action));
        self.nodes.len() as u32 - 1
    }

    /// The number of actions of all states.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets what was added after there were `len` actions.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
    }

    /// Appends actions after `parent`.
    pub(crate) fn extend(&mut self, parent: u32, moves: &Moves) -> u32 {
        moves.iter().fold(parent, |at, action| self.push(at, Action::Move(*action)))
    }

    /// The actions up to `last`, in order.
    pub(crate) fn actions(&self, last: u32) -> Vec<Action> {
        let place = |at: u32| (at != TRAIL_START).then_some(at);
        let places = || std::iter::successors(place(last), |at| place(self.nodes[*at as usize].0));
        let mut list = Vec::with_capacity(places().count());
        list.extend(places().map(|at| self.nodes[at as usize].1));
        list.reverse();
        list
    }
}
