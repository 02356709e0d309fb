//! Arithmetic at any width: what opcodes mean on integers wider than a word, and what the generic
//! operations mean at all.
//!
//! Operands and results are non-negative numbers below 2^bits; signed operations read them as
//! two's complement of that many bits. Everything is computed in [`Wide`], twice as wide as the
//! widest type, so that products are exact.

use crate::op::Op;
use cairn_evm::Opcode;
use smallvec::{SmallVec, smallvec};

/// A number of up to 8192 bits.
pub type Wide = alloy_primitives::Uint<8192, 128>;

fn mask(bits: usize) -> Wide {
    (Wide::from(1) << bits) - Wide::from(1)
}

fn is_negative(a: Wide, bits: usize) -> bool {
    a.bit(bits - 1)
}

fn neg(a: Wide, bits: usize) -> Wide {
    a.wrapping_neg() & mask(bits)
}

fn magnitude(a: Wide, bits: usize) -> Wide {
    if is_negative(a, bits) { neg(a, bits) } else { a }
}

/// A number whose unsigned order is the signed order of the argument.
fn biased(a: Wide, bits: usize) -> Wide {
    a ^ (Wide::from(1) << (bits - 1))
}

fn div(a: Wide, b: Wide) -> Wide {
    a.checked_div(b).unwrap_or_default()
}

fn rem(a: Wide, b: Wide) -> Wide {
    a.checked_rem(b).unwrap_or_default()
}

/// A shift amount below `bits`.
fn amount(a: Wide, bits: usize) -> Option<usize> {
    usize::try_from(a).ok().filter(|amount| *amount < bits)
}

/// What an arithmetic opcode gives on operands of `bits` bits; at 256 bits the same as
/// [`cairn_evm::word::eval`]. Comparisons give 0 or 1. `None` for other opcodes and a wrong number
/// of operands.
pub fn eval_opcode(opcode: Opcode, args: &[Wide], bits: usize) -> Option<Wide> {
    let result = match *args {
        [a] => match opcode {
            Opcode::ISZERO => Wide::from(a.is_zero()),
            Opcode::NOT => a ^ mask(bits),
            Opcode::CLZ => Wide::from(bits - a.bit_len()),
            _ => return None,
        },
        [a, b] => eval_binary(opcode, a, b, bits)?,
        [a, b, n] => match opcode {
            Opcode::ADDMOD => rem(a + b, n),
            Opcode::MULMOD => rem(a * b, n),
            _ => return None,
        },
        _ => return None,
    };
    Some(result & mask(bits))
}

fn eval_binary(opcode: Opcode, a: Wide, b: Wide, bits: usize) -> Option<Wide> {
    Some(match opcode {
        Opcode::ADD => a.wrapping_add(b),
        Opcode::MUL => a.wrapping_mul(b),
        Opcode::SUB => a.wrapping_sub(b),
        Opcode::DIV => div(a, b),
        Opcode::MOD => rem(a, b),
        Opcode::SDIV => {
            let quotient = div(magnitude(a, bits), magnitude(b, bits));
            if is_negative(a, bits) != is_negative(b, bits) { neg(quotient, bits) } else { quotient }
        }
        Opcode::SMOD => {
            let rest = rem(magnitude(a, bits), magnitude(b, bits));
            if is_negative(a, bits) { neg(rest, bits) } else { rest }
        }
        Opcode::EXP => power(a, b, bits),
        Opcode::SIGNEXTEND => match amount(a, bits.div_ceil(8)) {
            Some(byte) if byte * 8 + 8 < bits => extend_sign(b & mask(byte * 8 + 8), byte * 8 + 8, bits),
            _ => b,
        },
        Opcode::LT => Wide::from(a < b),
        Opcode::GT => Wide::from(a > b),
        Opcode::SLT => Wide::from(biased(a, bits) < biased(b, bits)),
        Opcode::SGT => Wide::from(biased(a, bits) > biased(b, bits)),
        Opcode::EQ => Wide::from(a == b),
        Opcode::AND => a & b,
        Opcode::OR => a | b,
        Opcode::XOR => a ^ b,
        Opcode::BYTE => match amount(a, bits.div_ceil(8)) {
            Some(index) => (b >> ((bits.div_ceil(8) - 1 - index) * 8)) & Wide::from(0xff),
            None => Wide::ZERO,
        },
        Opcode::SHL => amount(a, bits).map_or(Wide::ZERO, |amount| b << amount),
        Opcode::SHR => amount(a, bits).map_or(Wide::ZERO, |amount| b >> amount),
        Opcode::SAR => {
            let fill = is_negative(b, bits);
            let by = amount(a, bits).unwrap_or(bits);
            let shifted = if by == bits { Wide::ZERO } else { b >> by };
            if fill { shifted | (mask(bits) ^ mask(bits - by)) } else { shifted }
        }
        _ => return None,
    })
}

fn power(base: Wide, mut exponent: Wide, bits: usize) -> Wide {
    let (mut result, mut square) = (Wide::from(1), base);
    while !exponent.is_zero() {
        if exponent.bit(0) {
            result = result.wrapping_mul(square) & mask(bits);
        }
        square = square.wrapping_mul(square) & mask(bits);
        exponent >>= 1;
    }
    result
}

/// A number of `from` bits as one of `to` bits with the same signed value.
pub(super) fn extend_sign(a: Wide, from: usize, to: usize) -> Wide {
    if is_negative(a, from) { a | (mask(to) ^ mask(from)) } else { a }
}

/// What a generic operation gives on operands of `bits` bits; `None` when it reverts, or is no
/// arithmetic operation.
pub fn eval_generic(op: Op, args: &[Wide], bits: usize) -> Option<SmallVec<[Wide; 2]>> {
    let one = |value: Wide| Some(smallvec![value]);
    match (op, args) {
        (Op::Min, &[a, b]) => one(a.min(b)),
        (Op::Max, &[a, b]) => one(a.max(b)),
        (Op::Smin, &[a, b]) => one(if biased(a, bits) < biased(b, bits) { a } else { b }),
        (Op::Smax, &[a, b]) => one(if biased(a, bits) > biased(b, bits) { a } else { b }),
        (Op::Abs, &[a]) => one(magnitude(a, bits)),
        (Op::Rotl, &[by, a]) => one(rotate_left(a, rotation(by, bits), bits)),
        (Op::Rotr, &[by, a]) => one(rotate_left(a, (bits - rotation(by, bits)) % bits, bits)),
        (Op::Bswap, &[a]) => one(swap_bytes(a, bits)),
        (Op::Ctpop, &[a]) => one(Wide::from(a.count_ones())),
        (Op::Ctlz, &[a]) => one(Wide::from(bits - a.bit_len())),
        (Op::Cttz, &[a]) => one(Wide::from(a.trailing_zeros().min(bits))),
        (Op::Addo, &[a, b]) => overflowing(a + b, bits),
        (Op::Subo, &[a, b]) => Some(smallvec![a.wrapping_sub(b) & mask(bits), Wide::from(a < b)]),
        (Op::Mulo, &[a, b]) => overflowing(a * b, bits),
        (Op::UaddSat, &[a, b]) => one((a + b).min(mask(bits))),
        (Op::UsubSat, &[a, b]) => one(a.saturating_sub(b)),
        (Op::UmulSat, &[a, b]) => one((a * b).min(mask(bits))),
        (Op::Muldiv, &[a, b, c]) => one((a * b).checked_div(c).filter(|result| *result <= mask(bits))?),
        (Op::Mulhi, &[a, b]) => one((a * b) >> bits),
        _ => None,
    }
}

fn overflowing(exact: Wide, bits: usize) -> Option<SmallVec<[Wide; 2]>> {
    Some(smallvec![exact & mask(bits), Wide::from(exact > mask(bits))])
}

fn rotation(by: Wide, bits: usize) -> usize {
    usize::try_from(rem(by, Wide::from(bits))).expect("invariant: a remainder is below the divisor")
}

fn rotate_left(a: Wide, by: usize, bits: usize) -> Wide {
    ((a << by) | (a >> (bits - by))) & mask(bits)
}

fn swap_bytes(a: Wide, bits: usize) -> Wide {
    let bytes = a.to_le_bytes_vec();
    Wide::from_be_slice(&bytes[..bits / 8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::{Word, word};
    use proptest::prelude::*;

    fn wide(n: u64) -> Wide {
        Wide::from(n)
    }

    fn generic(op: Op, args: &[u64], bits: usize) -> Option<Vec<u64>> {
        let args: Vec<Wide> = args.iter().map(|arg| wide(*arg)).collect();
        let results = eval_generic(op, &args, bits)?;
        Some(results.iter().map(|result| result.to::<u64>()).collect())
    }

    fn words() -> impl Strategy<Value = Word> {
        let edge = prop_oneof![
            Just(Word::ZERO),
            Just(Word::from(1)),
            Just(Word::MAX),
            Just(Word::from(1) << 255),
            (0u64..300).prop_map(Word::from),
        ];
        prop_oneof![any::<[u64; 4]>().prop_map(Word::from_limbs), edge]
    }

    proptest! {
        #[test]
        fn opcodes_at_256_bits_are_the_evms(byte in 0x01u8..=0x1e, args in proptest::array::uniform3(words())) {
            let opcode = Opcode(byte);
            let Some(info) = opcode.info() else { return Ok(()) };
            let args = &args[..info.inputs as usize];
            let wide: Vec<Wide> = args.iter().map(|arg| Wide::from(*arg)).collect();
            let result = eval_opcode(opcode, &wide, 256).map(Word::from);
            prop_assert_eq!(result, word::eval(opcode, args));
        }

        #[test]
        fn eight_bits_are_rusts(a: u8, b: u8, c: u8) {
            let (x, y, z) = (u64::from(a), u64::from(b), u64::from(c));
            let (s, t) = (a as i8, b as i8);
            let (add, carry) = a.overflowing_add(b);
            let (mul, overflow) = a.overflowing_mul(b);
            let (sub, borrow) = a.overflowing_sub(b);
            let one = |n: u8| Some(vec![u64::from(n)]);
            let two = |n: u8, flag: bool| Some(vec![u64::from(n), u64::from(flag)]);
            prop_assert_eq!(generic(Op::Min, &[x, y], 8), one(a.min(b)));
            prop_assert_eq!(generic(Op::Max, &[x, y], 8), one(a.max(b)));
            prop_assert_eq!(generic(Op::Smin, &[x, y], 8), one(s.min(t) as u8));
            prop_assert_eq!(generic(Op::Smax, &[x, y], 8), one(s.max(t) as u8));
            prop_assert_eq!(generic(Op::Abs, &[x], 8), one(s.wrapping_abs() as u8));
            prop_assert_eq!(generic(Op::Rotl, &[x, y], 8), one(b.rotate_left(u32::from(a) % 8)));
            prop_assert_eq!(generic(Op::Rotr, &[x, y], 8), one(b.rotate_right(u32::from(a) % 8)));
            prop_assert_eq!(generic(Op::Ctpop, &[x], 8), one(a.count_ones() as u8));
            prop_assert_eq!(generic(Op::Ctlz, &[x], 8), one(a.leading_zeros() as u8));
            prop_assert_eq!(generic(Op::Cttz, &[x], 8), one(a.trailing_zeros() as u8));
            prop_assert_eq!(generic(Op::Addo, &[x, y], 8), two(add, carry));
            prop_assert_eq!(generic(Op::Subo, &[x, y], 8), two(sub, borrow));
            prop_assert_eq!(generic(Op::Mulo, &[x, y], 8), two(mul, overflow));
            prop_assert_eq!(generic(Op::UaddSat, &[x, y], 8), one(a.saturating_add(b)));
            prop_assert_eq!(generic(Op::UsubSat, &[x, y], 8), one(a.saturating_sub(b)));
            prop_assert_eq!(generic(Op::UmulSat, &[x, y], 8), one(a.saturating_mul(b)));
            prop_assert_eq!(generic(Op::Mulhi, &[x, y], 8), one(((x * y) >> 8) as u8));
            let muldiv = (x * y).checked_div(z).filter(|n| *n < 256).map(|n| vec![n]);
            prop_assert_eq!(generic(Op::Muldiv, &[x, y, z], 8), muldiv);
            prop_assert_eq!(generic(Op::Bswap, &[x | y << 8], 16), Some(vec![x << 8 | y]));
        }

        #[test]
        fn opcodes_at_eight_bits_are_rusts(a: u8, b: u8) {
            let eval = |opcode| eval_opcode(opcode, &[wide(u64::from(a)), wide(u64::from(b))], 8).map(|n| n.to::<u8>());
            let (s, t) = (a as i8, b as i8);
            prop_assert_eq!(eval(Opcode::SDIV), Some(if t == 0 { 0 } else { s.wrapping_div(t) as u8 }));
            prop_assert_eq!(eval(Opcode::SMOD), Some(if t == 0 { 0 } else { s.wrapping_rem(t) as u8 }));
            prop_assert_eq!(eval(Opcode::SLT), Some(u8::from(s < t)));
            prop_assert_eq!(eval(Opcode::EXP), Some(a.wrapping_pow(u32::from(b))));
            prop_assert_eq!(eval(Opcode::SAR), Some((t >> a.min(7)) as u8));
            prop_assert_eq!(eval(Opcode::SHL), Some(b.checked_shl(u32::from(a)).unwrap_or(0)));
        }
    }

    #[test]
    fn the_widest_type_multiplies_exactly() {
        let max = mask(4096);
        assert_eq!(eval_generic(Op::Mulhi, &[max, max], 4096), Some(smallvec![max - wide(1)]));
        assert_eq!(eval_generic(Op::Muldiv, &[max, max, max], 4096), Some(smallvec![max]));
        assert_eq!(eval_generic(Op::Muldiv, &[max, max, wide(1)], 4096), None);
        assert_eq!(eval_opcode(Opcode::MULMOD, &[max, max, max - wide(1)], 4096), Some(wide(1)));
    }
}
