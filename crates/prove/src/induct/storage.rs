//! Storage that rounds of a loop write.

use super::general::General;
use super::shape::{Form, Holder, Invariant, Side, Slot};
use crate::compare::same_stores;
use crate::looped::Looped;
use crate::machine::{Machine, State, Step, Stop};
use crate::term::Space;

impl Invariant {
    /// Storage of both programs, where rounds write it anywhere.
    pub(super) fn weaken_stores(&mut self, machine: &mut Machine, states: [&State; 2]) -> Step<bool> {
        if self.lost == [false; 2] {
            return Ok(false);
        }
        let [a, b] = states;
        same_stores(machine, b, a, b)?.must_be_same()?;
        match self.stores_agree {
            true => Ok(false),
            false => Stop::blocked("storage before a loop"),
        }
    }

    /// Takes note of keys that a round wrote.
    pub(super) fn note_updates<P: Looped>(
        &mut self,
        machine: &mut Machine,
        general: &General<P>,
        side: Side,
        state: &State,
    ) -> Step<bool> {
        let mut is_weaker = false;
        for (index, space) in [Space::Storage, Space::Transient].into_iter().enumerate() {
            if self.lost[index] {
                continue;
            }
            let stores = [general.state(side), state].map(|state| match space {
                Space::Storage => state.storage.clone(),
                Space::Transient => state.transient.clone(),
            });
            let Some(updates) = stores[1].since(&stores[0]) else {
                (self.lost[index], is_weaker) = (true, true);
                continue;
            };
            for key in updates.iter().map(|update| update.key) {
                let holder = Holder::Key(space, key);
                if self.slots.iter().any(|slot| slot.side == side && slot.holder == holder) {
                    continue;
                }
                is_weaker = true;
                match general.is_steady(machine, key) {
                    false => self.lost[index] = true,
                    true => {
                        let before = match (side, space) {
                            (Side::Reference, Space::Storage) => self.stores[0].clone(),
                            (Side::Reference, Space::Transient) => self.stores[1].clone(),
                            (Side::Tested, Space::Storage) => self.entry.storage.clone(),
                            (Side::Tested, Space::Transient) => self.entry.transient.clone(),
                        };
                        let entry = self.entry.clone();
                        let first = machine.load_key(&entry, &before, key)?;
                        self.slots.push(Slot { side, holder, first, bits: 256, form: Form::Kept });
                    }
                }
            }
        }
        if self.lost != [false; 2] {
            // Keys that are the same in every round are no more than the others.
            let lost = self.lost;
            let is_lost = |holder: Holder| match holder {
                Holder::Key(Space::Storage, _) => lost[0],
                Holder::Key(Space::Transient, _) => lost[1],
                Holder::Value(_) | Holder::Changed | Holder::Word(_) => false,
            };
            self.slots.retain(|slot| !is_lost(slot.holder));
        }
        Ok(is_weaker)
    }
}
