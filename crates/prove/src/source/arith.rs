//! Operations of EVM-IR that are no opcodes: conversions and generic arithmetic of up to a word.

use super::datum::{Datum, bits};
use super::place::{Done, SourcePlace};
use super::wide::product;
use crate::machine::{Content, Machine, State, Step, Stop};
use crate::term::{Term, Terms};
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{Inst, Op, Value};

impl<'m> SourcePlace<'m> {
    /// Operations that are neither opcodes nor control.
    pub(super) fn generic(
        &mut self,
        machine: &mut Machine,
        state: &mut State,
        inst: Inst,
        op: Op,
    ) -> Step<Done<'m>> {
        let args: Vec<Value> = self.func().dfg.args(inst).to_vec();
        match op {
            Op::PtrAdd => {
                let (base, offset) = (self.term(args[0])?, self.term(args[1])?);
                let sum = machine.terms.add(base, offset);
                self.give(machine, inst, sum)
            }
            Op::PtrToInt | Op::IntToPtr | Op::Trunc | Op::Zext => {
                let datum = self.datum(args[0]).clone();
                let limbs = datum.limbs(machine, datum.count());
                self.give_wide(machine, inst, limbs)
            }
            Op::Sext => self.sext(machine, inst, args[0]),
            Op::Select => self.select(machine, inst, &args),
            Op::Mload8 => {
                let at = self.term(args[0])?;
                let size = machine.terms.one;
                machine.touch(state, at, size)?;
                let memory = state.memory.clone();
                let byte = machine.load_byte(state, &memory, at)?;
                self.give(machine, inst, byte)
            }
            Op::DataCopy => {
                let places: Step<Vec<Term>> = args.iter().map(|arg| self.term(*arg)).collect();
                let places = places?;
                let content = Content::Bytes(self.image.code.clone(), places[1]);
                machine.copy(state, places[0], places[2], content)?;
                Ok(Done::Next)
            }
            op => self.arithmetic(machine, inst, op, &args),
        }
    }

    fn sext(&mut self, machine: &mut Machine, inst: Inst, arg: Value) -> Step<Done<'m>> {
        let dfg = &self.func().dfg;
        let (from, to) = (bits(dfg.ty(arg))?, bits(dfg.ty(dfg.result(inst)))?);
        if to > 256 {
            return Stop::blocked("wide sext");
        }
        let value = self.term(arg)?;
        let result = extend_sign(&mut machine.terms, value, from);
        self.give(machine, inst, result)
    }

    fn select(&mut self, machine: &mut Machine, inst: Inst, args: &[Value]) -> Step<Done<'m>> {
        let condition = self.datum(args[0]).clone().truth(machine);
        let (yes, no) = (self.datum(args[1]).clone(), self.datum(args[2]).clone());
        let count = yes.count().max(no.count());
        let (yes, no) = (yes.limbs(machine, count), no.limbs(machine, count));
        let limbs = yes.into_iter().zip(no).map(|(yes, no)| machine.terms.ite(condition, yes, no)).collect();
        self.give_wide(machine, inst, limbs)
    }

    /// Generic arithmetic, at the width of the first result; counts of bits at that of the operand.
    fn arithmetic(&mut self, machine: &mut Machine, inst: Inst, op: Op, args: &[Value]) -> Step<Done<'m>> {
        let dfg = &self.func().dfg;
        let results = dfg.results(inst).to_vec();
        let sized = if args.len() == 1 { args[0] } else { results[0] };
        let width = bits(dfg.ty(sized))?;
        if width > 256 {
            return Stop::blocked(format!("wide {}", op.name()));
        }
        let terms: Step<Vec<Term>> = args.iter().map(|arg| self.term(*arg)).collect();
        let Some(words) = apply(&mut machine.terms, op, &terms?, width) else {
            return Stop::blocked(op.name());
        };
        for (result, word) in results.into_iter().zip(words) {
            let datum = Datum::word(machine, word, bits(self.func().dfg.ty(result))?);
            self.set(result, datum);
        }
        Ok(Done::Next)
    }
}

/// The signed value of so many bits as a word.
fn extend_sign(terms: &mut Terms, a: Term, from: usize) -> Term {
    if from == 256 {
        return a;
    }
    if from.is_multiple_of(8) {
        let index = terms.number(from as u64 / 8 - 1);
        return terms.apply(Opcode::SIGNEXTEND, &[index, a]).unwrap_or(a);
    }
    let is_negative = has_sign(terms, a, from);
    let filled = terms.word(!word::low_mask(from));
    let negative = terms.or(a, filled);
    terms.ite(is_negative, negative, a)
}

/// 1 if the sign bit of a number of so many bits is set.
fn has_sign(terms: &mut Terms, a: Term, width: usize) -> Term {
    let by = terms.number(width as u64 - 1);
    terms.shr(by, a)
}

/// What a generic operation gives on numbers of `width` bits, at most a word; results are not cut.
/// `None` for what is not described.
pub(super) fn apply(terms: &mut Terms, op: Op, args: &[Term], width: usize) -> Option<Vec<Term>> {
    let greatest = terms.word(word::low_mask(width));
    let cut = |terms: &mut Terms, a: Term| terms.and_word(a, word::low_mask(width));
    let one = |term: Term| Some(vec![term]);
    match (op, args) {
        (Op::Min | Op::Max | Op::Smin | Op::Smax, &[a, b]) => {
            let is_less = match op {
                Op::Min | Op::Max => terms.lt(a, b),
                _ => {
                    let (a, b) = (extend_sign(terms, a, width), extend_sign(terms, b, width));
                    terms.slt(a, b)
                }
            };
            let takes_less = matches!(op, Op::Min | Op::Smin);
            one(if takes_less { terms.ite(is_less, a, b) } else { terms.ite(is_less, b, a) })
        }
        (Op::Abs, &[a]) => {
            let is_negative = has_sign(terms, a, width);
            let zero = terms.zero;
            let negated = terms.sub(zero, a);
            let negated = cut(terms, negated);
            one(terms.ite(is_negative, negated, a))
        }
        (Op::Rotl | Op::Rotr, &[by, a]) => {
            let modulus = terms.number(width as u64);
            let by = terms.rem(by, modulus);
            let rest = terms.sub(modulus, by);
            let (left, right) = if op == Op::Rotl { (by, rest) } else { (rest, by) };
            let (up, down) = (terms.shl(left, a), terms.shr(right, a));
            let up = cut(terms, up);
            one(terms.or(up, down))
        }
        (Op::Bswap, &[a]) => {
            let mut result = terms.zero;
            for index in 0..width / 8 {
                let byte = terms.byte_at(31 - index, a);
                let moved = terms.scale(byte, Word::from(1) << (width - 8 * (index + 1)));
                result = terms.add(result, moved);
            }
            one(result)
        }
        (Op::Ctpop, &[a]) => {
            let mut sum = terms.zero;
            for bit in 0..width as u64 {
                let by = terms.number(bit);
                let moved = terms.shr(by, a);
                let bit = terms.and_word(moved, Word::from(1));
                sum = terms.add(sum, bit);
            }
            one(sum)
        }
        (Op::Ctlz, &[a]) => {
            let zeros = terms.apply(Opcode::CLZ, &[a])?;
            let outside = terms.number(256 - width as u64);
            one(terms.sub(zeros, outside))
        }
        (Op::Cttz, &[a]) => {
            let zero = terms.zero;
            let negated = terms.sub(zero, a);
            let lowest = terms.and(a, negated);
            let zeros = terms.apply(Opcode::CLZ, &[lowest])?;
            let last = terms.number(255);
            let position = terms.sub(last, zeros);
            let (is_zero, width) = (terms.is_zero(a), terms.number(width as u64));
            one(terms.ite(is_zero, width, position))
        }
        (Op::Addo | Op::UaddSat, &[a, b]) => {
            let sum = terms.add(a, b);
            let carries = if width == 256 { terms.lt(sum, a) } else { terms.lt(greatest, sum) };
            let sum = cut(terms, sum);
            Some(match op {
                Op::Addo => vec![sum, carries],
                _ => vec![terms.ite(carries, greatest, sum)],
            })
        }
        (Op::Subo | Op::UsubSat, &[a, b]) => {
            let difference = terms.sub(a, b);
            let (difference, borrows, zero) = (cut(terms, difference), terms.lt(a, b), terms.zero);
            Some(match op {
                Op::Subo => vec![difference, borrows],
                _ => vec![terms.ite(borrows, zero, difference)],
            })
        }
        (Op::Mulo | Op::UmulSat | Op::Mulhi, &[a, b]) => multiply(terms, op, a, b, width),
        _ => None,
    }
}

fn multiply(terms: &mut Terms, op: Op, a: Term, b: Term, width: usize) -> Option<Vec<Term>> {
    let greatest = terms.word(word::low_mask(width));
    let (low, high) = match width <= 128 {
        true => (terms.mul(a, b), terms.zero),
        false => product(terms, a, b),
    };
    let by = terms.number(width as u64);
    let upper = terms.shr(by, low);
    let result = terms.and_word(low, word::low_mask(width));
    if op == Op::Mulhi {
        let above = if width == 256 { high } else { terms.scale(high, Word::from(1) << (256 - width)) };
        return Some(vec![terms.or(above, upper)]);
    }
    let (is_high, is_upper) = (terms.is_nonzero(high), terms.is_nonzero(upper));
    let overflows = terms.or(is_high, is_upper);
    Some(match op {
        Op::Mulo => vec![result, overflows],
        _ => vec![terms.ite(overflows, greatest, result)],
    })
}
