//! Shifts of several words.
//!
//! Opcodes shift by any amount, and one of 256 or more gives zero. So word `j` of the operand
//! contributes to word `i` of a right shift by `n` exactly
//! `shr(n − 256(j − i), w) | shl(256(j − i) − n, w)`: of the two amounts one is in range and the
//! other, modulo 2^256, is not, unless both are zero.

use super::Words;
use crate::emit::Emit;
use cairn_evm::Opcode;
use cairn_ir::Value;

/// Shifts `value` by the lowest word of `amount`; by everything if a higher word is not zero.
pub(super) fn shift(emit: &mut Emit<'_>, opcode: Opcode, amount: &[Value], value: &[Value]) -> Words {
    let amount = single_word(emit, amount);
    match opcode {
        Opcode::SHL => left(emit, amount, value),
        Opcode::SHR => right(emit, amount, value),
        _ => {
            // Of a number that is not negative, a logical shift does it.
            let sign = emit.sign_mask(*value.last().expect("invariant: an integer has a word"));
            let positive: Words = value.iter().map(|word| emit.xor(*word, sign)).collect();
            let shifted = right(emit, amount, &positive);
            shifted.into_iter().map(|word| emit.xor(word, sign)).collect()
        }
    }
}

/// The amount as one word, with all bits set if it does not fit.
fn single_word(emit: &mut Emit<'_>, amount: &[Value]) -> Value {
    if !super::can_be_set(emit, &amount[1..]) {
        return amount[0];
    }
    let is_huge = super::any(emit, &amount[1..]);
    let ones = emit.neg(is_huge);
    emit.or(amount[0], ones)
}

fn right(emit: &mut Emit<'_>, amount: Value, value: &[Value]) -> Words {
    if let Some(constant) = constant_amount(emit, amount) {
        return right_by(emit, value, constant);
    }
    combine(emit, amount, value, Opcode::SHR, Opcode::SHL, |to, from| from.checked_sub(to))
}

fn left(emit: &mut Emit<'_>, amount: Value, value: &[Value]) -> Words {
    if let Some(constant) = constant_amount(emit, amount) {
        return left_by(emit, value, constant);
    }
    combine(emit, amount, value, Opcode::SHL, Opcode::SHR, |to, from| to.checked_sub(from))
}

/// Collects for each word what the words `distance` away contribute. `along` shifts in the
/// direction of the operation, `against` the other way.
fn combine(
    emit: &mut Emit<'_>,
    amount: Value,
    value: &[Value],
    along: Opcode,
    against: Opcode,
    distance: impl Fn(usize, usize) -> Option<usize>,
) -> Words {
    let mut amounts = vec![(amount, None)];
    for words in 1..value.len() {
        let span = emit.number(256 * words as u64);
        amounts.push((emit.sub(amount, span), Some(emit.sub(span, amount))));
    }
    let mut shifted = Words::new();
    for to in 0..value.len() {
        let mut parts = Vec::new();
        for (from, word) in value.iter().enumerate() {
            let Some(words) = distance(to, from) else { continue };
            let (further, back) = amounts[words];
            parts.push(emit.evm(along, &[further, *word]));
            if let Some(back) = back {
                parts.push(emit.evm(against, &[back, *word]));
            }
        }
        let (first, rest) = parts.split_first().expect("invariant: a word contributes to itself");
        shifted.push(rest.iter().fold(*first, |all, part| emit.or(all, *part)));
    }
    shifted
}

fn constant_amount(emit: &mut Emit<'_>, amount: Value) -> Option<u64> {
    let word = emit.func().dfg.as_const(amount)?;
    Some(u64::try_from(word).unwrap_or(u64::MAX))
}

/// A right shift by a constant.
pub(super) fn right_by(emit: &mut Emit<'_>, value: &[Value], amount: u64) -> Words {
    let word = |index: u64| usize::try_from(index).ok().and_then(|index| value.get(index)).copied();
    let (words, bits) = (amount / 256, amount % 256);
    let join = |emit: &mut Emit<'_>, index: u64| {
        let near = word(index.saturating_add(words));
        let far = word(index.saturating_add(words).saturating_add(1));
        join(emit, near, far, bits, Opcode::SHR, Opcode::SHL)
    };
    (0..value.len() as u64).map(|index| join(emit, index)).collect()
}

/// A left shift by a constant.
pub(super) fn left_by(emit: &mut Emit<'_>, value: &[Value], amount: u64) -> Words {
    let (words, bits) = (amount / 256, amount % 256);
    let word = |index: Option<u64>| index.and_then(|index| value.get(usize::try_from(index).ok()?)).copied();
    let join = |emit: &mut Emit<'_>, index: u64| {
        let near = index.checked_sub(words);
        let far = near.and_then(|near| near.checked_sub(1));
        join(emit, word(near), word(far), bits, Opcode::SHL, Opcode::SHR)
    };
    (0..value.len() as u64).map(|index| join(emit, index)).collect()
}

/// A word from the two it is cut out of; a missing one is zero.
fn join(
    emit: &mut Emit<'_>,
    near: Option<Value>,
    far: Option<Value>,
    bits: u64,
    along: Opcode,
    against: Opcode,
) -> Value {
    let Some(near) = near else { return emit.number(0) };
    if bits == 0 {
        return near;
    }
    let amount = emit.number(bits);
    let low = emit.evm(along, &[amount, near]);
    let Some(far) = far else { return low };
    let amount = emit.number(256 - bits);
    let high = emit.evm(against, &[amount, far]);
    emit.or(low, high)
}
