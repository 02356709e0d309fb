//! Comparisons of several words.

use super::{Wide, Words, extend_sign, select};
use crate::emit::Emit;
use cairn_evm::Opcode;
use cairn_ir::{Op, Value};

/// `a < b`, unsigned: from the lowest word up, a word decides unless it is equal.
pub(super) fn less(emit: &mut Emit<'_>, a: &[Value], b: &[Value]) -> Value {
    chain(emit, a, b, Opcode::LT)
}

/// `a < b`, with the sign in the top bit of the highest word.
pub(super) fn signed_less(emit: &mut Emit<'_>, a: &[Value], b: &[Value]) -> Value {
    chain(emit, a, b, Opcode::SLT)
}

fn chain(emit: &mut Emit<'_>, a: &[Value], b: &[Value], top: Opcode) -> Value {
    let mut below = None;
    for (index, (a_word, b_word)) in a.iter().zip(b).enumerate() {
        let opcode = if index + 1 == a.len() { top } else { Opcode::LT };
        let mut is_less = emit.evm(opcode, &[*a_word, *b_word]);
        if let Some(below) = below {
            let is_equal = emit.eq(*a_word, *b_word);
            let decided_below = emit.and(is_equal, below);
            is_less = emit.or(is_less, decided_below);
        }
        below = Some(is_less);
    }
    below.expect("invariant: an integer has a word")
}

/// `a = b`.
pub(super) fn equal(emit: &mut Emit<'_>, a: &[Value], b: &[Value]) -> Value {
    let differences: Words = a.iter().zip(b).map(|(a, b)| emit.xor(*a, *b)).collect();
    let any = super::any_bit(emit, &differences);
    emit.is_zero(any)
}

/// `min`, `max`, `smin`, `smax`.
pub(super) fn extremum(emit: &mut Emit<'_>, wide: &Wide) -> Words {
    let (a, b) = (&wide.args[0], &wide.args[1]);
    let is_first = match wide.op {
        Op::Min => less(emit, a, b),
        Op::Max => less(emit, b, a),
        op => {
            let (x, y) = (extend_sign(emit, a, wide.bits), extend_sign(emit, b, wide.bits));
            match op == Op::Smin {
                true => signed_less(emit, &x, &y),
                false => signed_less(emit, &y, &x),
            }
        }
    };
    select(emit, is_first, a, b)
}
