//! Parts of memory that rounds of a loop write at places that change.

use super::general::General;
use super::shape::{Extent, Form, Holder, Invariant, Region, Side, Slot};
use crate::looped::Looped;
use crate::machine::{Content, Machine, Region as Bytes, State, Step, Stop, Write};
use crate::term::Term;
use cairn_evm::Word;

/// Rounds write at most so far apart.
const MAX_STEP_BITS: usize = 32;
/// Writes that may be so long in some round are taken to be in all of them.
const MAX_LENGTH: u64 = 1 << 13;
/// Parts of one loop.
const MAX_REGIONS: usize = 12;

impl Invariant {
    /// Takes note of what a round wrote to memory outside of what is known; true if there is such.
    pub(super) fn note_writes<P: Looped>(
        &mut self,
        machine: &mut Machine,
        general: &General<P>,
        side: Side,
        (state, context): (&State, &State),
    ) -> Step<bool> {
        let Some(writes) = state.written_since(&general.state(side).memory) else {
            return Stop::blocked("memory of another round");
        };
        let mut is_weaker = false;
        for write in writes {
            if !self.covers(machine, general, side, (&write, context))? {
                self.add(machine, general, side, &write)?;
                is_weaker = true;
            }
        }
        Ok(is_weaker)
    }

    fn covers<P: Looped>(
        &self,
        machine: &mut Machine,
        general: &General<P>,
        side: Side,
        (write, context): (&Write, &State),
    ) -> Step<bool> {
        let size = machine.terms.as_u64(write.length);
        let is_word = |holder: Holder| size == Some(32) && holder == Holder::Word(write.at);
        if size == Some(0) || self.slots.iter().any(|slot| slot.side == side && is_word(slot.holder)) {
            return Ok(true);
        }
        let rounds = machine.terms.add_number(general.round, 1);
        for region in self.regions.iter().filter(|region| region.side == side) {
            let length = region.length(machine, rounds);
            let offset = machine.terms.sub(write.at, region.start);
            let begins = machine.terms.lt(offset, length);
            if !machine.is_certain(context, begins)? {
                continue;
            }
            // What lies behind one without an end is out of reach.
            if region.extent == Extent::Open || ends_within(machine, context, (offset, write.length), length)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds what describes a write in every round.
    fn add<P: Looped>(
        &mut self,
        machine: &mut Machine,
        general: &General<P>,
        side: Side,
        write: &Write,
    ) -> Step {
        let (start, extent) = match general.line(machine, write.at) {
            Some((at, Word::ZERO)) => {
                let is_word = matches!(write.content, Content::Word(_));
                if is_word
                    && !self.slots.iter().any(|slot| slot.holder == Holder::Word(at) && slot.side == side)
                {
                    return self.add_word(machine, side, at);
                }
                let most = machine.terms.facts(write.length).hi();
                match general.is_steady(machine, write.length) {
                    true => (at, Extent::Fixed(write.length)),
                    false if most <= Word::from(MAX_LENGTH) => (at, Extent::Fixed(machine.terms.word(most))),
                    false => (at, Extent::Open),
                }
            }
            Some((start, step)) if step.bit_len() <= MAX_STEP_BITS => (start, Extent::Rounds(step)),
            _ => (self.least(machine, general, write.at)?, Extent::Open),
        };
        let mut region = Region { side, start, extent, shared: None };
        if self.regions.iter().any(|other| other.side == side && other.is_like(&region)) {
            // Of this form it is not; so it may be anywhere behind.
            region.extent = Extent::Open;
            if self.regions.iter().any(|other| other.side == side && other.is_like(&region)) {
                return Stop::blocked("a write in a loop at a place that changes unevenly");
            }
        }
        if self.regions.len() >= MAX_REGIONS {
            return Stop::blocked("a loop that writes memory at many places");
        }
        self.regions.push(region);
        self.share(machine)
    }

    /// Pairs the last region with one of the other program, if they hold the same from the beginning.
    fn share(&mut self, machine: &mut Machine) -> Step {
        let Some(last) = self.regions.last().cloned() else { return Ok(()) };
        let index = self.regions.len() - 1;
        let fits = |other: &Region| other.side != last.side && other.is_like(&last) && other.shared.is_none();
        let Some(other) = self.regions.iter().position(fits) else { return Ok(()) };
        if last.extent == Extent::Open {
            return Ok(());
        }
        let zero = machine.terms.zero;
        let length = last.length(machine, zero);
        let [a, b] = self.memories.clone().map(|memory| Bytes { memory, at: last.start, length });
        let entry = self.entry.clone();
        if length == zero || machine.same_region(&entry, &a, &b)?.is_same() {
            let of_reference = if last.side == Side::Reference { index } else { other };
            self.regions[index].shared = Some(of_reference);
            self.regions[other].shared = Some(of_reference);
        }
        Ok(())
    }

    /// The least address of a write: that of the first round, where the words in it do not get less, with nothing in place of
    /// what loops in the round count.
    fn least<P: Looped>(&self, machine: &mut Machine, general: &General<P>, at: Term) -> Step<Term> {
        let (parts, constant) = machine.terms.linear(at);
        let mut start = machine.terms.word(constant);
        for (part, coefficient) in parts {
            let class = general.classes.iter().find(|(_, word)| **word == part).map(|(class, _)| *class);
            let first = match class.and_then(|class| self.classes.get(&class)) {
                Some(class) => class.first,
                None if general.is_steady(machine, part) => part,
                None => machine.terms.zero,
            };
            let product = machine.terms.scale(first, coefficient);
            start = machine.terms.add(start, product);
        }
        match general.is_steady(machine, start) {
            true => Ok(start),
            false => Stop::blocked("a write in a loop at a place that changes unevenly"),
        }
    }

    /// Regions that are shared hold the same behind the round; true if some do not.
    pub(super) fn weaken_regions<P: Looped>(
        &mut self,
        machine: &mut Machine,
        general: &General<P>,
        states: [&State; 2],
    ) -> Step<bool> {
        let rounds = machine.terms.add_number(general.round, 1);
        let mut is_weaker = false;
        for index in 0..self.regions.len() {
            if self.regions[index].shared != Some(index) {
                continue;
            }
            let region = self.regions[index].clone();
            let length = region.length(machine, rounds);
            let [a, b] = states.map(|state| Bytes { memory: state.memory.clone(), at: region.start, length });
            if !machine.same_region(states[1], &a, &b)?.is_same() {
                is_weaker = true;
                self.regions.iter_mut().filter(|other| other.shared == Some(index)).for_each(|other| {
                    other.shared = None;
                });
            }
        }
        Ok(is_weaker)
    }

    /// Adds a word of memory whose address is the same in every round.
    fn add_word(&mut self, machine: &mut Machine, side: Side, at: Term) -> Step {
        let entry = self.entry.clone();
        let memory = self.memories[side as usize].clone();
        let first = machine.load_word(&entry, &memory, at)?;
        self.slots.push(Slot { side, holder: Holder::Word(at), first, bits: 256, form: Form::Kept });
        Ok(())
    }
}

/// True if so many bytes behind an offset end within a length, on every run.
fn ends_within(
    machine: &mut Machine,
    context: &State,
    (offset, size): (Term, Term),
    length: Term,
) -> Step<bool> {
    // Sizes and offsets are below 2^64, so no sum wraps.
    let limit = machine.terms.word(Word::from(1) << 64);
    let is_long = machine.terms.lt(limit, size);
    let is_short = machine.terms.is_zero(is_long);
    let end = machine.terms.add(offset, size);
    let passes = machine.terms.lt(length, end);
    let ends = machine.terms.is_zero(passes);
    Ok(machine.is_certain(context, is_short)? && machine.is_certain(context, ends)?)
}
