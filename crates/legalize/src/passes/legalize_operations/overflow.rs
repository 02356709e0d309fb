//! Expands arithmetic that watches for overflow: `addo`, `subo`, `mulo`, saturating operations and
//! the high half of a product.
//!
//! Below 256 bits the sum of two operands, and up to 128 bits their product, is exact in a word.

use crate::emit::Results;
use crate::emit::{Emit, low_mask};
use cairn_evm::{Opcode, Word};
use cairn_ir::Value;
use smallvec::smallvec;

/// `evm.addo`.
pub(crate) fn add(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let sum = emit.add(args[0], args[1]);
    let carry = match bits {
        256.. => emit.lt(sum, args[0]),
        bits => exceeds(emit, sum, bits),
    };
    smallvec![emit.truncate(sum, bits), carry]
}

/// `evm.subo`.
pub(crate) fn sub(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let difference = emit.sub(args[0], args[1]);
    let borrow = emit.lt(args[0], args[1]);
    smallvec![emit.truncate(difference, bits), borrow]
}

/// `evm.mulo`.
pub(crate) fn mul(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let (product, overflows) = product(emit, args, bits);
    smallvec![emit.truncate(product, bits), overflows]
}

/// `evm.uadd_sat`.
pub(crate) fn saturating_add(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let sum = emit.add(args[0], args[1]);
    let carry = match bits {
        256.. => emit.lt(sum, args[0]),
        bits => exceeds(emit, sum, bits),
    };
    smallvec![saturate(emit, sum, carry, bits)]
}

/// `evm.usub_sat`.
pub(crate) fn saturating_sub(emit: &mut Emit<'_>, args: &[Value], _bits: u16) -> Results {
    let difference = emit.sub(args[0], args[1]);
    let is_positive = emit.evm(Opcode::GT, &[args[0], args[1]]);
    smallvec![emit.mul(difference, is_positive)]
}

/// `evm.umul_sat`.
pub(crate) fn saturating_mul(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let (product, overflows) = product(emit, args, bits);
    smallvec![saturate(emit, product, overflows, bits)]
}

/// `evm.mulhi`: the product less its low half, from the product modulo 2^256 − 1.
pub(crate) fn high_product(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    if bits <= 128 {
        let product = emit.mul(args[0], args[1]);
        let width = emit.number(u64::from(bits));
        return smallvec![emit.shr(width, product)];
    }
    let (high, low) = full_product(emit, args[0], args[1]);
    if bits >= 256 {
        return smallvec![high];
    }
    let up = emit.number(u64::from(256 - bits));
    let down = emit.number(u64::from(bits));
    let high = emit.shl(up, high);
    let low = emit.shr(down, low);
    smallvec![emit.or(high, low)]
}

/// High and low word of a product. With `m = a·b mod (2^256 − 1)` and `p = a·b mod 2^256`, the high
/// word is `m − p`, less one if that borrows.
pub(crate) fn full_product(emit: &mut Emit<'_>, a: Value, b: Value) -> (Value, Value) {
    let ones = emit.constant(Word::MAX);
    let folded = emit.evm(Opcode::MULMOD, &[a, b, ones]);
    let low = emit.mul(a, b);
    let difference = emit.sub(folded, low);
    let borrow = emit.lt(folded, low);
    (emit.sub(difference, borrow), low)
}

/// A product modulo 2^256 and whether it exceeds the width.
fn product(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> (Value, Value) {
    let product = emit.mul(args[0], args[1]);
    if bits <= 128 {
        let overflows = exceeds(emit, product, bits);
        return (product, overflows);
    }
    let quotient = emit.div(product, args[0]);
    let is_exact = emit.evm(Opcode::EQ, &[quotient, args[1]]);
    let is_zero = emit.is_zero(args[0]);
    let fits = emit.or(is_zero, is_exact);
    let overflows = emit.is_zero(fits);
    if bits >= 256 {
        return (product, overflows);
    }
    let is_wide = exceeds(emit, product, bits);
    (product, emit.or(overflows, is_wide))
}

/// Whether a word has a bit above the width.
fn exceeds(emit: &mut Emit<'_>, value: Value, bits: u16) -> Value {
    let mask = emit.constant(low_mask(bits));
    emit.evm(Opcode::GT, &[value, mask])
}

/// The value, or all ones if the flag is set.
fn saturate(emit: &mut Emit<'_>, value: Value, overflows: Value, bits: u16) -> Value {
    let ones = emit.neg(overflows);
    let value = emit.or(value, ones);
    emit.truncate(value, bits)
}
