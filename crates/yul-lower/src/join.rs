//! Where control flow comes together: edges that are known before their target is, and the block
//! arguments that merge variables.

use crate::object::ObjectLowering;
use crate::state::{Edge, Exit};
use cairn_ir::{Block, FuncBuilder, Op, Payload, SwitchData, Type, Value};
use cairn_yul::YulName;

impl ObjectLowering<'_> {
    /// Continues where `edges` meet: writes their terminators and gives each of `vars` its merged
    /// value. Without an edge, what follows is dead code.
    pub(crate) fn join(&mut self, vars: &[YulName], edges: Vec<Edge>) {
        let is_plain_jump = matches!(&edges[..], [Edge { exit: Exit::Jump, .. }]);
        let Some(first) = edges.first() else {
            self.state.block = None;
            return;
        };
        if is_plain_jump {
            self.state.block = Some(first.block);
            vars.iter().zip(&first.values).for_each(|(name, value)| self.vars.set(*name, *value));
            return;
        }
        let target = self.state.func.make_block();
        self.state.func.layout.append_block(target);
        self.state.block = Some(target);
        let mut merged = Vec::new();
        for (index, name) in vars.iter().enumerate() {
            let value = first.values[index];
            if edges.iter().all(|edge| edge.values[index] == value) {
                self.vars.set(*name, value);
                continue;
            }
            let param = self.state.func.dfg.append_param(target, Type::U256);
            self.assign(*name, param);
            merged.push(index);
        }
        let mut args = Vec::with_capacity(merged.len());
        for edge in edges {
            args.clear();
            args.extend(merged.iter().map(|index| edge.values[*index]));
            self.write_edge(edge, target, &args);
        }
    }

    fn write_edge(&mut self, edge: Edge, target: Block, args: &[Value]) {
        let dfg = &mut self.state.func.dfg;
        let call = dfg.block_call(target, args);
        let (op, operand, payload) = match edge.exit {
            Exit::Jump => (Op::Br, None, Payload::Jump(call)),
            Exit::Otherwise { condition, then } => {
                let then = dfg.block_call(then, &[]);
                (Op::CondBr, Some(condition), Payload::Branch([then, call]))
            }
            Exit::NoCase { value, cases } => {
                let cases =
                    cases.into_iter().map(|(word, block)| (word, dfg.block_call(block, &[]))).collect();
                let id = dfg.make_switch(SwitchData { default: call, cases });
                (Op::Switch, Some(value), Payload::Switch(id))
            }
        };
        let mut builder = FuncBuilder::at(&mut self.state.func, edge.block);
        builder.set_loc(edge.loc);
        builder.push(op, operand.as_slice(), payload, &[]);
    }
}
