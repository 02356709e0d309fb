//! Branches to functions.
//!
//! A branch to a block that is not there, but has the name of a function of the module, calls that function
//! and gives back what it gives back:
//!
//! ```text
//! evm.br ^next(%x)                evm.br ^next(%x)
//!                                 ^next(%0 : u256):
//!                                   %1 = evm.icall @next(%0) : u256
//!                                   evm.iret %1
//! ```
//!
//! The entry function has no caller: there the run ends, with one result as an ABI word, or without data.

use super::Body;
use crate::dfg::Payload;
use crate::ids::{Func, Inst, Value};
use crate::op::Op;
use crate::text::fault;
use crate::types::Type;
use cairn_diag::Span;
use cairn_evm::Opcode;

impl Body<'_, '_, '_> {
    /// Appends the blocks that stand for functions.
    pub(super) fn append_tail_calls(&mut self) {
        for (span, name) in self.undefined_blocks() {
            let Some(func) = self.cx.funcs.get(name.as_ref()).copied() else { continue };
            let state = self.blocks.get_mut(&name).expect("invariant: the block is used");
            state.defined = true;
            let block = state.block;
            self.func.block_names.insert(block, name.as_ref().into());
            self.func.block_spans.insert(block, span);
            self.append_block(block);
            self.current = Some(block);
            self.tail_call(func, span);
        }
    }

    fn tail_call(&mut self, func: Func, span: Span) {
        let block = self.current_block();
        let signature = self.cx.headers[func.as_u32() as usize].signature.clone();
        let params: Vec<Value> =
            signature.params.iter().map(|ty| self.func.dfg.append_param(block, *ty)).collect();
        let call = self.append_at(Op::Icall, &params, Payload::Func(func), span);
        let results: Vec<Value> =
            signature.results.iter().map(|ty: &Type| self.func.dfg.append_result(call, *ty)).collect();
        let end = match (self.cx.is_entry, results.len()) {
            (false, _) => Op::Iret,
            (true, 0) => Op::Evm(Opcode::STOP),
            (true, 1) => Op::ReturnValue,
            (true, _) => {
                let message =
                    "the entry function can end with one word, and this function gives back several";
                self.stream.fault::<()>(fault::RESULT_COUNT, span, message);
                return;
            }
        };
        self.append_at(end, &results, Payload::None, span);
    }

    fn append_at(&mut self, op: Op, args: &[Value], payload: Payload, span: Span) -> Inst {
        let inst = self.append(op, args, payload);
        self.func.spans[inst] = Some(span);
        inst
    }
}
