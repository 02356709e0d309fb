//! The four bytes that tell what an input of a call or the data of an error is.

use crate::edit::constant_before;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Function, Inst, Op, Value};

/// Bits that a selector in the first bytes of a word is shifted by.
const SHIFT: usize = 224;
/// Bytes of a word before a selector at its end.
pub(crate) const BEFORE_SELECTOR: i64 = 28;
/// Bytes of a selector.
pub(crate) const SELECTOR_BYTES: i64 = 4;

/// The store of a selector at the top of a word, and the selector.
#[derive(Clone, Copy)]
pub(crate) struct Selector {
    pub(crate) store: Inst,
    word: SelectorWord,
}

#[derive(Clone, Copy)]
enum SelectorWord {
    Constant(Word),
    Shifted(Value),
}

impl Selector {
    /// What a store writes, if that is a selector at the top of a word.
    pub(crate) fn of(func: &Function, store: Inst) -> Option<Selector> {
        let [_, value] = *func.dfg.args(store) else {
            return None;
        };
        let word = match (func.dfg.as_const(value), func.dfg.def_inst(value)) {
            (Some(word), _) => {
                let selector = word >> SHIFT;
                let is_selector = !word.is_zero() && selector << SHIFT == word;
                is_selector.then_some(SelectorWord::Constant(selector))?
            }
            (None, Some(inst)) if func.dfg.op(inst) == Op::Evm(Opcode::SHL) => {
                let args = func.dfg.args(inst);
                func.dfg.as_const(args[0]).filter(|by| *by == Word::from(SHIFT))?;
                SelectorWord::Shifted(args[1])
            }
            (None, _) => return None,
        };
        Some(Selector { store, word })
    }

    /// Stores the selector as the end of the word at address 0.
    pub(crate) fn put_at_zero(self, func: &mut Function) {
        let zero = constant_before(func, self.store, Word::ZERO);
        let word = match self.word {
            SelectorWord::Constant(word) => constant_before(func, self.store, word),
            SelectorWord::Shifted(value) => value,
        };
        func.dfg.args_mut(self.store).copy_from_slice(&[zero, word]);
    }
}
