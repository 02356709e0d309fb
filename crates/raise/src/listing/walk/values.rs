//! Variables and what they are: which values may stand elsewhere, and which came out of storage before it changed.

use super::Walk;
use crate::listing::say::{Id, Name, Say, What};
use crate::tree::At;
use cairn_evm::Opcode;

/// Parts of an expression that is written out where its value is read from memory.
const MAX_SIZE: usize = 8;

impl Walk<'_> {
    /// True for what is the same wherever it stands.
    pub(in crate::listing) fn is_lasting(&self, say: &Say) -> bool {
        let mut lasts = say.is_pure();
        say.for_each_name(&mut |name| lasts &= !self.is_changing(name));
        lasts
    }

    pub(super) fn is_changing(&self, name: Name) -> bool {
        matches!(name, Name { frame: 0, id: Id::Var(var) } if self.changing.contains(&var))
    }

    /// A value that may stand elsewhere: what may not, or is long, gets a name.
    pub(in crate::listing) fn keep(&mut self, say: Say) -> Say {
        if self.is_lasting(&say) && say.size(MAX_SIZE + 1) <= MAX_SIZE {
            return say;
        }
        let name = self.new_name();
        self.give(name, say);
        Say::Name(name)
    }

    /// `name = say`
    pub(super) fn give(&mut self, name: Name, say: Say) {
        if !self.is_changing(name) {
            if let Some(spot) = self.spot(&say) {
                self.spots.insert(name, spot);
            }
            self.values.insert(name, say.clone());
            if let Some(time) = self.loaded_when(&say) {
                self.loaded.insert(name, time);
            }
            if self.is_lasting(&say) {
                self.lasting.insert(name, say.clone());
            }
            if let Some([place]) = say.args_of(Opcode::MLOAD)
                && let Some(spot) = self.allocated(place)
            {
                let Walk { stores, state, .. } = self;
                stores.loaded(state, spot, Say::Name(name));
            }
        }
        self.line(What::Let(vec![name], say));
    }

    /// A variable, or what it is if that is as short.
    pub(super) fn variable(&self, name: Name) -> Say {
        let is_short = |say: &&Say| say.size(2) < 2 || say.is_argument();
        let known = self.lasting.get(&name).filter(is_short);
        known.cloned().unwrap_or(Say::Name(name))
    }

    /// When the oldest word in an expression was loaded from storage, if there is one.
    fn loaded_when(&self, say: &Say) -> Option<u32> {
        match say {
            Say::Name(name) => self.loaded.get(name).copied(),
            _ => {
                let own = say.args_of(Opcode::SLOAD).map(|_| self.changes);
                let parts = say.parts().into_iter().filter_map(|part| self.loaded_when(part));
                parts.chain(own).min()
            }
        }
    }

    /// Storage is written, or may be: by a store with its offset, or by something else.
    pub(in crate::listing) fn change_storage(&mut self, at: At, value: Option<&Say>) {
        let loaded = value.and_then(|value| self.loaded_when(value));
        let is_stale = loaded.is_some_and(|time| time != self.changes);
        if is_stale && let At(Some(pc)) = at {
            self.stale.insert(pc);
        }
        self.changes += 1;
    }
}
