//! The state of both programs in the round of a loop with any number.

use super::shape::{Form, Holder, Invariant, Side};
use super::{Arrival, Tested};
use crate::join::join;
use crate::looped::Looped;
use crate::machine::{Content, Machine, Role, State, Step, Stop, Store};
use crate::place::Turn;
use crate::term::{Leaf, Node, Space, Term};
use cairn_evm::Word;
use std::collections::BTreeMap;

/// Ways from the beginning of a round to behind its test.
const MAX_TEST: usize = 32;

// Where the numbers of an epoch go.
const HELD: u32 = 0x40;
const RETURNED: u32 = 0x80;
const CALLS: u32 = 0x100;
const REGIONS: u32 = 0x2000;

/// Both programs at a loop, in any round.
pub(super) struct General<P> {
    /// The reference where the round begins.
    pub(super) reference: (P, State),
    pub(super) tested: Tested,
    /// The number of the round: how many there were before.
    pub(super) round: Term,
    /// What holds the words of the invariant's slots.
    pub(super) holders: Vec<(Side, Holder)>,
    /// The words of the invariant's slots.
    pub(super) words: Vec<Term>,
    /// The words of its classes.
    pub(super) classes: BTreeMap<u32, Term>,
    /// Terms that are younger may be of this round.
    watermark: Term,
    epoch: u32,
}

impl Invariant {
    /// The state in any round, made of that in the first.
    pub(super) fn general<P: Looped>(
        &self,
        machine: &mut Machine,
        first: &Arrival<P>,
        entry: &Tested,
    ) -> Step<General<P>> {
        let epoch = machine.new_epoch();
        let round = machine.any(64);
        let mut classes = BTreeMap::new();
        for (class, bounds) in &self.classes {
            let word = machine.any(bounds.bits);
            classes.insert(*class, word);
        }
        let mut words = Vec::new();
        for slot in &self.slots {
            words.push(match slot.form {
                Form::Kept => slot.first,
                Form::Step(step) => {
                    let way = machine.terms.scale(round, step);
                    machine.terms.add(slot.first, way)
                }
                Form::Class(class) => classes[&class],
            });
        }
        let mut conditions = first.state.conditions.clone();
        for (class, bounds) in &self.classes {
            for condition in bounds.conditions(machine, classes[class]) {
                conditions.assume(&mut machine.terms, condition);
            }
        }
        let (place, state) = first.begin();
        let mut general = General {
            reference: (place.clone(), State { conditions: conditions.clone(), ..state.clone() }),
            tested: (entry.0.clone(), State { conditions, ..entry.1.clone() }),
            round,
            holders: self.holders(),
            words,
            classes,
            watermark: round,
            epoch,
        };
        self.set_state(machine, &mut general, Side::Reference)?;
        self.set_state(machine, &mut general, Side::Tested)?;
        let values = self.values(&general.words, Side::Reference);
        general.reference.0 = general.reference.0.with_words(&values);
        let (place, state) = &general.reference;
        general.reference.0 = place.beginning(state);
        general.tested.0 = general.tested.0.with_words(&self.values(&general.words, Side::Tested));
        Ok(general)
    }

    /// What holds the words of the slots.
    pub(super) fn holders(&self) -> Vec<(Side, Holder)> {
        self.slots.iter().map(|slot| (slot.side, slot.holder)).collect()
    }

    /// Of the words of all slots those of a program's values.
    fn values(&self, words: &[Term], side: Side) -> Vec<Term> {
        let slots = self.slots.iter().zip(words);
        let is_value = |holder: Holder| matches!(holder, Holder::Value(_));
        slots.filter(|(slot, _)| slot.side == side && is_value(slot.holder)).map(|(_, word)| *word).collect()
    }

    /// Memory, storage and the rest of a program.
    fn set_state<P>(&self, machine: &mut Machine, general: &mut General<P>, side: Side) -> Step {
        let (round, epoch) = (general.round, general.epoch);
        let state = match side {
            Side::Reference => &mut general.reference.1,
            Side::Tested => &mut general.tested.1,
        };
        let zero = machine.terms.zero;
        for (number, region) in self.regions.iter().enumerate().filter(|(_, region)| region.side == side) {
            let length = region.length(machine, round);
            let number = region.shared.unwrap_or(number) as u32;
            state.write(region.start, length, Content::Returned(epoch + REGIONS + number, zero));
        }
        for (is_lost, space) in self.lost.iter().zip([Space::Storage, Space::Transient]) {
            if *is_lost {
                store_mut(state, space).lose(epoch + HELD);
            }
        }
        if self.has_calls {
            state.calls = epoch + CALLS;
            state.returned = Some(epoch + RETURNED);
        }
        let size = machine.terms.number(32);
        for (slot, word) in self.slots.iter().zip(&general.words).filter(|(slot, _)| slot.side == side) {
            match slot.holder {
                Holder::Value(_) => {}
                Holder::Changed => state.changed = *word,
                Holder::Word(at) => state.write(at, size, Content::Word(*word)),
                Holder::Key(space, key) => store_mut(state, space).write(key, *word),
            }
        }
        state.events.clear();
        (state.gas_asked, state.epoch, state.steps) = (0, epoch, 0);
        Ok(())
    }
}

/// A space of a state.
fn store_mut(state: &mut State, space: Space) -> &mut Store {
    match space {
        Space::Storage => &mut state.storage,
        Space::Transient => &mut state.transient,
    }
}

impl<P: Looped> General<P> {
    /// The reference behind the test of the round.
    pub(super) fn behind_test(&self, machine: &mut Machine, first: &Arrival<P>) -> Step<(P, State)> {
        let (place, state) = self.reference.clone();
        if first.head.is_none() {
            return Ok((place, state));
        }
        machine.role = Role::Reference;
        let (mut open, mut found, mut tries) = (vec![(place, state)], Vec::new(), 0);
        while let Some((mut place, mut state)) = open.pop() {
            tries += 1;
            if tries > MAX_TEST {
                return Stop::blocked("a loop with a long test");
            }
            match place.advance(machine, &mut state)? {
                Turn::Ended(..) => {}
                Turn::Stopped => {
                    let stop = place.stop(&machine.terms);
                    let is_here =
                        stop.is_some_and(|(location, _)| P::is_same_location(&location, &first.location));
                    found.extend(is_here.then_some((place, state)));
                }
                Turn::Divided(condition, other) => {
                    if machine.decide(&state, condition).is_none()
                        && let Some(joined) = join(machine, (&place, &other), &state, condition)?
                    {
                        open.push((joined, state));
                        continue;
                    }
                    let negation = machine.terms.is_zero(condition);
                    for (place, condition) in [(place, condition), (other, negation)] {
                        if place.strays_from(&first.location) || !machine.is_possible(&state, condition)? {
                            continue;
                        }
                        let mut state = state.clone();
                        state.conditions.assume(&mut machine.terms, condition);
                        open.push((place, state));
                    }
                }
            }
            // Runs that end in the test are seen in the round before.
            machine.ended.clear();
        }
        match <[(P, State); 1]>::try_from(found) {
            Ok([(place, state)]) => Ok((place.beginning(&state), state)),
            Err(_) => Stop::blocked("a loop with a test that has several ways"),
        }
    }

    /// The state of a program.
    pub(super) fn state(&self, side: Side) -> &State {
        match side {
            Side::Reference => &self.reference.1,
            Side::Tested => &self.tested.1,
        }
    }

    /// True if a term is the same word in every round.
    pub(super) fn is_steady(&self, machine: &Machine, term: Term) -> bool {
        let terms = &machine.terms;
        terms.below(&[term]).into_iter().all(|part| match terms.node(part) {
            Node::Leaf(leaf, _) => part < self.watermark || self.is_of_before(*leaf),
            _ => true,
        })
    }

    /// True of leaves that are the same whenever they are met.
    fn is_of_before(&self, leaf: Leaf) -> bool {
        match leaf {
            Leaf::Calldata | Leaf::CalldataByte | Leaf::Immutable(_) | Leaf::Library(_) => true,
            // What is hashed is looked at by itself.
            Leaf::Keccak(_) => true,
            Leaf::Environment(_, calls) | Leaf::Ask(_, calls) | Leaf::ForeignCode(calls) => {
                calls < self.epoch
            }
            Leaf::Returned(call) | Leaf::ReturnedByte(call) | Leaf::ReturnedSize(call) => call < self.epoch,
            Leaf::Answer(call, _) => call < self.epoch,
            Leaf::Held(_, calls) => calls < self.epoch,
            Leaf::Gas(..) | Leaf::KeccakOfRegion(_) | Leaf::Any(..) => false,
        }
    }

    /// A term as its word in the round with number 0 and what it grows by each round; `None` where other
    /// things of the round are in it.
    pub(super) fn line(&self, machine: &mut Machine, term: Term) -> Option<(Term, Word)> {
        let (parts, _) = machine.terms.linear(term);
        let step = parts.iter().find(|(part, _)| *part == self.round).map_or(Word::ZERO, |(_, step)| *step);
        let way = machine.terms.scale(self.round, step);
        let start = machine.terms.sub(term, way);
        self.is_steady(machine, start).then_some((start, step))
    }
}
