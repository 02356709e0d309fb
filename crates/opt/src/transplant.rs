//! Instructions on their way from one function into another.

use cairn_ir::{Block, BlockCall, Function, Inst, Loc, Payload, SecondaryMap, SwitchData, Value};
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// What stands for the blocks and values of a function in the other.
pub(crate) struct Transplant<'a> {
    pub(crate) from: &'a Function,
    pub(crate) to: &'a mut Function,
    pub(crate) blocks: SecondaryMap<Block, PackedOption<Block>>,
    pub(crate) values: SecondaryMap<Value, PackedOption<Value>>,
}

impl<'a> Transplant<'a> {
    pub(crate) fn new(from: &'a Function, to: &'a mut Function) -> Transplant<'a> {
        Transplant { from, to, blocks: SecondaryMap::new(), values: SecondaryMap::new() }
    }

    /// Gives a copied block the parameters of its original.
    pub(crate) fn make_params(&mut self, block: Block, copied: Block) {
        for param in self.from.dfg.params(block) {
            let value = self.to.dfg.append_param(copied, self.from.dfg.ty(*param));
            self.values[*param] = value.into();
        }
    }

    /// An instruction with its results but without operands, so that uses can come before
    /// definitions. It is in no block yet.
    pub(crate) fn make_inst(&mut self, inst: Inst, loc: Option<Loc>) -> Inst {
        let made = self.to.dfg.make_inst(self.from.dfg.op(inst), &[], Payload::None);
        for result in self.from.dfg.results(inst) {
            let value = self.to.dfg.append_result(made, self.from.dfg.ty(*result));
            self.values[*result] = value.into();
        }
        self.to.dfg.inst_mut(made).loc = loc.into();
        if self.from.spans[inst].is_some() {
            self.to.spans[made] = self.from.spans[inst];
        }
        made
    }

    /// Gives it its operands and what it leads to.
    pub(crate) fn fill_inst(&mut self, inst: Inst, made: Inst) {
        let args = self.args(inst);
        let payload = self.payload(self.from.dfg.inst(inst).payload);
        self.to.dfg.replace_inst(made, self.from.dfg.op(inst), &args, payload);
    }

    /// What stands for the operands of an instruction.
    pub(crate) fn args(&self, inst: Inst) -> SmallVec<[Value; 8]> {
        self.from.dfg.args(inst).iter().map(|arg| self.value(*arg)).collect()
    }

    fn payload(&mut self, payload: Payload) -> Payload {
        match payload {
            Payload::Const(id) => Payload::Const(self.to.dfg.make_const(self.from.dfg.word(id))),
            Payload::Jump(call) => Payload::Jump(self.edge(&call)),
            Payload::Branch([then, otherwise]) => Payload::Branch([self.edge(&then), self.edge(&otherwise)]),
            Payload::Switch(id) => {
                let data = self.from.dfg.switch(id);
                let cases = data.cases.iter().map(|(word, call)| (*word, self.edge(call))).collect();
                let default = self.edge(&data.default);
                Payload::Switch(self.to.dfg.make_switch(SwitchData { default, cases }))
            }
            Payload::None | Payload::Number(_) | Payload::Func(_) | Payload::Symbol(_) => payload,
        }
    }

    fn edge(&mut self, call: &BlockCall) -> BlockCall {
        let args = self.from.dfg.call_args(call).iter().map(|arg| self.value(*arg));
        let args: SmallVec<[Value; 8]> = args.collect();
        self.to.dfg.block_call(self.block(call.block), &args)
    }

    pub(crate) fn block(&self, block: Block) -> Block {
        self.blocks[block].expect("invariant: every block of the layout was copied")
    }

    fn value(&self, value: Value) -> Value {
        self.values[value].expect("invariant: every value used in the body is defined there")
    }
}
