//! The size of return data, which is the same until the next call.
//!
//! `returndatasize` costs less than to keep what it gave, so it stays where it is. But what branches tell
//! of the size holds for all that read it.

use super::Simplifier;
use cairn_evm::{Effects, Opcode};
use cairn_ir::{Block, EntityRef, Inst, Op, Value};
use cranelift_entity::packed_option::PackedOption;

/// The value that was the size of return data last, by block at its end.
#[derive(Debug, Default)]
pub(super) struct Returned {
    now: Option<Value>,
    ends: Vec<PackedOption<Value>>,
}

impl Returned {
    pub(super) fn new(n_blocks: usize) -> Returned {
        Returned { now: None, ends: vec![PackedOption::default(); n_blocks] }
    }
}

impl Simplifier<'_> {
    /// At the beginning of a block: what was known at the end of the only block before.
    pub(super) fn enter_with_return_data(&mut self, block: Block) {
        self.returned.now = match self.cfg.preds(block) {
            [pred] => self.returned.ends[pred.index()].expand(),
            _ => None,
        };
    }

    pub(super) fn leave_with_return_data(&mut self, block: Block) {
        self.returned.ends[block.index()] = self.returned.now.into();
    }

    /// Learns of an instruction what it says of return data.
    pub(super) fn visit_return_data(&mut self, inst: Inst) {
        match self.func.dfg.op(inst) {
            Op::Evm(Opcode::RETURNDATASIZE) => {
                let size = self.func.dfg.result(inst);
                match self.returned.now {
                    Some(earlier) => self.facts[size] = self.facts[earlier],
                    None => self.returned.now = Some(size),
                }
            }
            Op::Icall => {
                let effects = self.effects.of_inst_on_return(self.func, inst);
                self.forget_return_data(effects);
            }
            op => self.forget_return_data(op.effects()),
        }
    }

    fn forget_return_data(&mut self, effects: Effects) {
        if effects.intersects(Effects::WRITE_RETURNDATA) {
            self.returned.now = None;
        }
    }
}
