//! What is done to a loop, and how.

use super::exit::Exit;
use super::linear::{Linear, Maker, add_constant};
use super::place::{Counter, Place};
use crate::edit::Renaming;
use cairn_evm::Word;
use cairn_ir::{Block, Function, Inst, Type, Value};
use smallvec::SmallVec;

/// Words that differ by constants: what the first is, and how much more each of them is.
pub(super) type Family = (Linear, Vec<(Value, Word)>);

/// What is done to a loop.
pub(super) struct Change {
    /// Families that become counters.
    pub(super) families: Vec<Family>,
    /// Words that nothing uses any more then.
    pub(super) dead: Vec<Value>,
    pub(super) exit: Option<Exit>,
}

impl Change {
    pub(super) fn carry_out(self, func: &mut Function, place: &Place, counter: &Counter) {
        let mut renaming = Renaming::new();
        let mut pivot = None;
        for (form, words) in &self.families {
            let param = add_counter(func, place, counter, form);
            pivot = pivot.or(Some(param));
            for (word, more) in words {
                let inst = func.dfg.def_inst(*word).expect("invariant: linear words are computed");
                let new = match more.is_zero() {
                    true => param,
                    false => add_constant(func, inst, param, *more),
                };
                renaming[*word] = new.into();
            }
        }
        crate::edit::rename_everywhere(func, &renaming);
        if let Some(exit) = self.exit {
            exit.carry_out(func, place, pivot);
        }
        for word in self.dead {
            if let Some(inst) = func.dfg.def_inst(word) {
                func.layout.remove_inst(inst);
            }
        }
    }
}

/// Makes a counter that has this form in terms of another one.
fn add_counter(func: &mut Function, place: &Place, counter: &Counter, form: &Linear) -> Value {
    let end = func.terminator(place.before).expect(TERMINATED);
    let first = Maker { func, before: end }.sum(form, counter.start);
    let param = func.dfg.append_param(place.head, Type::U256);
    pass_on(func, end, place.head, first);
    let step = form.factor.wrapping_mul(counter.step);
    for latch in &place.latches {
        let end = func.terminator(*latch).expect(TERMINATED);
        let next = add_constant(func, end, param, step);
        pass_on(func, end, place.head, next);
    }
    param
}

const TERMINATED: &str = "invariant: each block ends with a terminator";

/// Brings one more word to a block on all edges of a terminator that lead there.
fn pass_on(func: &mut Function, end: Inst, to: Block, value: Value) {
    let mut targets: SmallVec<[Block; 4]> = SmallVec::new();
    func.dfg.for_each_target(end, |call| targets.push(call.block));
    for (index, _) in targets.iter().enumerate().filter(|(_, target)| **target == to) {
        func.dfg.append_call_arg(end, index, value);
    }
}
