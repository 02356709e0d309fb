//! Expands operations on bits: casts, rotations, byte order, counts of zeros.

use crate::emit::Results;
use crate::emit::{Emit, low_mask};
use cairn_evm::{Opcode, Word};
use cairn_ir::Value;
use smallvec::smallvec;

/// `evm.trunc`.
pub(crate) fn truncate(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    smallvec![emit.truncate(args[0], bits)]
}

/// The word with the sign of a `bits`-bit value in all upper bits.
pub(crate) fn sign_extend(emit: &mut Emit<'_>, value: Value, bits: u16) -> Value {
    match bits {
        256.. => value,
        1 => emit.neg(value),
        bits if bits % 8 == 0 => {
            let last_byte = emit.number(u64::from(bits / 8 - 1));
            emit.evm(Opcode::SIGNEXTEND, &[last_byte, value])
        }
        bits => {
            let unused = emit.number(u64::from(256 - bits));
            let high = emit.shl(unused, value);
            emit.evm(Opcode::SAR, &[unused, high])
        }
    }
}

/// `evm.mload8`: the first byte of the word there.
pub(crate) fn load_byte(emit: &mut Emit<'_>, args: &[Value], _bits: u16) -> Results {
    let word = emit.evm(Opcode::MLOAD, &[args[0]]);
    let zero = emit.number(0);
    smallvec![emit.evm(Opcode::BYTE, &[zero, word])]
}

/// `evm.rotl`.
pub(crate) fn rotate_left(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let (left, right) = rotation(emit, args[0], bits);
    smallvec![rotate(emit, args[1], left, right, bits)]
}

/// `evm.rotr`.
pub(crate) fn rotate_right(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let (right, left) = rotation(emit, args[0], bits);
    smallvec![rotate(emit, args[1], left, right, bits)]
}

/// The amount modulo the width, and the width less that.
fn rotation(emit: &mut Emit<'_>, amount: Value, bits: u16) -> (Value, Value) {
    let width = emit.number(u64::from(bits));
    let amount = match bits.is_power_of_two() {
        true => {
            let mask = emit.number(u64::from(bits - 1));
            emit.and(amount, mask)
        }
        false => emit.evm(Opcode::MOD, &[amount, width]),
    };
    (amount, emit.sub(width, amount))
}

fn rotate(emit: &mut Emit<'_>, value: Value, left: Value, right: Value, bits: u16) -> Value {
    let high = emit.shl(left, value);
    let low = emit.shr(right, value);
    let both = emit.or(high, low);
    emit.truncate(both, bits)
}

/// `evm.bswap` of less than a word: exchanges neighbours of 1, 2, 4, … bytes up to half of the next
/// power of two, then shifts out what lies below. The width is a multiple of 8.
pub(crate) fn swap_bytes(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let rounded = bits.next_power_of_two();
    let mut value = args[0];
    let mut step = 8;
    while step < rounded {
        value = swap_neighbours(emit, value, step, rounded);
        step *= 2;
    }
    if rounded != bits {
        let below = emit.number(u64::from(rounded - bits));
        value = emit.shr(below, value);
    }
    smallvec![value]
}

/// Exchanges neighbouring groups of `step` bits in the low `bits` bits.
fn swap_neighbours(emit: &mut Emit<'_>, value: Value, step: u16, bits: u16) -> Value {
    let group = low_mask(step);
    let lanes = (0..bits / (2 * step)).map(|lane| group << usize::from(lane * 2 * step));
    let mask = lanes.fold(Word::ZERO, |mask, lane| mask | lane);
    let amount = emit.number(u64::from(step));
    let mask = emit.constant(mask);
    let down = emit.shr(amount, value);
    let down = emit.and(down, mask);
    let kept = emit.and(value, mask);
    let up = emit.shl(amount, kept);
    emit.or(down, up)
}

/// `evm.ctlz`: those of the word less those above the width.
pub(crate) fn leading_zeros(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let zeros = emit.evm(Opcode::CLZ, &[args[0]]);
    if bits >= 256 {
        return smallvec![zeros];
    }
    let above = emit.number(u64::from(256 - bits));
    smallvec![emit.sub(zeros, above)]
}

/// `evm.cttz`: `x & −x` is the lowest set bit, one less has as many ones as `x` has trailing zeros.
pub(crate) fn trailing_zeros(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let mut value = args[0];
    if bits < 256 {
        let sentinel = emit.constant(Word::from(1) << usize::from(bits));
        value = emit.or(value, sentinel);
    }
    let negated = emit.neg(value);
    let lowest = emit.and(value, negated);
    let one = emit.number(1);
    let below = emit.sub(lowest, one);
    let zeros = emit.evm(Opcode::CLZ, &[below]);
    let width = emit.number(256);
    smallvec![emit.sub(width, zeros)]
}
