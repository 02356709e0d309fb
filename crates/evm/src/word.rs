//! 256-bit semantics of every opcode that computes its result from its operands alone.
//!
//! The only place that says what an opcode computes: constant folding and the interpreters call
//! [`eval`]. Operands are in the EVM's order, the first on top of the stack.
//!
//! Invariants: total (no operand panics), and equal to the Yellow Paper on every operand, which
//! the tests below state at the edges and the execution crate checks against revm.

use crate::Word;
use crate::opcode::Opcode;

/// The most negative two's complement number: only the sign bit set.
pub const MIN_SIGNED: Word = Word::from_limbs([0, 0, 0, 1 << 63]);

/// The greatest two's complement number.
pub const MAX_SIGNED: Word = Word::from_limbs([u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 1]);

/// The result of `op` on constant operands; `None` if it depends on more than its operands, has
/// no result, or `args` has the wrong length.
///
/// ```
/// use cairn_evm::{Opcode, Word, word};
/// let args = [Word::from(5), Word::from(3)];
/// assert_eq!(word::eval(Opcode::SUB, &args), Some(Word::from(2)));
/// assert_eq!(word::eval(Opcode::SLOAD, &args[..1]), None);
/// ```
pub fn eval(op: Opcode, args: &[Word]) -> Option<Word> {
    match *args {
        [a] => eval_unary(op, a),
        [a, b] => eval_binary(op, a, b),
        [a, b, n] => eval_ternary(op, a, b, n),
        _ => None,
    }
}

fn eval_unary(op: Opcode, a: Word) -> Option<Word> {
    Some(match op {
        Opcode::ISZERO => Word::from(a.is_zero()),
        Opcode::NOT => !a,
        Opcode::CLZ => Word::from(a.leading_zeros()),
        _ => return None,
    })
}

fn eval_binary(op: Opcode, a: Word, b: Word) -> Option<Word> {
    Some(match op {
        Opcode::ADD => a.wrapping_add(b),
        Opcode::MUL => a.wrapping_mul(b),
        Opcode::SUB => a.wrapping_sub(b),
        Opcode::DIV => a.checked_div(b).unwrap_or_default(),
        Opcode::SDIV => sdiv(a, b),
        Opcode::MOD => a.checked_rem(b).unwrap_or_default(),
        Opcode::SMOD => smod(a, b),
        Opcode::EXP => a.wrapping_pow(b),
        Opcode::SIGNEXTEND => signextend(a, b),
        Opcode::LT => Word::from(a < b),
        Opcode::GT => Word::from(a > b),
        Opcode::SLT => Word::from(signed_key(a) < signed_key(b)),
        Opcode::SGT => Word::from(signed_key(a) > signed_key(b)),
        Opcode::EQ => Word::from(a == b),
        Opcode::AND => a & b,
        Opcode::OR => a | b,
        Opcode::XOR => a ^ b,
        Opcode::BYTE => byte(a, b),
        Opcode::SHL => shift_amount(a).map_or(Word::ZERO, |amount| b << amount),
        Opcode::SHR => shift_amount(a).map_or(Word::ZERO, |amount| b >> amount),
        Opcode::SAR => sar(a, b),
        _ => return None,
    })
}

fn eval_ternary(op: Opcode, a: Word, b: Word, n: Word) -> Option<Word> {
    match op {
        Opcode::ADDMOD => Some(a.add_mod(b, n)),
        Opcode::MULMOD => Some(a.mul_mod(b, n)),
        _ => None,
    }
}

/// True when the word is negative as a two's complement number.
#[inline]
pub fn is_negative(a: Word) -> bool {
    a.bit(255)
}

/// The word with its low `bits` bits set; all of them from 256 on.
#[inline]
pub fn low_mask(bits: usize) -> Word {
    let limb = |index: usize| match bits.saturating_sub(64 * index) {
        rest @ 0..64 => (1 << rest) - 1,
        _ => u64::MAX,
    };
    Word::from_limbs([limb(0), limb(1), limb(2), limb(3)])
}

/// A word whose unsigned order is the signed order of the argument.
fn signed_key(a: Word) -> Word {
    a ^ MIN_SIGNED
}

fn absolute(a: Word) -> Word {
    if is_negative(a) { a.wrapping_neg() } else { a }
}

/// Rounds towards zero; 0 when dividing by 0; `MIN / -1` is `MIN`, as the magnitudes wrap.
fn sdiv(a: Word, b: Word) -> Word {
    let quotient = absolute(a).checked_div(absolute(b)).unwrap_or_default();
    if is_negative(a) == is_negative(b) { quotient } else { quotient.wrapping_neg() }
}

/// Takes the sign of the dividend; 0 when dividing by 0.
fn smod(a: Word, b: Word) -> Word {
    let remainder = absolute(a).checked_rem(absolute(b)).unwrap_or_default();
    if is_negative(a) { remainder.wrapping_neg() } else { remainder }
}

/// Extends the sign of the byte with index `index`, counted from the least significant one.
fn signextend(index: Word, a: Word) -> Word {
    let Ok(index @ 0..31) = usize::try_from(index) else {
        return a;
    };
    let sign_bit = 8 * index + 7;
    let mask = low_mask(sign_bit + 1);
    if a.bit(sign_bit) { a | !mask } else { a & mask }
}

/// The byte with index `index`, counted from the most significant one.
fn byte(index: Word, a: Word) -> Word {
    match usize::try_from(index) {
        Ok(index @ 0..32) => Word::from(a.byte(31 - index)),
        _ => Word::ZERO,
    }
}

fn sar(amount: Word, a: Word) -> Word {
    match shift_amount(amount) {
        Some(amount) => a.arithmetic_shr(amount),
        None if is_negative(a) => Word::MAX,
        None => Word::ZERO,
    }
}

/// The shift distance; `None` from 256 on, where every bit leaves the word.
fn shift_amount(amount: Word) -> Option<usize> {
    usize::try_from(amount).ok().filter(|amount| *amount < 256)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn w(value: u64) -> Word {
        Word::from(value)
    }

    fn neg(value: u64) -> Word {
        w(value).wrapping_neg()
    }

    #[track_caller]
    fn check(op: Opcode, args: &[Word], expected: Word) {
        assert_eq!(eval(op, args), Some(expected), "{op:?} {args:x?}");
    }

    #[test]
    fn arithmetic_wraps() {
        check(Opcode::ADD, &[Word::MAX, w(2)], w(1));
        check(Opcode::SUB, &[w(1), w(2)], Word::MAX);
        check(Opcode::SUB, &[w(5), w(3)], w(2));
        check(Opcode::MUL, &[Word::MAX, Word::MAX], w(1));
        check(Opcode::MUL, &[MIN_SIGNED, w(2)], w(0));
    }

    #[test]
    fn division_by_zero_is_zero() {
        for op in [Opcode::DIV, Opcode::MOD, Opcode::SDIV, Opcode::SMOD] {
            for a in [w(0), w(7), neg(7), MIN_SIGNED, Word::MAX] {
                check(op, &[a, w(0)], w(0));
            }
        }
        check(Opcode::DIV, &[w(7), w(2)], w(3));
        check(Opcode::MOD, &[w(7), w(4)], w(3));
        check(Opcode::DIV, &[neg(6), w(2)], MAX_SIGNED - w(2));
    }

    #[test]
    fn signed_division_rounds_towards_zero() {
        check(Opcode::SDIV, &[neg(7), w(2)], neg(3));
        check(Opcode::SDIV, &[w(7), neg(2)], neg(3));
        check(Opcode::SDIV, &[neg(7), neg(2)], w(3));
        check(Opcode::SDIV, &[MIN_SIGNED, neg(1)], MIN_SIGNED);
        check(Opcode::SDIV, &[MIN_SIGNED, w(1)], MIN_SIGNED);
        check(Opcode::SDIV, &[MIN_SIGNED, MIN_SIGNED], w(1));
    }

    #[test]
    fn signed_remainder_takes_the_sign_of_the_dividend() {
        check(Opcode::SMOD, &[neg(7), w(2)], neg(1));
        check(Opcode::SMOD, &[w(7), neg(2)], w(1));
        check(Opcode::SMOD, &[neg(7), neg(2)], neg(1));
        check(Opcode::SMOD, &[MIN_SIGNED, neg(1)], w(0));
        check(Opcode::SMOD, &[MIN_SIGNED, w(3)], neg(2));
    }

    #[test]
    fn modular_arithmetic_has_full_precision() {
        check(Opcode::ADDMOD, &[Word::MAX, Word::MAX, w(10)], w(0));
        check(Opcode::ADDMOD, &[Word::MAX, w(2), w(2)], w(1));
        check(Opcode::ADDMOD, &[Word::MAX, w(1), Word::MAX], w(1));
        check(Opcode::MULMOD, &[Word::MAX, Word::MAX, w(12)], w(9));
        check(Opcode::MULMOD, &[MIN_SIGNED, w(4), Word::MAX], w(2));
        for op in [Opcode::ADDMOD, Opcode::MULMOD] {
            check(op, &[Word::MAX, Word::MAX, w(0)], w(0));
            check(op, &[Word::MAX, Word::MAX, w(1)], w(0));
        }
    }

    #[test]
    fn powers_wrap() {
        check(Opcode::EXP, &[w(0), w(0)], w(1));
        check(Opcode::EXP, &[w(0), w(1)], w(0));
        check(Opcode::EXP, &[w(2), w(255)], MIN_SIGNED);
        check(Opcode::EXP, &[w(2), w(256)], w(0));
        check(Opcode::EXP, &[w(3), w(5)], w(243));
        check(Opcode::EXP, &[Word::MAX, Word::MAX], Word::MAX);
        check(Opcode::EXP, &[Word::MAX, w(2)], w(1));
    }

    #[test]
    fn comparisons_tell_signed_from_unsigned() {
        check(Opcode::LT, &[w(1), Word::MAX], w(1));
        check(Opcode::SLT, &[w(1), Word::MAX], w(0));
        check(Opcode::SLT, &[MIN_SIGNED, MAX_SIGNED], w(1));
        check(Opcode::SGT, &[MAX_SIGNED, MIN_SIGNED], w(1));
        check(Opcode::GT, &[MAX_SIGNED, MIN_SIGNED], w(0));
        for op in [Opcode::LT, Opcode::GT, Opcode::SLT, Opcode::SGT] {
            check(op, &[MIN_SIGNED, MIN_SIGNED], w(0));
        }
        check(Opcode::EQ, &[Word::MAX, Word::MAX], w(1));
        check(Opcode::EQ, &[Word::MAX, w(1)], w(0));
        check(Opcode::ISZERO, &[w(0)], w(1));
        check(Opcode::ISZERO, &[MIN_SIGNED], w(0));
    }

    #[test]
    fn bitwise_operations() {
        check(Opcode::AND, &[w(0b1100), w(0b1010)], w(0b1000));
        check(Opcode::OR, &[w(0b1100), w(0b1010)], w(0b1110));
        check(Opcode::XOR, &[w(0b1100), w(0b1010)], w(0b0110));
        check(Opcode::NOT, &[w(0)], Word::MAX);
        check(Opcode::CLZ, &[w(0)], w(256));
        check(Opcode::CLZ, &[w(1)], w(255));
        check(Opcode::CLZ, &[MIN_SIGNED], w(0));
    }

    #[test]
    fn byte_counts_from_the_top() {
        let a = w(0x1122) | (w(0xaa) << 248);
        check(Opcode::BYTE, &[w(0), a], w(0xaa));
        check(Opcode::BYTE, &[w(30), a], w(0x11));
        check(Opcode::BYTE, &[w(31), a], w(0x22));
        check(Opcode::BYTE, &[w(32), Word::MAX], w(0));
        check(Opcode::BYTE, &[Word::MAX, Word::MAX], w(0));
        check(Opcode::BYTE, &[w(1) << 64, Word::MAX], w(0));
    }

    #[test]
    fn shifts_of_256_or_more_leave_only_the_sign() {
        for amount in [w(256), w(257), w(1) << 64, w(1) << 255, Word::MAX] {
            check(Opcode::SHL, &[amount, Word::MAX], w(0));
            check(Opcode::SHR, &[amount, Word::MAX], w(0));
            check(Opcode::SAR, &[amount, Word::MAX], Word::MAX);
            check(Opcode::SAR, &[amount, MIN_SIGNED], Word::MAX);
            check(Opcode::SAR, &[amount, MAX_SIGNED], w(0));
        }
        check(Opcode::SHL, &[w(255), w(3)], MIN_SIGNED);
        check(Opcode::SHR, &[w(255), MIN_SIGNED], w(1));
        check(Opcode::SAR, &[w(255), MIN_SIGNED], Word::MAX);
        check(Opcode::SAR, &[w(4), neg(0x20)], neg(2));
        check(Opcode::SAR, &[w(0), MIN_SIGNED], MIN_SIGNED);
    }

    #[test]
    fn signextend_from_each_byte() {
        check(Opcode::SIGNEXTEND, &[w(0), w(0x80)], neg(0x80));
        check(Opcode::SIGNEXTEND, &[w(0), w(0xff7f)], w(0x7f));
        check(Opcode::SIGNEXTEND, &[w(1), w(0x80)], w(0x80));
        check(Opcode::SIGNEXTEND, &[w(30), w(1) << 247], !low_mask(247));
        check(Opcode::SIGNEXTEND, &[w(30), MAX_SIGNED], Word::MAX);
        for identity in [w(31), w(32), w(1) << 64, Word::MAX] {
            check(Opcode::SIGNEXTEND, &[identity, w(0x80)], w(0x80));
            check(Opcode::SIGNEXTEND, &[identity, MIN_SIGNED], MIN_SIGNED);
        }
    }

    #[test]
    fn arithmetic_is_what_can_be_evaluated() {
        for op in Opcode::all() {
            let info = op.known();
            let inputs = usize::from(info.inputs);
            let zeros = [Word::ZERO; 32];
            assert_eq!(eval(op, &zeros[..inputs]).is_some(), op.is_arithmetic(), "{op:?}");
            if op.is_arithmetic() {
                assert!(info.effects.is_pure() && info.outputs == 1, "{op:?}");
                assert_eq!(eval(op, &zeros[..inputs + 1]), None, "{op:?}");
            }
        }
    }

    #[test]
    fn masks() {
        assert_eq!(low_mask(0), w(0));
        assert_eq!(low_mask(8), w(0xff));
        assert_eq!(low_mask(255), MAX_SIGNED);
        assert_eq!(low_mask(256), Word::MAX);
        assert_eq!(low_mask(999), Word::MAX);
    }
}
