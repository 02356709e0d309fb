//! Sums and differences of several words.

use super::Words;
use crate::emit::Emit;
use cairn_ir::Value;

/// `a + b` and the carry out of the highest word.
pub(super) fn add(emit: &mut Emit<'_>, a: &[Value], b: &[Value]) -> (Words, Value) {
    let mut sum = Words::new();
    let mut carry = None;
    for (a, b) in a.iter().zip(b) {
        let mut word = emit.add(*a, *b);
        let mut out = emit.lt(word, *a);
        if let Some(carry) = carry {
            word = emit.add(word, carry);
            let wrapped = emit.lt(word, carry);
            out = emit.or(out, wrapped);
        }
        sum.push(word);
        carry = Some(out);
    }
    (sum, carry.expect("invariant: an integer has a word"))
}

/// `a − b` and the borrow out of the highest word.
pub(super) fn sub(emit: &mut Emit<'_>, a: &[Value], b: &[Value]) -> (Words, Value) {
    let mut difference = Words::new();
    let mut borrow = None;
    for (a, b) in a.iter().zip(b) {
        let mut word = emit.sub(*a, *b);
        let mut out = emit.lt(*a, *b);
        if let Some(borrow) = borrow {
            let wrapped = emit.lt(word, borrow);
            word = emit.sub(word, borrow);
            out = emit.or(out, wrapped);
        }
        difference.push(word);
        borrow = Some(out);
    }
    (difference, borrow.expect("invariant: an integer has a word"))
}

/// The absolute value of a number whose sign is the top bit of its highest word, and its sign as a
/// mask: `(x ^ s) − s`.
pub(super) fn absolute(emit: &mut Emit<'_>, value: &[Value]) -> (Words, Value) {
    let sign = emit.sign_mask(*value.last().expect("invariant: an integer has a word"));
    (flip_sign(emit, value, sign), sign)
}

/// `−x` if the mask is set, else `x`.
pub(super) fn flip_sign(emit: &mut Emit<'_>, value: &[Value], sign: Value) -> Words {
    let flipped: Words = value.iter().map(|word| emit.xor(*word, sign)).collect();
    let signs: Words = value.iter().map(|_| sign).collect();
    sub(emit, &flipped, &signs).0
}
