//! Which values are needed at all, how often each is used, and which are live on entry of each
//! block.
//!
//! A value is needed if something that must be executed depends on it: pure instructions whose
//! results nobody needs are left out, and so are block parameters and their arguments. Arguments of
//! calls that the callee does not take are no uses. Linear in uses plus the sizes of live sets.

use super::graph::Graph;
use crate::code::Convention;
use crate::context::callee_of;
use cairn_ir::{Block, Func, Function, Inst, Op, Payload, SecondaryMap, Value, ValueDef, sized};
use cranelift_entity::EntitySet;
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// See the head of this module.
pub(crate) struct Liveness {
    /// Values that something executed depends on.
    pub(crate) needed: EntitySet<Value>,
    /// Uses by executed instructions and along edges.
    pub(crate) num_uses: SecondaryMap<Value, u32>,
    /// The instruction that has the only use of a value among its operands.
    pub(crate) only_user: SecondaryMap<Value, PackedOption<Inst>>,
    /// Values that live in from predecessors, block parameters not among them, by value number.
    pub(crate) live_in: SecondaryMap<Block, Vec<Value>>,
}

/// The operands that an instruction takes from the stack, deepest first.
pub(crate) fn stack_operands(
    func: &Function,
    conventions: &SecondaryMap<Func, Convention>,
    inst: Inst,
) -> SmallVec<[Value; 8]> {
    let args = func.dfg.args(inst);
    match callee_of(func, inst) {
        Some(callee) => conventions[callee].params.iter().map(|index| args[*index as usize]).collect(),
        None => args.iter().rev().copied().collect(),
    }
}

/// The arguments along the only edge of a `br`, paired with the parameters they become.
pub(crate) fn edge_args<'a>(func: &'a Function, inst: Inst) -> impl Iterator<Item = (Value, Value)> + 'a {
    let call = match &func.dfg.inst(inst).payload {
        Payload::Jump(call) => Some(call),
        Payload::None
        | Payload::Const(_)
        | Payload::Number(_)
        | Payload::Func(_)
        | Payload::Symbol(_)
        | Payload::Branch(_)
        | Payload::Switch(_) => None,
    };
    let pairs = call.map(|call| (func.dfg.params(call.block), func.dfg.call_args(call)));
    let (params, args) = pairs.unwrap_or_default();
    params.iter().copied().zip(args.iter().copied())
}

impl Liveness {
    /// Liveness of a function whose branches with two targets pass no arguments.
    pub(crate) fn compute(
        func: &Function,
        graph: &Graph,
        conventions: &SecondaryMap<Func, Convention>,
        shared: &EntitySet<Value>,
    ) -> Liveness {
        let mut live = Liveness {
            needed: EntitySet::new(),
            num_uses: sized(func.dfg.num_values()),
            only_user: sized(func.dfg.num_values()),
            live_in: sized(func.num_blocks()),
        };
        live.find_needed(func, graph, conventions);
        live.find_live_in(func, graph, conventions, shared);
        live
    }

    /// True for instructions that are carried out.
    pub(crate) fn is_executed(&self, func: &Function, inst: Inst) -> bool {
        let op = func.dfg.op(inst);
        let is_pure = op != Op::Icall && !op.is_terminator() && op.effects().is_pure();
        !is_pure || func.dfg.results(inst).iter().any(|value| self.needed.contains(*value))
    }

    fn find_needed(&mut self, func: &Function, graph: &Graph, conventions: &SecondaryMap<Func, Convention>) {
        let mut worklist = Vec::new();
        for block in &graph.order {
            for inst in executed(func, graph, *block) {
                if self.is_executed(func, inst) {
                    worklist.extend(stack_operands(func, conventions, inst));
                }
            }
        }
        while let Some(value) = worklist.pop() {
            if !self.needed.insert(value) {
                continue;
            }
            match func.dfg.def(value) {
                ValueDef::Result(inst, _) => worklist.extend(stack_operands(func, conventions, inst)),
                ValueDef::Param(block, index) => {
                    for pred in &graph.preds[block] {
                        let last = graph.last[*pred].expect("invariant: a predecessor has a terminator");
                        worklist.extend(edge_args(func, last).nth(index as usize).map(|(_, arg)| arg));
                    }
                }
            }
        }
    }

    fn find_live_in(
        &mut self,
        func: &Function,
        graph: &Graph,
        conventions: &SecondaryMap<Func, Convention>,
        shared: &EntitySet<Value>,
    ) {
        let mut uses: Vec<(Value, Block)> = Vec::new();
        for block in &graph.order {
            for inst in executed(func, graph, *block) {
                if !self.is_executed(func, inst) {
                    continue;
                }
                for value in stack_operands(func, conventions, inst) {
                    let is_first = self.num_uses[value] == 0;
                    self.only_user[value] = Some(inst).filter(|_| is_first).into();
                    self.num_uses[value] += 1;
                    uses.push((value, *block));
                }
                for (param, arg) in edge_args(func, inst) {
                    if self.needed.contains(param) {
                        self.only_user[arg] = None.into();
                        self.num_uses[arg] += 1;
                        uses.push((arg, *block));
                    }
                }
            }
        }
        uses.sort_by_key(|(value, block)| (*value, graph.index[*block]));
        uses.dedup();
        let mut worklist = Vec::new();
        for (value, block) in uses {
            if func.dfg.as_const(value).is_some() && !shared.contains(value) {
                continue;
            }
            let home = match func.dfg.def(value) {
                ValueDef::Result(inst, _) => func.layout.inst_block(inst),
                ValueDef::Param(block, _) => Some(block),
            };
            worklist.push(block);
            while let Some(block) = worklist.pop() {
                let list = &mut self.live_in[block];
                if Some(block) != home && list.last() != Some(&value) {
                    list.push(value);
                    worklist.extend(&graph.preds[block]);
                }
            }
        }
    }
}

/// The instructions of a block that are executed: up to a call that never comes back.
pub(crate) fn executed<'a>(
    func: &'a Function,
    graph: &'a Graph,
    block: Block,
) -> impl Iterator<Item = Inst> + 'a {
    let last = graph.last[block];
    let mut done = false;
    func.layout.insts(block).take_while(move |inst| !std::mem::replace(&mut done, Some(*inst) == last))
}
