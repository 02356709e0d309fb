//! Floating-point numbers as integers that hold their bits.
//!
//! * Sums, products, quotients, remainders, roots, comparisons and conversions are calls of the
//!   [runtime](crate::runtime). A difference is the sum with the other sign; `gt` is `lt` of the
//!   exchanged operands.
//! * `iszero` and `abs` look at the bits without the sign.
//! * `f16` is promoted: operands become `f32`, and the result is rounded back. That is the same as
//!   rounding once, since 24 bits are at least 2 · 11 + 2 (S. A. Figueroa, "When is double rounding
//!   innocuous?", SIGNUM Newsletter 30, 1995); remainders are exact. An integer that is an `f16` at all
//!   is below 2^16 and exact as an `f32`. An `f64` becomes an `f16` at once.
//! * What is computed of constants is a constant: the interpreter says which.

use super::softened;
use crate::context::PassContext;
use crate::emit::{Emit, low_mask};
use crate::runtime::{FloatRoutine, Routine};
use cairn_evm::{Opcode, Word};
use cairn_ir::interp::{convert_float, eval_float};
use cairn_ir::types::float::FloatFormat;
use cairn_ir::{Function, Inst, Op, Payload, Type, Value};
use smallvec::SmallVec;

/// Rewrites an operation on floating-point numbers.
pub(super) fn soften(func: &mut Function, inst: Inst, cx: &mut PassContext<'_>) {
    let args: SmallVec<[Value; 2]> = SmallVec::from_slice(func.dfg.args(inst));
    let op = func.dfg.op(inst);
    let computes = match op {
        Op::Evm(opcode) => opcode.is_arithmetic(),
        Op::Convert | Op::Sconvert | Op::Min | Op::Smin | Op::Max | Op::Smax | Op::Sqrt | Op::Abs => true,
        _ => false,
    };
    let Some(first) = args.first().filter(|_| computes) else { return };
    let (from, result) = (func.dfg.ty(*first), func.dfg.result(inst));
    let to = func.dfg.ty(result);
    if fold(func, inst, &args, to) {
        return;
    }
    let mut soft = Soft { emit: Emit::before(func, inst), cx };
    let value = match (op, from, to) {
        (Op::Convert | Op::Sconvert, Type::Float(from), Type::Float(to)) => {
            Some(soft.convert(args[0], from, to))
        }
        (Op::Convert | Op::Sconvert, Type::Float(from), to) => Some(soft.integer(op, args[0], from, to)),
        (Op::Convert | Op::Sconvert, from, Type::Float(to)) => Some(soft.number(op, args[0], from, to)),
        (op, Type::Float(format), _) => soft.compute(op, &args, format),
        _ => None,
    };
    let Some(value) = value else { return };
    // The same word, of the type that the result gets.
    let [found, wanted] = [func.dfg.ty(value), to].map(|ty| softened(ty).bits());
    let op = if wanted >= found { Op::Zext } else { Op::Trunc };
    func.dfg.replace_inst(inst, op, &[value], Payload::None);
}

/// Makes what is computed of constants a constant; false if an operand is none.
fn fold(func: &mut Function, inst: Inst, args: &[Value], to: Type) -> bool {
    let words: Option<SmallVec<[Word; 2]>> = args.iter().map(|arg| func.dfg.as_const(*arg)).collect();
    let Some(words) = words else { return false };
    let (op, from) = (func.dfg.op(inst), func.dfg.ty(args[0]));
    let word = match (op, from) {
        (Op::Convert | Op::Sconvert, from) => convert_float(op, words[0], from, to),
        (op, Type::Float(format)) => eval_float(op, &words, format),
        _ => None,
    };
    let Some(word) = word else { return false };
    let word = func.dfg.make_const(word);
    func.dfg.replace_inst(inst, Op::Constant, &[], Payload::Const(word));
    true
}

/// The format that a format is computed in.
fn computed(format: FloatFormat) -> FloatFormat {
    match format {
        FloatFormat::F16 | FloatFormat::F32 => FloatFormat::F32,
        FloatFormat::F64 => FloatFormat::F64,
    }
}

/// What computes with operands of one format.
fn routine(op: Op) -> Option<FloatRoutine> {
    Some(match op {
        Op::Evm(Opcode::ADD | Opcode::SUB) => FloatRoutine::Add,
        Op::Evm(Opcode::MUL) => FloatRoutine::Mul,
        Op::Evm(Opcode::DIV | Opcode::SDIV) => FloatRoutine::Div,
        Op::Evm(Opcode::MOD | Opcode::SMOD) => FloatRoutine::Rem,
        Op::Evm(Opcode::LT | Opcode::SLT | Opcode::GT | Opcode::SGT) => FloatRoutine::Lt,
        Op::Evm(Opcode::EQ) => FloatRoutine::Eq,
        Op::Min | Op::Smin => FloatRoutine::Min,
        Op::Max | Op::Smax => FloatRoutine::Max,
        Op::Sqrt => FloatRoutine::Sqrt,
        _ => return None,
    })
}

/// Code in front of an operation.
struct Soft<'a, 'b, 'c> {
    emit: Emit<'a>,
    cx: &'b mut PassContext<'c>,
}

impl Soft<'_, '_, '_> {
    fn call(&mut self, format: FloatFormat, routine: FloatRoutine, args: &[Value]) -> Value {
        self.cx.runtime.call(&mut self.emit, Routine::Float(format, routine), args)[0]
    }

    /// A number of another format.
    fn convert(&mut self, number: Value, from: FloatFormat, to: FloatFormat) -> Value {
        match from == to {
            true => number,
            false => self.call(to, FloatRoutine::From(from), &[number]),
        }
    }

    /// The bits without that of the sign.
    fn magnitude(&mut self, number: Value, format: FloatFormat) -> Value {
        let mask = self.emit.constant(format.magnitude());
        self.emit.value(Op::Evm(Opcode::AND), &[number, mask], Type::Int(format.bits()))
    }

    /// What an operation other than a conversion gives, if it has a meaning.
    fn compute(&mut self, op: Op, args: &[Value], format: FloatFormat) -> Option<Value> {
        match op {
            Op::Abs => return Some(self.magnitude(args[0], format)),
            Op::Evm(Opcode::ISZERO) => {
                let magnitude = self.magnitude(args[0], format);
                return Some(self.emit.is_zero(magnitude));
            }
            _ => {}
        }
        let wide = computed(format);
        let mut args: SmallVec<[Value; 2]> =
            args.iter().map(|arg| self.convert(*arg, format, wide)).collect();
        match op {
            Op::Evm(Opcode::SUB) => {
                let sign = self.emit.constant(wide.sign());
                args[1] = self.emit.xor(args[1], sign);
            }
            Op::Evm(Opcode::GT | Opcode::SGT) => args.swap(0, 1),
            _ => {}
        }
        let routine = routine(op)?;
        let result = self.call(wide, routine, &args);
        let is_test = matches!(routine, FloatRoutine::Lt | FloatRoutine::Eq);
        Some(if is_test { result } else { self.convert(result, wide, format) })
    }

    /// A number as an integer, towards zero, or the integer of the type that is nearest to it.
    fn integer(&mut self, op: Op, number: Value, from: FloatFormat, to: Type) -> Value {
        let (bits, wide) = (to.bits().unwrap_or(256), computed(from));
        let number = self.convert(number, from, wide);
        let size = self.call(wide, FloatRoutine::Integer, &[number]);
        let place = self.emit.number(u64::from(wide.bits() - 1));
        let is_minus = self.emit.shr(place, number);
        if op == Op::Convert {
            let is_plus = self.emit.is_zero(is_minus);
            let size = self.emit.evm(Opcode::MUL, &[size, is_plus]);
            return if bits >= 256 { size } else { self.at_most(size, low_mask(bits)) };
        }
        let most = self.emit.constant(low_mask(bits - 1));
        let most = self.emit.add(most, is_minus);
        let size = self.emit.value(Op::Min, &[size, most], Type::U256);
        let ones = self.emit.neg(is_minus);
        let flipped = self.emit.xor(size, ones);
        self.emit.add(flipped, is_minus)
    }

    fn at_most(&mut self, size: Value, most: Word) -> Value {
        let most = self.emit.constant(most);
        self.emit.value(Op::Min, &[size, most], Type::U256)
    }

    /// The number nearest to an integer of at most a word.
    fn number(&mut self, op: Op, integer: Value, from: Type, to: FloatFormat) -> Value {
        let wide = computed(to);
        let number = match op {
            Op::Convert => {
                let sign = self.emit.number(0);
                let size = self.emit.value(Op::Zext, &[integer], Type::U256);
                self.call(wide, FloatRoutine::FromInteger, &[sign, size])
            }
            _ => {
                let op = if from == Type::U256 { Op::Zext } else { Op::Sext };
                let integer = self.emit.value(op, &[integer], Type::U256);
                let size = self.emit.value(Op::Abs, &[integer], Type::U256);
                let zero = self.emit.number(0);
                let is_minus = self.emit.evm(Opcode::SLT, &[integer, zero]);
                let place = self.emit.number(u64::from(wide.bits() - 1));
                let sign = self.emit.shl(place, is_minus);
                self.call(wide, FloatRoutine::FromInteger, &[sign, size])
            }
        };
        self.convert(number, wide, to)
    }
}
