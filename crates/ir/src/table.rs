//! Switches that are jumps through a table.
//!
//! ```text
//! %entry = evm.and %word, %mask        ; 0xf0: sixteen entries
//! evm.switch %entry, ^rest [0: ^b0, 16: ^b1, 48: ^b3, … ]
//! ```
//!
//! The operand is a word under a mask that leaves multiples of [`STRIDE`], the bits of a position in
//! code: it says how far the word with all positions is to be shifted. Entries without a case go to the
//! default. Canonical form has these switches and no others.

use crate::dfg::{BlockCall, Payload};
use crate::function::Function;
use crate::ids::{Inst, Value};
use crate::op::Op;
use cairn_evm::{Opcode, Word};

/// Bits of an entry of a table: code positions below 2^16.
pub const STRIDE: usize = 16;

/// Entries at most: what one word holds.
pub const MAX_ENTRIES: usize = 256 / STRIDE;

/// The mask that leaves the words of a table with this many entries, a power of two up to
/// [`MAX_ENTRIES`].
pub fn mask(n_entries: usize) -> Word {
    Word::from((n_entries - 1) * STRIDE)
}

/// Where each entry of the table goes, if the instruction is a switch of this form.
pub fn entries(func: &Function, inst: Inst) -> Option<Vec<BlockCall>> {
    let Payload::Switch(id) = func.dfg.inst(inst).payload else { return None };
    let data = func.dfg.try_switch(id)?;
    let n_entries = n_entries(func, *func.dfg.args(inst).first()?)?;
    let mut entries = vec![data.default; n_entries];
    for (word, target) in &data.cases {
        let index = usize::try_from(*word).ok().filter(|word| word % STRIDE == 0)? / STRIDE;
        *entries.get_mut(index)? = *target;
    }
    Some(entries)
}

/// How many entries the mask of the operand leaves.
fn n_entries(func: &Function, operand: Value) -> Option<usize> {
    let def = func.dfg.def_inst(operand).filter(|def| func.dfg.op(*def) == Op::Evm(Opcode::AND))?;
    let mut words = func.dfg.args(def).iter().filter_map(|arg| func.dfg.as_const(*arg));
    let word = words.next()?;
    [4, 8, 16].into_iter().find(|n_entries| mask(*n_entries) == word)
}
