//! Functions in bytecode that call themselves: calls of them that are not followed, and one of them by itself.

use super::convention::{Convention, Inner};
use super::place::{CodePlace, Done};
use crate::machine::{Content, EndKind, Machine, State, Step, Stop};
use crate::place::Turn;
use crate::term::Term;
use cairn_evm::Opcode;
use std::collections::BTreeMap;
use std::rc::Rc;

impl CodePlace {
    /// The same place of a path that does so with calls.
    pub(crate) fn treating(&self, inner: Inner) -> Self {
        let mut place = self.clone();
        place.inner = Box::new(inner);
        place
    }

    /// The same place, which ends behind the call after which there are so many events, if at all.
    pub(crate) fn ending_at(&self, ends_at: Option<usize>) -> Self {
        let mut place = self.clone();
        place.inner.ends_at = ends_at;
        place
    }

    /// A function by itself: `arg` is the word of an argument, `other` that of a place which nothing is known of.
    pub(crate) fn inside(
        &self,
        machine: &mut Machine,
        convention: &Convention,
        args: &[Term],
        known: Rc<BTreeMap<usize, Convention>>,
    ) -> Self {
        let mut stack: Vec<Term> = (0..convention.takes).map(|_| machine.any(256)).collect();
        let last = convention.takes - 1;
        for (arg, depth) in args.iter().zip(&convention.args) {
            if let Some(depth) = depth {
                stack[last - depth] = *arg;
            }
        }
        let back = machine.any(256);
        stack[last - convention.back] = back;
        let (begins, ends_at, results) = (true, None, convention.results.clone());
        let inner = Inner { known, begins, leaves_to: Some(back), results, ends_at };
        let mut place = self.treating(inner);
        (place.pc, place.stack) = (convention.pc, stack);
        place
    }

    /// Takes what is known of a function that begins here; `None` if nothing is.
    pub(super) fn call_known(&mut self, machine: &mut Machine, state: &mut State) -> Step<Option<Done>> {
        let known = self.inner.known.clone();
        let Some(convention) = known.get(&self.pc) else { return Ok(None) };
        if std::mem::take(&mut self.inner.begins) {
            return Ok(None);
        }
        let Some(rest) = self.stack.len().checked_sub(convention.takes) else {
            return Stop::blocked("a function that is given too little");
        };
        let words = self.stack.split_off(rest);
        let at = |depth: usize| words[words.len() - 1 - depth];
        let args: Vec<Term> = convention.args.iter().flatten().map(|depth| at(*depth)).collect();
        let number = machine.inner_call(state, convention.func, &args)?;
        if self.inner.ends_at == Some(state.events.len()) {
            return Ok(Some(Done::Turn(Turn::Ended(EndKind::Inside, None))));
        }
        for index in &convention.results {
            let word = machine.inner_result(number, *index);
            self.stack.push(word);
        }
        self.stack.push(at(convention.back));
        self.jump(machine, state, Opcode::JUMP).map(Some)
    }

    /// The function that is looked at by itself comes back.
    pub(super) fn leave_for_good(&self, machine: &mut Machine, state: &State) -> Step<Done> {
        let results = &self.inner.results;
        if self.stack.len() != results.len() {
            return Stop::blocked("a function that leaves another number of words");
        }
        let mut scratch = state.clone();
        let size = machine.terms.number(32);
        for (word, index) in self.stack.iter().zip(results) {
            let at = machine.terms.number(32 * *index as u64);
            scratch.write(at, size, Content::Word(*word));
        }
        let (at, length) = (machine.terms.zero, machine.terms.number(32 * results.len() as u64));
        Ok(Done::Turn(Turn::Ended(EndKind::Leave, Some(scratch.region(at, length)))))
    }
}
