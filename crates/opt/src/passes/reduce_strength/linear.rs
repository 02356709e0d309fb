//! Words as sums: a counter times a factor, words that a loop does not change times constants, and a constant.
//!
//! All modulo 2^256, where addition, subtraction, multiplication by a constant and a shift to the left keep sums
//! sums, whatever wraps.

use super::place::Counter;
use crate::cost;
use cairn_evm::{Cost, Opcode, Word};
use cairn_ir::{Function, Inst, Op, Payload, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Gas and bytes of an operation with its operands' stack operations, the constant left out.
pub(super) const OPERATION: Cost = Cost { gas: 9, bytes: 2 };

/// Words of a sum; of one with more nothing is known.
const MAX_TERMS: usize = 3;

/// `factor · counter + Σ word · coefficient + constant`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    /// Of the counter.
    pub(super) factor: Word,
    /// Words with their coefficients, in the order of the words; none is 0.
    pub(super) terms: SmallVec<[(Value, Word); 2]>,
    pub(super) constant: Word,
}

impl Linear {
    pub(super) fn constant(word: Word) -> Linear {
        Linear { constant: word, ..Linear::default() }
    }

    /// A word that the loop does not change.
    fn term(value: Value) -> Linear {
        Linear { terms: smallvec::smallvec![(value, Word::ONE)], ..Linear::default() }
    }

    fn plus(&self, other: &Linear) -> Option<Linear> {
        let mut sum = self.clone();
        sum.factor = sum.factor.wrapping_add(other.factor);
        sum.constant = sum.constant.wrapping_add(other.constant);
        for (value, coefficient) in &other.terms {
            match sum.terms.binary_search_by_key(value, |(value, _)| *value) {
                Ok(at) => sum.terms[at].1 = sum.terms[at].1.wrapping_add(*coefficient),
                Err(at) => sum.terms.insert(at, (*value, *coefficient)),
            }
        }
        sum.terms.retain(|(_, coefficient)| !coefficient.is_zero());
        (sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    pub(super) fn times(&self, by: Word) -> Linear {
        let terms = self.terms.iter().map(|(value, coefficient)| (*value, coefficient.wrapping_mul(by)));
        Linear {
            factor: self.factor.wrapping_mul(by),
            terms: terms.filter(|(_, coefficient)| !coefficient.is_zero()).collect(),
            constant: self.constant.wrapping_mul(by),
        }
    }

    /// True if the two differ by a constant at most.
    pub(super) fn is_parallel(&self, other: &Linear) -> bool {
        self.factor == other.factor && self.terms == other.terms
    }

    /// What it costs to compute the sum where the counter is this constant, or a word.
    pub(super) fn cost(&self, counter: Option<Word>) -> Cost {
        let own = counter.is_none().then_some(self.factor);
        let rest = self.constant.wrapping_add(self.factor.wrapping_mul(counter.unwrap_or(Word::ZERO)));
        let mut cost = Cost::default();
        for coefficient in self.terms.iter().map(|(_, coefficient)| *coefficient).chain(own) {
            cost = cost + OPERATION;
            if ![Word::ONE, Word::MAX].contains(&coefficient) {
                cost = cost + OPERATION + Cost { gas: 0, bytes: 1 };
            }
        }
        if !rest.is_zero() {
            cost = cost + OPERATION + Cost { gas: 0, bytes: cost::push_bytes(rest) };
        }
        // The first is not added to anything.
        Cost { gas: cost.gas.saturating_sub(OPERATION.gas), bytes: cost.bytes.saturating_sub(1) }
    }

    /// What an operation gives for these operands, if it is a sum.
    fn of_op(opcode: Opcode, operands: &[Linear]) -> Option<Linear> {
        let as_constant =
            |sum: &Linear| (sum.factor.is_zero() && sum.terms.is_empty()).then_some(sum.constant);
        let [a, b] = operands else { return None };
        match opcode {
            Opcode::ADD => a.plus(b),
            Opcode::SUB => a.plus(&b.times(Word::MAX)),
            Opcode::MUL => match (as_constant(a), as_constant(b)) {
                (Some(by), _) => Some(b.times(by)),
                (_, Some(by)) => Some(a.times(by)),
                _ => None,
            },
            Opcode::SHL => {
                let bits = as_constant(a).filter(|bits| *bits < Word::from(256))?;
                Some(b.times(Word::ONE << bits.to::<usize>()))
            }
            _ => None,
        }
    }
}

/// The linear words of a loop, found in the order of its blocks.
pub(super) struct Forms {
    of: FxHashMap<Value, Linear>,
}

impl Forms {
    /// Only the counter is linear yet.
    pub(super) fn new(counter: &Counter) -> Forms {
        let own = Linear { factor: Word::ONE, ..Linear::default() };
        Forms { of: FxHashMap::from_iter([(counter.param, own)]) }
    }

    /// What is known of a word.
    pub(super) fn of(&self, value: Value) -> Option<&Linear> {
        self.of.get(&value)
    }

    /// Looks at an instruction of the loop, whose words are `inside`.
    pub(super) fn visit(&mut self, func: &Function, inst: Inst, is_inside: impl Fn(Value) -> bool) {
        let Op::Evm(opcode) = func.dfg.op(inst) else { return };
        if !matches!(opcode, Opcode::ADD | Opcode::SUB | Opcode::MUL | Opcode::SHL) {
            return;
        }
        let form = |value: &Value| match func.dfg.as_const(*value) {
            Some(word) => Some(Linear::constant(word)),
            None if func.dfg.ty(*value) != Type::U256 => None,
            None if is_inside(*value) => self.of(*value).cloned(),
            None => Some(Linear::term(*value)),
        };
        let operands: Option<SmallVec<[Linear; 2]>> = func.dfg.args(inst).iter().map(form).collect();
        let result = func.dfg.result(inst);
        let sum = operands.and_then(|operands| Linear::of_op(opcode, &operands));
        if let Some(sum) = sum.filter(|_| func.dfg.ty(result) == Type::U256) {
            self.of.insert(result, sum);
        }
    }
}

/// Makes sums right before an instruction.
pub(super) struct Maker<'a> {
    pub(super) func: &'a mut Function,
    pub(super) before: Inst,
}

impl Maker<'_> {
    /// A sum where the counter is this word.
    pub(super) fn sum(&mut self, form: &Linear, counter: Value) -> Value {
        let mut rest = form.constant;
        let mut sum = None;
        let own = [(counter, form.factor)];
        for (value, coefficient) in form.terms.iter().chain(&own) {
            match self.func.dfg.as_const(*value) {
                Some(word) => rest = rest.wrapping_add(word.wrapping_mul(*coefficient)),
                None => sum = Some(self.add_multiple(sum, *value, *coefficient)),
            }
        }
        match sum {
            Some(sum) if rest.is_zero() => sum,
            Some(sum) => {
                let rest = self.word(rest);
                self.op(Opcode::ADD, &[sum, rest])
            }
            None => self.word(rest),
        }
    }

    /// The sum, if there is one, and a word times a constant.
    pub(super) fn add_multiple(&mut self, sum: Option<Value>, value: Value, by: Word) -> Value {
        if let Some(sum) = sum.filter(|_| by == Word::MAX) {
            return self.op(Opcode::SUB, &[sum, value]);
        }
        let product = self.multiple(value, by);
        match sum {
            Some(sum) => self.op(Opcode::ADD, &[sum, product]),
            None => product,
        }
    }

    fn multiple(&mut self, value: Value, by: Word) -> Value {
        if by == Word::ONE {
            return value;
        }
        if by.is_power_of_two() {
            let bits = self.word(Word::from(by.trailing_zeros()));
            return self.op(Opcode::SHL, &[bits, value]);
        }
        let by = self.word(by);
        self.op(Opcode::MUL, &[by, value])
    }

    pub(super) fn word(&mut self, word: Word) -> Value {
        crate::edit::constant_before(self.func, self.before, word)
    }

    pub(super) fn op(&mut self, opcode: Opcode, args: &[Value]) -> Value {
        let inst = self.func.dfg.make_inst(Op::Evm(opcode), args, Payload::None);
        let result = self.func.dfg.append_result(inst, Type::U256);
        self.func.dfg.inst_mut(inst).loc = self.func.dfg.inst(self.before).loc;
        self.func.layout.insert_inst_before(inst, self.before);
        result
    }
}

/// A word and a constant, added right before an instruction.
pub(super) fn add_constant(func: &mut Function, before: Inst, value: Value, constant: Word) -> Value {
    let mut maker = Maker { func, before };
    let constant = maker.word(constant);
    maker.op(Opcode::ADD, &[value, constant])
}
