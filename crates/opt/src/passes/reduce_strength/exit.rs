//! The test at the head that ends a loop, in terms of another counter.
//!
//! Let `i` begin at 0 and have the step 1, and let the loop end where `i < n` does not hold, or `i != n`, which its
//! head tests in each round; `n` does not change. Then `i ≤ n` at each test of the first kind, so that both ask
//! whether `i` is `n`. Let `p` be `f · i + b`.
//! * If `f` is odd, `p` is `f · n + b` in exactly the round in which `i` is `n`: multiplication by an odd number is a
//!   bijection of words.
//! * If `f` is 2^k, bits of `n` would be lost. Its *rotation*, `(n << k) + (n >> (256 - k))`, is a bijection, and what
//!   it is of `i` is `f · i`, because `i` is below 2^63 (A16): so `p` is `rotation(n) + b` in exactly that round, also
//!   where `n` is a word that no counter ever reaches.

use super::linear::{Linear, Maker};
use super::place::{Counter, Place};
use crate::guards::{Bound, Guards};
use cairn_evm::{Cost, Opcode, Word};
use cairn_ir::{Function, Inst, Op, Payload, SecondaryMap, Type, Value};

/// The greatest `k` for which a counter below 2^63 keeps its bits.
const MAX_SHIFT: usize = 192;

/// A test at the head of a loop.
#[derive(Clone, Debug)]
pub(super) struct Test {
    /// The comparison.
    pub(super) compared: Inst,
    bound: Value,
    /// What the bound is at most.
    most: Word,
    /// The branch asks whether the two are equal.
    is_equality: bool,
}

impl Test {
    /// The test of a counter that begins at 0 and has the step 1.
    pub(super) fn find(func: &Function, place: &Place, counter: &Counter, guards: &Guards) -> Option<Test> {
        if func.dfg.as_const(counter.start) != Some(Word::ZERO) || counter.step != Word::ONE {
            return None;
        }
        let end = func.terminator(place.head)?;
        let Payload::Branch([then, otherwise]) = func.dfg.inst(end).payload else { return None };
        let [condition] = *func.dfg.args(end) else { return None };
        let compared = func.dfg.def_inst(condition)?;
        let is_own = |value: &Value| *value == counter.param;
        let (opcode, args) = func.dfg.as_evm(condition)?;
        let (bound, is_equality) = match (opcode, args) {
            (Opcode::LT, [a, b]) if is_own(a) => (*b, false),
            (Opcode::GT, [a, b]) if is_own(b) => (*a, false),
            (Opcode::XOR | Opcode::SUB, [a, b]) if is_own(a) => (*b, false),
            (Opcode::XOR | Opcode::SUB, [a, b]) if is_own(b) => (*a, false),
            (Opcode::EQ, [a, b]) if is_own(a) => (*b, true),
            (Opcode::EQ, [a, b]) if is_own(b) => (*a, true),
            _ => return None,
        };
        let (goes_on, ends) = if is_equality { (otherwise, then) } else { (then, otherwise) };
        let is_inside = |block| place.blocks.contains(&block);
        let is_exit = is_inside(goes_on.block) && !is_inside(ends.block);
        (is_exit && is_same_in_all_rounds(func, place, bound)).then(|| {
            let most = most_before(func, place, bound, guards);
            Test { compared, bound, most, is_equality }
        })
    }

    /// True if a counter of this form can be asked in place of `i`.
    pub(super) fn can_ask(&self, func: &Function, form: &Linear) -> bool {
        let is_constant = func.dfg.as_const(self.bound).is_some();
        shift_of(form).is_some_and(|bits| !is_constant || !self.loses_bits(bits))
    }

    /// True if the bound may have bits that a shift by so many loses.
    fn loses_bits(&self, bits: usize) -> bool {
        bits > 0 && !(self.most >> (256 - bits)).is_zero()
    }

    /// The test of a counter with this form; of the first family if there is no parameter yet.
    pub(super) fn asking(&self, func: &Function, pivot: Option<Value>, form: Linear) -> Exit {
        Exit { test: self.clone(), pivot, form, constant_bound: func.dfg.as_const(self.bound) }
    }
}

/// The bits by which a factor shifts a counter; 0 if it is odd. `None` if it does neither.
fn shift_of(form: &Linear) -> Option<usize> {
    let bits = form.factor.trailing_zeros();
    (bits == 0 || (form.factor.is_power_of_two() && bits <= MAX_SHIFT)).then_some(bits)
}

/// What a word is at most before the loop.
fn most_before(func: &Function, place: &Place, value: Value, guards: &Guards) -> Word {
    let of_guard = |bound| match bound {
        Bound::AtMostWord(most) => Some(most),
        Bound::AtMost(other) | Bound::Below(other) => func.dfg.as_const(other),
        Bound::AtLeast(_) => None,
    };
    let known = guards.of(value, place.before).filter_map(of_guard).chain(func.dfg.as_const(value));
    known.min().unwrap_or(Word::MAX)
}

/// True for constants and what is computed outside of the loop.
fn is_same_in_all_rounds(func: &Function, place: &Place, value: Value) -> bool {
    let block = cairn_analysis::liveness::defining_block(func, value);
    func.dfg.as_const(value).is_some() || block.is_some_and(|block| !place.blocks.contains(&block))
}

/// What a counter is in terms of another that begins at 0 and has the step 1.
pub(super) fn as_multiple_of_rounds(func: &Function, counter: &Counter) -> Option<Linear> {
    let mut form = match func.dfg.as_const(counter.start) {
        Some(word) => Linear::constant(word),
        None => Linear { terms: smallvec::smallvec![(counter.start, Word::ONE)], ..Linear::default() },
    };
    form.factor = counter.step;
    shift_of(&form).map(|_| form)
}

/// A test of another counter.
pub(super) struct Exit {
    test: Test,
    /// The counter; nothing if it is the first family, which has none yet.
    pivot: Option<Value>,
    form: Linear,
    /// The bound, if it is constant.
    constant_bound: Option<Word>,
}

impl Exit {
    /// Words that are kept in the loop more than before.
    pub(super) fn more_words(&self, uses: &SecondaryMap<Value, u32>) -> u32 {
        u32::from(self.constant_bound.is_some() || uses[self.test.bound] > 1)
    }

    /// What it costs to compute the end before the loop.
    pub(super) fn cost(&self) -> Cost {
        let end = self.form.cost(self.constant_bound);
        match self.high_bits() {
            Some(_) => end + Cost { gas: 18, bytes: 5 },
            None => end,
        }
    }

    /// By how many bits the bound is shifted down to what a shift up loses.
    fn high_bits(&self) -> Option<usize> {
        shift_of(&self.form).filter(|bits| self.test.loses_bits(*bits)).map(|bits| 256 - bits)
    }

    /// Makes the head test the counter.
    pub(super) fn carry_out(self, func: &mut Function, place: &Place, first_family: Option<Value>) {
        let Some(pivot) = self.pivot.or(first_family) else { return };
        let before = func.terminator(place.before).expect("invariant: each block ends with a terminator");
        let high_bits = self.high_bits();
        let mut maker = Maker { func, before };
        // A constant bound may stand in the loop: only its word goes into the sum.
        let mut end = maker.sum(&self.form, self.test.bound);
        if let Some(bits) = high_bits {
            let bits = maker.word(Word::from(bits));
            let high = maker.op(Opcode::SHR, &[bits, self.test.bound]);
            end = maker.op(Opcode::ADD, &[end, high]);
        }
        let opcode = if self.test.is_equality { Opcode::EQ } else { Opcode::XOR };
        let asked = func.dfg.make_inst(Op::Evm(opcode), &[pivot, end], Payload::None);
        let ty = if self.test.is_equality { Type::Bool } else { Type::U256 };
        let result = func.dfg.append_result(asked, ty);
        func.dfg.inst_mut(asked).loc = func.dfg.inst(self.test.compared).loc;
        func.layout.insert_inst_before(asked, self.test.compared);
        let branch = func.terminator(place.head).expect("invariant: each block ends with a terminator");
        func.dfg.args_mut(branch)[0] = result;
    }
}
