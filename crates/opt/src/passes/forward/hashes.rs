//! Which storage keys are told apart by the words that they are hashes of.

use super::facts::{Fact, State};
use crate::span::Span;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Function, Op, Value};
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// Storage keys up to this, and offsets from a hash, are small next to hashes.
const MAX_KEY: u64 = u64::MAX;

/// What was hashed, by hash.
pub(super) type HashInputs = SmallVec<[(Value, [PackedOption<Value>; 2]); 8]>;

pub(super) fn hash_inputs(state: &State) -> HashInputs {
    let inputs = state.iter().filter_map(|fact| match fact {
        Fact::Hash(first, second, hash) => Some((*hash, [(*first).into(), *second])),
        Fact::Holds(..) => None,
    });
    inputs.collect()
}

/// Keys that are hashes of different words, or a hash and a small number, are different and far
/// from each other, with small numbers added as well (A11).
pub(super) fn is_apart_by_hash(func: &Function, inputs: &HashInputs, a: Span, b: Span) -> bool {
    let is_small = |span: Span| span.hi <= Word::from(MAX_KEY);
    if !is_small(a) || !is_small(b) {
        return false;
    }
    match (a.base.expand(), b.base.expand()) {
        (Some(base), None) | (None, Some(base)) => is_hash(func, base),
        (Some(a), Some(b)) => {
            let find = |hash: Value| inputs.iter().find(|(of, _)| *of == hash).map(|(_, words)| words);
            let (Some(first), Some(second)) = (find(a), find(b)) else {
                return false;
            };
            first.iter().zip(second).any(|(x, y)| differ(func, *x, *y))
        }
        (None, None) => false,
    }
}

/// True for words that surely differ: two constants, or a word and none.
fn differ(func: &Function, a: PackedOption<Value>, b: PackedOption<Value>) -> bool {
    match (a.expand(), b.expand()) {
        (Some(a), Some(b)) => {
            let words = func.dfg.as_const(a).zip(func.dfg.as_const(b));
            words.is_some_and(|(a, b)| a != b)
        }
        (None, None) => false,
        (Some(_), None) | (None, Some(_)) => true,
    }
}

fn is_hash(func: &Function, value: Value) -> bool {
    func.dfg.def_inst(value).is_some_and(|inst| func.dfg.op(inst) == Op::Evm(Opcode::KECCAK256))
}
