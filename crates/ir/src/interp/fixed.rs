//! Fixed-point arithmetic.
//!
//! `ufixed<N,D>` is an integer of N bits that counts units of 10^−D, `fixed<N,D>` the same in two's
//! complement. Products and quotients are exact, then rounded towards zero, then taken modulo 2^N;
//! division by zero gives zero. The signed opcodes mean the same as the unsigned ones: whether
//! numbers are signed is a matter of the type.

use super::arith::{Wide, eval_opcode};
use crate::op::Op;
use crate::types::Type;
use cairn_evm::Opcode;

/// A type of fixed-point numbers.
#[derive(Clone, Copy)]
pub(super) struct Format {
    bits: usize,
    decimals: usize,
    is_signed: bool,
}

impl Format {
    pub(super) fn of(ty: Type) -> Option<Format> {
        let (bits, decimals, is_signed) = match ty {
            Type::Ufixed(bits, decimals) => (bits, decimals, false),
            Type::Fixed(bits, decimals) => (bits, decimals, true),
            Type::Int(_) | Type::Bool | Type::Ptr(..) | Type::Float(_) | Type::Composite(_) => return None,
            Type::Void | Type::Unreachable => return None,
        };
        Some(Format { bits: bits.into(), decimals: decimals.into(), is_signed })
    }

    /// One.
    fn unit(self) -> Wide {
        Wide::from(10).pow(Wide::from(self.decimals))
    }

    /// Sign and magnitude.
    fn split(self, a: Wide) -> (Sign, Wide) {
        match self.is_signed && a.bit(self.bits - 1) {
            true => (Sign::Minus, (Wide::from(1) << self.bits) - a),
            false => (Sign::Plus, a),
        }
    }

    fn join(self, sign: Sign, magnitude: Wide) -> Wide {
        let modulus = Wide::from(1) << self.bits;
        let rest = magnitude % modulus;
        if sign == Sign::Minus && !rest.is_zero() { modulus - rest } else { rest }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

/// A number as one of another type, not cut to its bits yet: with other decimals, rounded towards zero.
/// Integers are signed for `sconvert`.
pub(super) fn convert(op: Op, a: Wide, from: Type, to: Type) -> Wide {
    let integer = |ty: Type| Format {
        bits: ty.bits().unwrap_or(256).into(),
        decimals: 0,
        is_signed: op == Op::Sconvert,
    };
    let [from, to] = [from, to].map(|ty| Format::of(ty).unwrap_or_else(|| integer(ty)));
    let (sign, size) = from.split(a);
    to.join(sign, size * to.unit() / from.unit())
}

/// The comparison that follows the type's sign, for an operation that gives one of two numbers.
pub(super) fn ordered(op: Op, ty: Type) -> Op {
    match (op, Format::of(ty).map(|format| format.is_signed)) {
        (Op::Min | Op::Smin, Some(true)) => Op::Smin,
        (Op::Max | Op::Smax, Some(true)) => Op::Smax,
        (Op::Min | Op::Smin, Some(false)) => Op::Min,
        (Op::Max | Op::Smax, Some(false)) => Op::Max,
        (op, _) => op,
    }
}

/// `base` to the power of an integer: squares and products, each rounded as `mul` does it, from the
/// lowest bit of the exponent up.
fn power(base: Wide, mut exponent: Wide, format: Format) -> Option<Wide> {
    let multiply = |a, b| eval_fixed(Opcode::MUL, &[a, b], format);
    let (mut result, mut square) = (format.join(Sign::Plus, format.unit()), base);
    while !exponent.is_zero() {
        if exponent.bit(0) {
            result = multiply(result, square)?;
        }
        square = multiply(square, square)?;
        exponent >>= 1;
    }
    Some(result)
}

/// What an opcode gives on fixed-point operands; `None` when it has no meaning on them.
pub(super) fn eval_fixed(opcode: Opcode, args: &[Wide], format: Format) -> Option<Wide> {
    let integer = [Opcode::ADD, Opcode::SUB, Opcode::EQ, Opcode::ISZERO, Opcode::AND, Opcode::OR];
    if integer.contains(&opcode) || [Opcode::XOR, Opcode::NOT].contains(&opcode) {
        return eval_opcode(opcode, args, format.bits);
    }
    let &[a, b] = args else { return None };
    if opcode == Opcode::EXP {
        return power(a, b, format);
    }
    let ((a_sign, a_size), (b_sign, b_size)) = (format.split(a), format.split(b));
    let sign = if a_sign == b_sign { Sign::Plus } else { Sign::Minus };
    Some(match opcode {
        Opcode::MUL => format.join(sign, a_size * b_size / format.unit()),
        Opcode::DIV | Opcode::SDIV => {
            format.join(sign, (a_size * format.unit()).checked_div(b_size).unwrap_or_default())
        }
        Opcode::MOD | Opcode::SMOD => format.join(a_sign, a_size.checked_rem(b_size).unwrap_or_default()),
        Opcode::LT | Opcode::SLT => compare(format, a, b),
        Opcode::GT | Opcode::SGT => compare(format, b, a),
        _ => return None,
    })
}

/// 1 when `a` is less than `b`.
fn compare(format: Format, a: Wide, b: Wide) -> Wide {
    let opcode = if format.is_signed { Opcode::SLT } else { Opcode::LT };
    eval_opcode(opcode, &[a, b], format.bits).expect("invariant: comparisons are evaluable")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: Format = Format { bits: 16, decimals: 2, is_signed: true };
    const UNSIGNED: Format = Format { is_signed: false, ..SIGNED };

    /// Operands and result in hundredths, as signed numbers.
    fn eval(format: Format, opcode: Opcode, a: i16, b: i16) -> Option<i16> {
        let args = [a, b].map(|n| Wide::from(n as u16));
        eval_fixed(opcode, &args, format).map(|result| result.to::<u16>() as i16)
    }

    #[test]
    fn rounding_is_towards_zero() {
        assert_eq!(eval(SIGNED, Opcode::MUL, 150, 150), Some(225));
        assert_eq!(eval(SIGNED, Opcode::MUL, -155, 1), Some(-1));
        assert_eq!(eval(SIGNED, Opcode::MUL, -155, -155), Some(240));
        assert_eq!(eval(SIGNED, Opcode::DIV, -100, 300), Some(-33));
        assert_eq!(eval(SIGNED, Opcode::DIV, 100, 0), Some(0));
        assert_eq!(eval(SIGNED, Opcode::MOD, -250, 100), Some(-50));
        assert_eq!(eval(UNSIGNED, Opcode::DIV, 100, 300), Some(33));
        assert_eq!(eval(SIGNED, Opcode::ADD, 1, -2), Some(-1));
    }

    #[test]
    fn signs_are_a_matter_of_the_type() {
        assert_eq!(eval(SIGNED, Opcode::LT, -1, 1), Some(1));
        assert_eq!(eval(UNSIGNED, Opcode::LT, -1, 1), Some(0));
        assert_eq!(eval(UNSIGNED, Opcode::SGT, -1, 1), Some(1));
        assert_eq!(eval(SIGNED, Opcode::EXP, 150, 3), Some(337));
        assert_eq!(eval(SIGNED, Opcode::EXP, -150, 0), Some(100));
        assert_eq!(eval(SIGNED, Opcode::SHL, 1, 1), None);
    }
}
