//! What holds whenever the two programs come to a loop: guessed from two rounds, weakened by others.

use super::general::General;
use super::meet::Meeting;
use super::shape::{Class, Form, Holder, Invariant, Side, Slot};
use super::{Arrival, Tested};
use crate::compare::{same_events, same_stores};
use crate::looped::Looped;
use crate::machine::{Machine, State, Step, Stop};
use crate::term::{Space, Term};
use std::collections::BTreeMap;

impl Invariant {
    /// What the first round and the one behind it suggest.
    pub(super) fn guess<P: Looped>(
        machine: &mut Machine,
        first: &Arrival<P>,
        meeting: &Meeting<P>,
    ) -> Step<Self> {
        let (entry, (second, next)) = (&meeting.entry, &meeting.second);
        let (place, state) = first.begin();
        let (second_place, second_state) = second.begin();
        let Some(seconds) = second_place.words_of(place) else {
            return Stop::blocked("a loop with values that come and go");
        };
        let mut invariant = Invariant {
            slots: Vec::new(),
            classes: BTreeMap::new(),
            regions: Vec::new(),
            lost: [false; 2],
            has_calls: false,
            memories: [state.memory.clone(), entry.1.memory.clone()],
            entry: entry.1.clone(),
            stores: [state.storage.clone(), state.transient.clone()],
            stores_agree: same_stores(machine, &entry.1, state, &entry.1)?.is_same(),
        };
        let mut seconds_of = seconds;
        let widths = place.widths();
        for (index, (first, bits)) in place.words().into_iter().zip(widths).enumerate() {
            let (side, holder, form) = (Side::Reference, Holder::Value(index), Form::Kept);
            invariant.slots.push(Slot { side, holder, first, bits, form });
        }
        for (index, first) in entry.0.words().into_iter().enumerate() {
            let (side, holder, form) = (Side::Tested, Holder::Value(index), Form::Kept);
            invariant.slots.push(Slot { side, holder, first, bits: 256, form });
        }
        seconds_of.extend(next.0.words());
        for (side, first, second) in [
            (Side::Reference, state.changed, second_state.changed),
            (Side::Tested, entry.1.changed, next.1.changed),
        ] {
            let (holder, form) = (Holder::Changed, Form::Kept);
            invariant.slots.push(Slot { side, holder, first, bits: 1, form });
            seconds_of.push(second);
        }
        if seconds_of.len() != invariant.slots.len() {
            return Stop::blocked("a loop with a stack that grows");
        }
        let olds: Vec<Term> = invariant.slots.iter().map(|slot| slot.first).collect();
        let failed: Vec<usize> = (0..olds.len()).filter(|index| olds[*index] != seconds_of[*index]).collect();
        invariant.reform(machine, &next.1, &failed, &olds, &seconds_of)?;
        Ok(invariant)
    }

    /// Gives slots another form by their words in one round and the next.
    fn reform(
        &mut self,
        machine: &mut Machine,
        state: &State,
        failed: &[usize],
        olds: &[Term],
        news: &[Term],
    ) -> Step {
        let mut made: BTreeMap<(Term, Term), u32> = BTreeMap::new();
        for index in failed.iter().copied() {
            let slot = &self.slots[index];
            let way = machine.terms.sub(news[index], olds[index]);
            let step = machine.terms.as_word(way).filter(|step| !step.is_zero());
            if let (Form::Kept, Some(step)) = (slot.form, step)
                && slot.bits > 1
            {
                self.slots[index].form = Form::Step(step);
                continue;
            }
            let (first, bits) = (slot.first, slot.bits);
            let key = (first, news[index]);
            let class = match made.get(&key) {
                Some(class) => *class,
                None => {
                    let class = self.classes.last_key_value().map_or(0, |(last, _)| last + 1);
                    let mut found = Class { bits, first, grows: true, is_near: true };
                    let entry = self.entry.clone();
                    found.weaken(machine, &entry, first)?;
                    found.weaken(machine, state, news[index])?;
                    self.classes.insert(class, found);
                    made.insert(key, class);
                    class
                }
            };
            if let Some(class) = self.classes.get_mut(&class) {
                class.bits = class.bits.min(bits);
            }
            self.slots[index].form = Form::Class(class);
        }
        let used: Vec<Form> = self.slots.iter().map(|slot| slot.form).collect();
        self.classes.retain(|class, _| used.contains(&Form::Class(*class)));
        Ok(())
    }

    /// Gives up what does not hold behind a round; true if something was.
    pub(super) fn weaken<P: Looped>(
        &mut self,
        machine: &mut Machine,
        general: &General<P>,
        back: &Arrival<P>,
        end: &Tested,
    ) -> Step<bool> {
        let (place, state) = back.begin();
        let context = &end.1;
        same_events(machine, &back.state, context)?.must_be_same()?;
        let Some(values) = place.words_of(&general.reference.0) else {
            return Stop::blocked("a loop with values that come and go");
        };
        let states = [state, context];
        let mut is_weaker = self.weaken_calls(general, states)?;
        for (side, state) in [(Side::Reference, state), (Side::Tested, context)] {
            is_weaker |= self.note_writes(machine, general, side, (state, context))?;
            is_weaker |= self.note_updates(machine, general, side, state)?;
        }
        is_weaker |= self.weaken_stores(machine, states)?;
        is_weaker |= self.weaken_regions(machine, general, states)?;
        // Another way back may have changed the slots: then all is done again.
        if is_weaker || self.holders() != general.holders {
            return Ok(true);
        }
        let stack = end.0.words();
        let mut news = Vec::new();
        for slot in &self.slots {
            let (state, values) = match slot.side {
                Side::Reference => (state, &values[..]),
                Side::Tested => (context, &stack[..]),
            };
            news.push(match slot.holder {
                Holder::Value(index) => match values.get(index) {
                    Some(word) => *word,
                    None => return Stop::blocked("a loop with values that come and go"),
                },
                Holder::Changed => state.changed,
                Holder::Word(at) => machine.load_word(context, &state.memory, at)?,
                Holder::Key(Space::Storage, key) => machine.load_key(context, &state.storage, key)?,
                Holder::Key(Space::Transient, key) => machine.load_key(context, &state.transient, key)?,
            });
        }
        self.weaken_slots(machine, general, context, &news)
    }

    fn weaken_slots<P: Looped>(
        &mut self,
        machine: &mut Machine,
        general: &General<P>,
        context: &State,
        news: &[Term],
    ) -> Step<bool> {
        let mut failed = Vec::new();
        let mut leaders: BTreeMap<u32, Term> = BTreeMap::new();
        for (index, slot) in self.slots.iter().enumerate() {
            let expected = match slot.form {
                Form::Kept => slot.first,
                Form::Step(step) => {
                    let step = machine.terms.word(step);
                    machine.terms.add(general.words[index], step)
                }
                Form::Class(class) => *leaders.entry(class).or_insert(news[index]),
            };
            if !machine.is_equal(context, expected, news[index])? {
                failed.push(index);
            }
        }
        let mut is_weaker = false;
        for (class, word) in leaders {
            let Some(mut found) = self.classes.get(&class).cloned() else { continue };
            is_weaker |= found.weaken(machine, context, word)?;
            self.classes.insert(class, found);
        }
        if (is_weaker || !failed.is_empty()) && !machine.is_feasible(context)? {
            return Ok(false);
        }
        self.reform(machine, context, &failed, &general.words, news)?;
        Ok(is_weaker || !failed.is_empty())
    }

    /// Numbers of calls, and what was returned.
    fn weaken_calls<P: Looped>(&mut self, general: &General<P>, states: [&State; 2]) -> Step<bool> {
        let [a, b] = states.map(|state| (state.calls, state.returned));
        let [x, y] = [&general.reference.1, &general.tested.1].map(|state| (state.calls, state.returned));
        if a != b || x != y {
            return Stop::blocked("another number of calls in a loop");
        }
        let is_new = a != x && !self.has_calls;
        self.has_calls |= is_new;
        Ok(is_new)
    }
}
