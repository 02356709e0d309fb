//! Inputs on which two programs differ, without what does not matter for that.

use crate::replay::Witness;
use cairn_evm::Word;
use cairn_prove::{Inputs, Part};

/// The witness with fewer inputs: calldata cut short, words of it 0, storage and environment that are not said. `run`
/// says how programs differ on inputs, if in the same way; `is_over` ends the search.
pub(crate) fn smaller(
    part: &Part,
    witness: &Witness,
    run: &dyn Fn(&Inputs) -> Option<Witness>,
    is_over: &dyn Fn() -> bool,
) -> Witness {
    let mut best = witness.clone();
    let mut attempt = |edit: &dyn Fn(&mut Inputs)| {
        let mut inputs = best.inputs.clone();
        edit(&mut inputs);
        if inputs == best.inputs || is_over() {
            return;
        }
        if let Some(found) = run(&inputs) {
            best = found;
        }
    };
    // Another selector is another function.
    let kept = match part {
        Part::Whole => 0,
        Part::Selector(_) | Part::Others(_) => witness.inputs.calldata.len().min(4),
    };
    let size = witness.inputs.calldata.len();
    let sizes = std::iter::successors(Some(size), |size| (*size > kept).then(|| kept + (size - kept) / 2));
    sizes.for_each(|size| attempt(&|inputs| inputs.calldata.truncate(size.max(kept))));
    for at in (kept..size).step_by(32) {
        attempt(&|inputs| inputs.calldata.iter_mut().skip(at).take(32).for_each(|byte| *byte = 0));
    }
    for opcode in witness.inputs.environment.keys() {
        attempt(&|inputs| _ = inputs.environment.remove(opcode));
    }
    for key in witness.inputs.storage.keys() {
        attempt(&|inputs| _ = inputs.storage.remove(key));
    }
    for number in witness.inputs.immutables.keys() {
        attempt(&|inputs| _ = inputs.immutables.insert(*number, Word::ZERO));
    }
    best
}
