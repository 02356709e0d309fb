//! The word in which Solidity keeps its pointer to free memory.

use cairn_evm::{Opcode, Word};
use cairn_ir::{Function, Inst, Op};

/// The address of the pointer.
pub(crate) const ADDRESS: u64 = 0x40;

/// Bits of a pointer that is loaded: nobody can pay for more memory by far.
pub(crate) const BITS: usize = 63;

/// True for a load of the word at [`ADDRESS`].
pub(crate) fn is_loaded(func: &Function, inst: Inst) -> bool {
    func.dfg.op(inst) == Op::Evm(Opcode::MLOAD)
        && func.dfg.as_const(func.dfg.args(inst)[0]) == Some(Word::from(ADDRESS))
}
