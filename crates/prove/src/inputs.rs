//! Inputs that a solver offers, as a transaction and a state.

use crate::machine::{Difference, Machine};
use crate::smt::Answer;
use crate::term::eval::{Evaluation, Given, Model};
use crate::term::{Leaf, Node, Space, Term};
use cairn_evm::{Opcode, Word};
use std::collections::BTreeMap;

/// Calldata is not made longer than this many bytes.
const MAX_CALLDATA: usize = 1 << 16;

/// What a frame is given: enough to run both programs on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Calldata.
    pub calldata: Vec<u8>,
    /// Words of opcodes without operands.
    pub environment: BTreeMap<Opcode, Word>,
    /// Storage.
    pub storage: BTreeMap<Word, Word>,
    /// Values of immutables by number.
    pub immutables: BTreeMap<u32, Word>,
}

/// The inputs of a run on which something differs, with no more calldata than can be run, if there are such.
pub(crate) fn inputs_of_difference(machine: &mut Machine, difference: &Difference) -> Inputs {
    let less = model_with_less_data(machine, difference);
    let model = less.as_ref().unwrap_or(&difference.model);
    let all: Vec<Term> = machine.terms.all().collect();
    inputs(machine, model, &all)
}

/// A run with calldata that can be run, if the one that was found has more; `None` if it has not, if there is none,
/// or if none is found in time.
fn model_with_less_data(machine: &mut Machine, difference: &Difference) -> Option<Box<Model>> {
    let size = Leaf::Environment(Opcode::CALLDATASIZE, 0);
    let found = difference.model.words.get(&(size, Vec::new())).copied().unwrap_or_default();
    let most = Word::from(MAX_CALLDATA);
    if found <= most {
        return None;
    }
    let (size, most) = (machine.terms.leaf(size, &[]), machine.terms.word(most));
    let is_more = machine.terms.lt(most, size);
    let is_enough = machine.terms.is_zero(is_more);
    let conditions = [&difference.conditions[..], &[is_enough]].concat();
    match machine.ask_exactly(&conditions, machine.limits.question) {
        Ok(Answer::Possible(less)) => Some(less),
        Ok(Answer::Impossible | Answer::Unknown) | Err(_) => None,
    }
}

/// The inputs of a model, for the terms that it is about.
pub(crate) fn inputs(machine: &Machine, model: &Model, about: &[Term]) -> Inputs {
    let mut inputs = Inputs::default();
    let given: &dyn Given = model;
    let mut evaluation = Evaluation::new(&machine.terms, given);
    let mut bytes: BTreeMap<usize, u8> = BTreeMap::new();
    let mut size = None;
    for term in machine.terms.below(about) {
        let Node::Leaf(leaf, args) = machine.terms.node(term) else { continue };
        let operands: Vec<Word> = args.iter().map(|arg| evaluation.word(*arg)).collect();
        let operand = operands.first().copied().unwrap_or_default();
        // What the solver says nothing of is not there.
        let Some(word) = model.words.get(&(*leaf, operands)).copied() else { continue };
        match leaf {
            Leaf::Calldata => put(&mut bytes, operand, &word.to_be_bytes::<32>()),
            Leaf::CalldataByte => put(&mut bytes, operand, &[word.byte(0)]),
            Leaf::Environment(Opcode::CALLDATASIZE, _) => size = Some(word),
            Leaf::Environment(opcode, 0) => {
                inputs.environment.insert(*opcode, word);
            }
            Leaf::Held(Space::Storage, 0) => {
                inputs.storage.entry(operand).or_insert(word);
            }
            Leaf::Immutable(number) => {
                inputs.immutables.insert(*number, word);
            }
            _ => {}
        }
    }
    if let Some(selector) = machine.selector {
        put(&mut bytes, Word::ZERO, &selector);
    }
    let needed = bytes.last_key_value().map_or(0, |(last, _)| last + 1);
    let size = size.and_then(|size| usize::try_from(size).ok());
    let size = size.unwrap_or(needed).min(MAX_CALLDATA);
    inputs.calldata = (0..size).map(|at| bytes.get(&at).copied().unwrap_or(0)).collect();
    inputs
}

fn put(bytes: &mut BTreeMap<usize, u8>, at: Word, data: &[u8]) {
    for (index, byte) in data.iter().enumerate() {
        let at = at.wrapping_add(Word::from(index));
        if let Ok(at) = usize::try_from(at)
            && at < MAX_CALLDATA
        {
            bytes.insert(at, *byte);
        }
    }
}
