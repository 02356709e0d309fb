//! How the rules see a function.

use crate::rules::{Facts, Shape};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Function, Inst, Op, Value};
use smallvec::SmallVec;

/// The rules' view of a function, with what is known of its values.
pub(crate) struct View<'a, F> {
    pub(crate) func: &'a Function,
    pub(crate) facts: F,
}

impl<F> View<'_, F> {
    /// The instruction that computes a value, if the rules may look at its opcode.
    fn operation(&self, value: Value) -> Option<(Opcode, Inst)> {
        let inst = self.func.dfg.def_inst(value)?;
        match self.func.dfg.op(inst) {
            Op::Evm(opcode) if opcode.known().outputs == 1 => Some((opcode, inst)),
            _ => None,
        }
    }
}

impl<F: Fn(Value) -> Facts> Shape for View<'_, F> {
    type Value = Value;

    fn as_const(&self, value: Value) -> Option<Word> {
        self.func.dfg.as_const(value)
    }

    fn as_op(&self, value: Value) -> Option<(Opcode, SmallVec<[Value; 3]>)> {
        let (opcode, inst) = self.operation(value)?;
        Some((opcode, self.func.dfg.args(inst).iter().copied().collect()))
    }

    fn opcode(&self, value: Value) -> Option<Opcode> {
        self.operation(value).map(|(opcode, _)| opcode)
    }

    fn is_same(&self, a: Value, b: Value) -> bool {
        a == b || self.as_const(a).is_some_and(|word| self.as_const(b) == Some(word))
    }

    fn facts(&self, value: Value) -> Facts {
        (self.facts)(value)
    }
}
