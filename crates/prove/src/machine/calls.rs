//! Calls and creations: somebody else runs.

use super::state::{Content, Event, State};
use super::{Machine, Step};
use crate::assume::Assumption;
use crate::term::{Leaf, Term};
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Effects, MemoryLength, MemoryRegion, Opcode};

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
