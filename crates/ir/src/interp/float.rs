//! Floating-point arithmetic.
//!
//! All formats compute in the host's binary64 and round. For sums, differences, products, quotients and
//! roots that is the same as rounding once: binary64 has 53 bits, and 2 · 24 + 2 are enough for
//! binary32 (S. A. Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30, 1995).
//! Remainders are exact. Every NaN that is computed is the format's own.

use super::arith::Wide;
use crate::op::Op;
use crate::types::Type;
use crate::types::float::FloatFormat;
use cairn_evm::{Opcode, Word};

/// The format of a type.
pub(super) fn format_of(ty: Type) -> Option<FloatFormat> {
    match ty {
        Type::Float(format) => Some(format),
        Type::Int(_) | Type::Bool | Type::Ptr(..) | Type::Ufixed(..) | Type::Fixed(..) => None,
        Type::Composite(_) | Type::Void | Type::Unreachable => None,
    }
}

/// The host's number; any NaN for one.
fn value(format: FloatFormat, number: Word) -> f64 {
    let magnitude = match format.parts(number) {
        Some((number, exponent)) => {
            f64::from_bits(FloatFormat::F64.nearest(Wide::from(number), exponent).to())
        }
        None if number & format.magnitude() == format.infinity() => f64::INFINITY,
        None => f64::NAN,
    };
    if (number & format.sign()).is_zero() { magnitude } else { -magnitude }
}

/// The host's number, rounded.
fn nearest(format: FloatFormat, value: f64) -> Word {
    if value.is_nan() {
        return format.nan();
    }
    let sign = if value.is_sign_negative() { format.sign() } else { Word::ZERO };
    let magnitude = match FloatFormat::F64.parts(Word::from(value.to_bits())) {
        Some((number, exponent)) => format.nearest(Wide::from(number), exponent),
        None => format.infinity(),
    };
    magnitude | sign
}

/// What an operation gives on floating-point operands of a format: a number of the format, or a flag;
/// `None` if it has no meaning on them.
pub fn eval_float(op: Op, args: &[Word], format: FloatFormat) -> Option<Word> {
    let number = |number: f64| Some(nearest(format, number));
    let flag = |flag: bool| Some(Word::from(flag));
    match *args {
        [a] => match op {
            Op::Evm(Opcode::ISZERO) => flag(value(format, a) == 0.0),
            Op::Sqrt => number(value(format, a).sqrt()),
            Op::Abs => Some(a & format.magnitude()),
            _ => None,
        },
        [first, second] => {
            let [a, b] = [first, second].map(|word| value(format, word));
            match op {
                Op::Evm(Opcode::ADD) => number(a + b),
                Op::Evm(Opcode::SUB) => number(a - b),
                Op::Evm(Opcode::MUL) => number(a * b),
                Op::Evm(Opcode::DIV | Opcode::SDIV) => number(a / b),
                Op::Evm(Opcode::MOD | Opcode::SMOD) => number(a % b),
                Op::Evm(Opcode::LT | Opcode::SLT) => flag(a < b),
                Op::Evm(Opcode::GT | Opcode::SGT) => flag(a > b),
                Op::Evm(Opcode::EQ) => flag(a == b),
                Op::Min | Op::Smin | Op::Max | Op::Smax if a.is_nan() || b.is_nan() => Some(format.nan()),
                Op::Min | Op::Smin => Some(if a.total_cmp(&b).is_le() { first } else { second }),
                Op::Max | Op::Smax => Some(if a.total_cmp(&b).is_ge() { first } else { second }),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What `convert` or `sconvert` gives where a type is one of floating-point numbers; `None` if none is,
/// or if there is no such conversion. Integers have at most 256 bits.
pub fn convert_float(op: Op, number: Word, from: Type, to: Type) -> Option<Word> {
    match (from, to) {
        (Type::Float(from), Type::Float(to)) if from == to => Some(number),
        (Type::Float(from), Type::Float(to)) => Some(nearest(to, value(from, number))),
        (Type::Float(from), to) => to_integer(op, number, from, to.bits()?.into()),
        (from, Type::Float(to)) => {
            let bits = usize::from(from.bits()?);
            let is_negative = op == Op::Sconvert && number.bit(bits - 1);
            let size =
                if is_negative { (Wide::from(1) << bits) - Wide::from(number) } else { Wide::from(number) };
            let sign = if is_negative { to.sign() } else { Word::ZERO };
            Some(to.nearest(size, 0) | sign)
        }
        _ => None,
    }
}

/// A number towards zero as an integer, or the one of all that is nearest to it; 0 for what is none.
fn to_integer(op: Op, number: Word, from: FloatFormat, bits: usize) -> Option<Word> {
    let is_negative = !(number & from.sign()).is_zero();
    let size = match from.parts(number) {
        Some((size, exponent @ 0..)) => Wide::from(size) << exponent as usize,
        Some((size, exponent)) => Wide::from(size) >> exponent.unsigned_abs() as usize,
        None if number & from.magnitude() == from.infinity() => Wide::MAX,
        None => return Some(Word::ZERO),
    };
    let modulus = Wide::from(1) << bits;
    let (most, least) = match op {
        Op::Sconvert => ((modulus >> 1) - Wide::from(1), modulus >> 1),
        _ => (modulus - Wide::from(1), Wide::ZERO),
    };
    let integer = if is_negative { (modulus - size.min(least)) % modulus } else { size.min(most) };
    Some(Word::from(integer))
}

#[cfg(test)]
mod tests {
    use super::FloatFormat::{F16, F32};
    use super::*;
    use proptest::prelude::*;

    fn single(op: Op, a: f32, b: f32) -> Option<u32> {
        let args = [a, b].map(|number| Word::from(number.to_bits()));
        eval_float(op, &args, F32).map(|word| word.to())
    }

    proptest! {
        #[test]
        fn single_precision_is_the_hosts(a: f32, b: f32) {
            let canonical = |number: f32| Some(if number.is_nan() { 0x7fc0_0000 } else { number.to_bits() });
            prop_assert_eq!(single(Op::Evm(Opcode::ADD), a, b), canonical(a + b));
            prop_assert_eq!(single(Op::Evm(Opcode::SUB), a, b), canonical(a - b));
            prop_assert_eq!(single(Op::Evm(Opcode::MUL), a, b), canonical(a * b));
            prop_assert_eq!(single(Op::Evm(Opcode::DIV), a, b), canonical(a / b));
            prop_assert_eq!(single(Op::Evm(Opcode::MOD), a, b), canonical(a % b));
            prop_assert_eq!(single(Op::Evm(Opcode::SLT), a, b), Some(u32::from(a < b)));
            prop_assert_eq!(single(Op::Evm(Opcode::EQ), a, a), Some(u32::from(!a.is_nan())));
            let bits = Word::from(a.to_bits());
            prop_assert_eq!(eval_float(Op::Sqrt, &[bits], F32).map(|word| word.to()), canonical(a.sqrt()));
            for ty in [Type::Int(8), Type::Int(64), Type::Int(128)] {
                let to = |op| convert_float(op, bits, Type::Float(F32), ty);
                let low = |number: i128| Word::from(number as u128) & cairn_evm::word::low_mask(ty.bits().map_or(0, usize::from));
                let (unsigned, signed) = match ty {
                    Type::Int(8) => (i128::from(a as u8), i128::from(a as i8)),
                    Type::Int(64) => (i128::from(a as u64), i128::from(a as i64)),
                    _ => (a as u128 as i128, a as i128),
                };
                prop_assert_eq!(to(Op::Convert), Some(low(unsigned)));
                prop_assert_eq!(to(Op::Sconvert), Some(low(signed)));
            }
        }

        #[test]
        fn integers_are_rounded_as_the_host_does(n: u128) {
            let of = |op, ty| convert_float(op, Word::from(n), ty, Type::Float(F32)).map(|word| word.to::<u32>());
            prop_assert_eq!(of(Op::Convert, Type::Int(128)), Some((n as f32).to_bits()));
            prop_assert_eq!(of(Op::Sconvert, Type::Int(128)), Some((n as i128 as f32).to_bits()));
        }
    }

    #[test]
    fn zeros_have_signs_and_nan_is_one() {
        assert_eq!(single(Op::Min, 0.0, -0.0), Some((-0.0f32).to_bits()));
        assert_eq!(single(Op::Max, -0.0, 0.0), Some(0));
        assert_eq!(single(Op::Smin, f32::from_bits(0xffff_ffff), 1.0), Some(0x7fc0_0000));
        assert_eq!(single(Op::Evm(Opcode::AND), 1.0, 1.0), None);
        // 1 and half of the last place of an f16, and a bit more than that.
        let to_half =
            |bits: u32| convert_float(Op::Convert, Word::from(bits), Type::Float(F32), Type::Float(F16));
        assert_eq!(
            [to_half(0x3f80_1000), to_half(0x3f80_1001)].map(|n| n.map(|n| n.to())),
            [Some(0x3c00), Some(0x3c01)]
        );
    }
}
