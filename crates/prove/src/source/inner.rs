//! Functions that call themselves: calls of them that are not followed, and one of them by itself.
//!
//! A path of one function by itself begins with any words as its arguments and ends where it comes back.

use super::datum::Datum;
use super::known::Inner;
use super::place::{Done, SourcePlace};
use crate::machine::{Content, End, EndKind, MAX_RESULTS, Machine, State, Step, Stop};
use crate::place::Turn;
use crate::term::Term;
use cairn_ir::{EntityRef, Func, Inst, Op, Payload};
use std::rc::Rc;

impl<'m> SourcePlace<'m> {
    /// The same place of a path that does so with calls.
    pub(crate) fn treating(mut self, inner: Rc<Inner>) -> Self {
        self.inner = inner;
        self
    }

    /// A function by itself, with these words as its arguments.
    pub(crate) fn inside(mut self, func: Func, args: &[Term]) -> Self {
        let args = args.iter().map(|arg| Datum::Word(*arg)).collect();
        self.starts_with = Some((func, args));
        self
    }

    /// Takes what is known of a call; false if it is to be followed.
    pub(super) fn is_trusted(
        &mut self,
        machine: &mut Machine,
        state: &mut State,
        inst: Inst,
        args: &[Datum],
    ) -> Step<bool> {
        let dfg = &self.func().dfg;
        let (Op::Icall, Payload::Func(callee)) = (dfg.op(inst), dfg.inst(inst).payload) else {
            return Ok(false);
        };
        let inner = self.inner.clone();
        match &*inner {
            Inner::Followed => Ok(false),
            Inner::Noted(noted) => {
                if noted.contains(&callee) {
                    let args = words(args)?;
                    machine.note_inner_call(state, callee.index() as u32, &args);
                }
                Ok(false)
            }
            Inner::Trusted(known) => {
                let Some(known) = known.get(&callee) else { return Ok(false) };
                let args = words(args)?;
                let given = args.iter().zip(&known.has_args).filter(|(_, is_given)| **is_given);
                let given: Vec<Term> = given.map(|(arg, _)| *arg).collect();
                let number = machine.inner_call(state, callee.index() as u32, &given)?;
                // On some runs the function ends the frame: what was done before it has to be the same then, too.
                machine.ended.push(End { kind: EndKind::Inside, data: None, state: state.clone() });
                for (index, result) in dfg.results(inst).iter().enumerate() {
                    let word = machine.inner_result(number, index);
                    self.set(*result, Datum::Word(word));
                }
                Ok(true)
            }
        }
    }

    /// A function that is looked at by itself comes back.
    pub(super) fn leave_for_good(
        &self,
        machine: &mut Machine,
        state: &State,
        results: &[Datum],
    ) -> Step<Done<'m>> {
        match &*self.inner {
            Inner::Followed | Inner::Noted(_) => Stop::blocked("a return from the entry function"),
            Inner::Trusted(_) => {
                let results = words(results)?;
                Ok(Done::Turn(leave(machine, state, &results)))
            }
        }
    }
}

/// The end of a function that comes back with these results.
pub(crate) fn leave<P>(machine: &mut Machine, state: &State, results: &[Term]) -> Turn<P> {
    let mut scratch = state.clone();
    for (index, result) in results.iter().enumerate() {
        let (at, length) = (machine.terms.number(32 * index as u64), machine.terms.number(32));
        scratch.write(at, length, Content::Word(*result));
    }
    let (at, length) = (machine.terms.zero, machine.terms.number(32 * results.len() as u64));
    Turn::Ended(EndKind::Leave, Some(scratch.region(at, length)))
}

fn words(data: &[Datum]) -> Step<Vec<Term>> {
    let word = |datum: &Datum| match datum {
        Datum::Word(term) => Ok(*term),
        Datum::None | Datum::Wide(_) => Stop::blocked("a wide argument of a function that calls itself"),
    };
    if data.len() >= MAX_RESULTS { Stop::blocked("many arguments") } else { data.iter().map(word).collect() }
}
