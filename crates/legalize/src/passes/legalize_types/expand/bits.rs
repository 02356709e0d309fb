//! Bytes, byte order and counts of bits of several words.

use super::{Wide, Words, select, shift};
use crate::context::PassContext;
use crate::emit::Emit;
use crate::runtime::Routine;
use cairn_evm::{Opcode, Word};
use cairn_ir::Value;
use smallvec::SmallVec;

/// `evm.bswap`: the words in reverse order, each reversed, less the bytes above the width.
pub(super) fn swap_bytes(emit: &mut Emit<'_>, wide: &Wide, cx: &mut PassContext<'_>) -> Words {
    let words: Words =
        wide.args[0].iter().rev().map(|word| cx.runtime.call(emit, Routine::Bswap, &[*word])[0]).collect();
    let unused = wide.n_words as u64 * 256 - u64::from(wide.bits);
    shift::right_by(emit, &words, unused)
}

/// Number of set bits.
pub(super) fn count_ones(emit: &mut Emit<'_>, words: &[Value], cx: &mut PassContext<'_>) -> Value {
    let counts: Words = words.iter().map(|word| cx.runtime.call(emit, Routine::Ctpop, &[*word])[0]).collect();
    let (first, rest) = counts.split_first().expect("invariant: an integer has a word");
    rest.iter().fold(*first, |sum, count| emit.add(sum, *count))
}

/// Number of leading zeros in `bits` bits: those of a word, and if it is zero those of the next.
pub(super) fn leading_zeros(emit: &mut Emit<'_>, words: &[Value], bits: u16) -> Value {
    let mut zeros = emit.evm(Opcode::CLZ, &[words[0]]);
    for word in &words[1..] {
        let own = emit.evm(Opcode::CLZ, &[*word]);
        zeros = add_if_zero(emit, own, *word, zeros);
    }
    let unused = words.len() as u64 * 256 - u64::from(bits);
    if unused == 0 {
        return zeros;
    }
    let unused = emit.number(unused);
    emit.sub(zeros, unused)
}

/// Number of trailing zeros in `bits` bits. A bit set above the width ends the count there.
pub(super) fn trailing_zeros(emit: &mut Emit<'_>, words: &[Value], bits: u16) -> Value {
    let mut words: Words = words.into();
    if !bits.is_multiple_of(256) {
        let top = usize::from(bits / 256);
        let end = emit.constant(Word::from(1) << usize::from(bits % 256));
        words[top] = emit.or(words[top], end);
    }
    let mut zeros = None;
    for word in words.iter().rev() {
        let own: SmallVec<[Value; 2]> =
            crate::passes::legalize_operations::trailing_zeros(emit, &[*word], 256);
        zeros = Some(match zeros {
            None => own[0],
            Some(above) => add_if_zero(emit, own[0], *word, above),
        });
    }
    zeros.expect("invariant: an integer has a word")
}

/// `count + others` if the word is zero, else `count`.
fn add_if_zero(emit: &mut Emit<'_>, count: Value, word: Value, others: Value) -> Value {
    let is_zero = emit.is_zero(word);
    let more = emit.mul(is_zero, others);
    emit.add(count, more)
}

/// `evm.byte` of a number of `width` bits: byte 0 is the most significant.
pub(super) fn byte(emit: &mut Emit<'_>, index: &[Value], value: &[Value], width: u16) -> Value {
    let n_bytes = u64::from(width.div_ceil(8));
    let last = emit.number(n_bytes - 1);
    let distance = emit.sub(last, index[0]);
    let eight = emit.number(8);
    let amount = emit.mul(distance, eight);
    let shifted = shift::shift(emit, Opcode::SHR, &[amount], value);
    let mask = emit.number(0xff);
    let found = emit.and(shifted[0], mask);
    let mut too_large = emit.gt(index[0], last);
    if super::can_be_set(emit, &index[1..]) {
        let is_huge = super::any(emit, &index[1..]);
        too_large = emit.or(too_large, is_huge);
    }
    let is_kept = emit.is_zero(too_large);
    emit.mul(found, is_kept)
}

/// `evm.signextend`: the sign is the top bit of byte `index` from the least significant.
pub(super) fn sign_extend_from(emit: &mut Emit<'_>, index: &[Value], value: &[Value]) -> Words {
    let n_bytes = 32 * value.len() as u64;
    let last = emit.number(n_bytes - 1);
    let distance = emit.sub(last, index[0]);
    let eight = emit.number(8);
    let amount = emit.mul(distance, eight);
    let high = shift::shift(emit, Opcode::SHL, &[amount], value);
    let extended = shift::shift(emit, Opcode::SAR, &[amount], &high);
    let mut in_range = emit.lt(index[0], last);
    if super::can_be_set(emit, &index[1..]) {
        let is_huge = super::any(emit, &index[1..]);
        let is_small = emit.is_zero(is_huge);
        in_range = emit.and(in_range, is_small);
    }
    select(emit, in_range, &extended, value)
}
