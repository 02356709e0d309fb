//! Calls and creations: somebody else runs.

use super::state::{Content, Event, State};
use super::{Machine, Step};
use crate::assume::Assumption;
use crate::term::{Leaf, Term};
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Effects, MemoryLength, MemoryRegion, Opcode, Word};

impl Machine {
    /// A call or creation: others see the input and the stores; its answer, its return data and, unless
    /// it is static, all stores are new (A6).
    pub(super) fn call(&mut self, state: &mut State, opcode: Opcode, args: &[Term]) -> Step<Term> {
        self.must_assume(Assumption::CALLS)?;
        let input = memory_read(opcode).map(|region| self.bounds_of(region, args));
        if let Some((at, length)) = input {
            self.touch(state, at, length)?;
        }
        let output = memory_write(opcode).map(|region| self.bounds_of(region, args));
        if let Some((at, length)) = output {
            self.touch(state, at, length)?;
        }
        let input = input.map(|(at, length)| state.region(at, length));
        let operands = operands(opcode, args);
        let stores = Some([state.storage.clone(), state.transient.clone()]);
        state.push_event(Event { opcode, operands, input, stores });
        let number = state.calls;
        state.calls += 1;
        state.returned = Some(number);
        if opcode.known().effects.contains(Effects::WRITE_STORAGE) {
            state.storage.lose(state.calls);
            state.transient.lose(state.calls);
        }
        if let Some((at, room)) = output.filter(|(_, room)| *room != self.terms.zero) {
            self.write_output(state, number, at, room)?;
        }
        Ok(self.terms.leaf(Leaf::Answer(number, opcode), &[]))
    }

    fn bounds_of(&mut self, region: MemoryRegion, args: &[Term]) -> (Term, Term) {
        let length = match region.length {
            MemoryLength::Fixed(bytes) => self.terms.number(bytes.into()),
            MemoryLength::Operand(index) => args[usize::from(index)],
        };
        (args[usize::from(region.start)], length)
    }

    /// What is returned goes to memory as far as there is room.
    fn write_output(&mut self, state: &mut State, call: u32, at: Term, room: Term) -> Step {
        let size = self.terms.leaf(Leaf::ReturnedSize(call), &[]);
        let is_short = self.terms.lt(size, room);
        let from = self.terms.zero;
        let length = self.terms.ite(is_short, size, room);
        state.write(at, length, Content::Returned(call, from));
        Ok(())
    }
}

/// Bytes of memory at its beginning that a function of the program may write.
pub(crate) const SCRATCH: u64 = 64;

impl Machine {
    /// A call of a function of the program itself that comes back, of which only is known that it does the same in both
    /// programs if it is given the same: its results, the stores, what was returned last, and the scratch space of memory
    /// are any, but the same. The number is that of its results.
    pub(crate) fn inner_call(&mut self, state: &mut State, func: u32, args: &[Term]) -> Step<u32> {
        self.must_assume(Assumption::STACK)?;
        let func = self.terms.number(func.into());
        let operands = [&[func, state.changed], args].concat();
        let stores = Some([state.storage.clone(), state.transient.clone()]);
        // No other event is a jump.
        state.push_event(Event { opcode: Opcode::JUMP, operands, input: None, stores });
        let number = state.calls;
        // What an account returned, if one was called there, is something else than the results.
        state.calls += 2;
        state.returned = Some(number + 1);
        state.storage.lose(state.calls);
        state.transient.lose(state.calls);
        let changed = self.inner_result(number, MAX_RESULTS);
        state.changed = self.terms.and_word(changed, Word::ONE);
        let (zero, length) = (self.terms.zero, self.terms.number(SCRATCH));
        state.write(zero, length, Content::Unknown);
        Ok(number)
    }

    /// A call of a function of the program itself that is followed: an event that nothing else comes of.
    pub(crate) fn note_inner_call(&mut self, state: &mut State, func: u32, args: &[Term]) {
        let func = self.terms.number(func.into());
        let operands = [&[func], args].concat();
        state.push_event(Event { opcode: Opcode::JUMP, operands, input: None, stores: None });
    }

    /// A result of such a call.
    pub(crate) fn inner_result(&mut self, number: u32, index: usize) -> Term {
        let at = self.terms.number(32 * index as u64);
        self.terms.leaf(Leaf::Returned(number), &[at])
    }
}

/// Results of a function, at most.
pub(crate) const MAX_RESULTS: usize = 16;

/// The operands but those that say where memory is.
fn operands(opcode: Opcode, args: &[Term]) -> Vec<Term> {
    let regions = [memory_read(opcode), memory_write(opcode)];
    let is_place = |index: usize| {
        regions.iter().flatten().any(|region| {
            let length = match region.length {
                MemoryLength::Fixed(_) => None,
                MemoryLength::Operand(index) => Some(usize::from(index)),
            };
            usize::from(region.start) == index || length == Some(index)
        })
    };
    let kept = args.iter().enumerate().filter(|(index, _)| !is_place(*index));
    kept.map(|(_, arg)| *arg).collect()
}
