//! Quotients and remainders of several words: the runtime divides arrays in slots.

use super::memory;
use super::sum::{absolute, flip_sign};
use super::{Wide, Words, extend_sign};
use crate::context::PassContext;
use crate::emit::Emit;
use crate::passes::legalize_types::state::Walk;
use crate::places::place;
use crate::runtime::Routine;
use cairn_evm::Opcode;
use cairn_ir::{Op, Payload, Value};

/// `div`, `mod`, `sdiv`, `smod`. A quotient has the product of the signs, a remainder that of the
/// first operand.
pub(super) fn divide(
    emit: &mut Emit<'_>,
    opcode: Opcode,
    wide: &Wide,
    walk: &mut Walk,
    cx: &mut PassContext<'_>,
) -> Words {
    if [Opcode::DIV, Opcode::MOD].contains(&opcode) {
        return divide_unsigned(emit, opcode, [&wide.args[0], &wide.args[1]], walk, cx);
    }
    let [a, b] = [0, 1].map(|index| extend_sign(emit, &wide.args[index], wide.width));
    let (a, sign_a) = absolute(emit, &a);
    let (b, sign_b) = absolute(emit, &b);
    let result = divide_unsigned(emit, opcode, [&a, &b], walk, cx);
    let sign = if is_quotient(opcode) { emit.xor(sign_a, sign_b) } else { sign_a };
    flip_sign(emit, &result, sign)
}

fn is_quotient(opcode: Opcode) -> bool {
    [Opcode::DIV, Opcode::SDIV].contains(&opcode)
}

/// The quotient or the remainder, whichever the opcode gives.
fn divide_unsigned(
    emit: &mut Emit<'_>,
    opcode: Opcode,
    [a, b]: [&[Value]; 2],
    walk: &mut Walk,
    cx: &mut PassContext<'_>,
) -> Words {
    let n_words = a.len();
    // The runtime splits words into digits of half a word: two numbers and one digit more.
    let arrays = Arrays::new(emit, &[a, b], 4 * n_words + 1, walk);
    let count = emit.number(n_words as u64);
    let [dividend, divisor] = [arrays.inputs[0], arrays.inputs[1]];
    cx.runtime.call(emit, Routine::WideDivrem, &[dividend, divisor, arrays.scratch, count]);
    load_array(emit, if is_quotient(opcode) { dividend } else { divisor }, n_words)
}

/// Slots with operands, the least significant word first, and room for the runtime: pointers.
pub(super) struct Arrays {
    pub(super) inputs: Vec<Value>,
    pub(super) scratch: Value,
}

impl Arrays {
    pub(super) fn new(emit: &mut Emit<'_>, inputs: &[&[Value]], n_scratch: usize, walk: &mut Walk) -> Self {
        let inputs = inputs.iter().map(|words| {
            let array = array(emit, words.len(), walk);
            for (index, word) in words.iter().enumerate() {
                let place = place(emit, Opcode::MSTORE, array, index);
                emit.insert(Op::Evm(Opcode::MSTORE), &[place, *word], Payload::None, &[]);
            }
            array
        });
        let inputs = inputs.collect();
        Arrays { inputs, scratch: array(emit, n_scratch, walk) }
    }
}

fn array(emit: &mut Emit<'_>, n_words: usize, walk: &mut Walk) -> Value {
    walk.slot(emit.func(), 32 * n_words as u64)
}

/// The words of an array, the least significant first.
pub(super) fn load_array(emit: &mut Emit<'_>, array: Value, n_words: usize) -> Words {
    let mut words = memory::load(emit, Opcode::MLOAD, array, n_words);
    words.reverse();
    words
}
