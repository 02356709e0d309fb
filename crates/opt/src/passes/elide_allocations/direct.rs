//! Calls that move the pointer to free memory by a number of bytes which is known: they become a store.
//!
//! ```text
//! evm.icall @finalize_allocation(%p, 50)    =>    %end = evm.add %p, 64
//!                                                 evm.mstore 64, %end
//! ```
//!
//! The function rounds up and checks that the pointer stays below 2^64, which it does if the number is small: what
//! is left is less than a call. Memory is as before.

use super::allocation::moved_by;
use super::callee::Callees;
use crate::pointer_word::ADDRESS;
use cairn_analysis::callgraph;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Cursor, Func, Function, Inst, Module, Op, Payload, Type, Value};

/// A call and what stands for it.
#[derive(Debug)]
pub(super) struct Direct {
    call: Inst,
    pointer: Value,
    bytes: Word,
}

impl Direct {
    /// What stands for an instruction, if that calls a function which moves the pointer by a number of bytes that
    /// follows from constants. Whether it is small is for the caller to see.
    pub(super) fn find(module: &Module, id: Func, call: Inst, callees: &Callees) -> Option<Direct> {
        let func = &module.funcs[id];
        let index = callees.moved_behind(func, call)?;
        let callee = &module.funcs[callgraph::callee(func, call)?];
        let args = func.dfg.args(call);
        let words: Vec<Option<Word>> = args.iter().map(|arg| func.dfg.as_const(*arg)).collect();
        let bytes = moved_by(callee, index, &words, callees)?;
        (func.dfg.ty(args[index]) == Type::U256).then_some(Direct { call, pointer: args[index], bytes })
    }

    /// Puts the store in the place of the call.
    pub(super) fn apply(&self, func: &mut Function) {
        let loc = func.dfg.inst(self.call).loc.expand();
        let mut cursor = Cursor::before(func, self.call);
        cursor.set_loc(loc);
        let bytes = cursor.constant(self.bytes, Type::U256);
        let end = cursor.evm(Opcode::ADD, &[self.pointer, bytes], Type::U256);
        let word = cursor.constant(Word::from(ADDRESS), Type::U256);
        cursor.insert(Op::Evm(Opcode::MSTORE), &[word, end], Payload::None, &[]);
        func.layout.remove_inst(self.call);
    }
}
