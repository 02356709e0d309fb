//! Loads and stores of several words: consecutive words in memory and calldata, consecutive keys
//! in storage, the most significant first, as an ABI encoding of one big integer would be.

use super::Words;
use crate::emit::Emit;
use crate::places::{self, place};
use cairn_evm::Opcode;
use cairn_ir::{Op, Payload, Value};

/// Loads `n_words` words.
pub(super) fn load(emit: &mut Emit<'_>, opcode: Opcode, start: Value, n_words: usize) -> Words {
    let start = places::start(emit, opcode, start, n_words);
    let mut words: Words = (0..n_words)
        .map(|index| {
            let place = place(emit, opcode, start, index);
            emit.evm(opcode, &[place])
        })
        .collect();
    words.reverse();
    words
}

/// Stores all words.
pub(in crate::passes::legalize_types) fn store(
    emit: &mut Emit<'_>,
    opcode: Opcode,
    start: Value,
    words: &[Value],
) {
    for (index, word) in words.iter().rev().enumerate() {
        let place = place(emit, opcode, start, index);
        emit.insert(Op::Evm(opcode), &[place, *word], Payload::None, &[]);
    }
}
