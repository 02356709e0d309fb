//! Folds branches that lead to one block with the same arguments whatever their condition.
//!
//! ```text
//! ^a:                                    ^a:
//!   %c = evm.lt %x, %y                     evm.br ^join
//!   evm.condbr %c, ^b, ^join
//! ^b:
//!   evm.condbr %d, ^empty, ^join   =>
//! ^empty:
//!   evm.br ^join
//! ^join:                                 ^join:
//! ```
//!
//! Ways go through *empty* blocks, which hold nothing but `evm.br` and take no arguments. What only the
//! condition needed goes with the branch. Blocks are visited before those that dominate them: a block that
//! is empty once its branches are folded is known to be so when the branches to it are looked at.
//!
//! Cost: linear in instructions and edges.

use crate::context::PassContext;
use crate::graph::reverse_postorder;
use crate::names::shown_block;
use crate::observable::is_removable;
use cairn_ir::{Block, BlockCall, Function, Inst, Op, Payload, SecondaryMap, Value};

/// Folds all branches without a choice; true if there were any. Blocks may be left that nothing leads to.
pub(crate) fn fold_branches(func: &mut Function, cx: &mut PassContext<'_>) -> bool {
    let branches = |block: Block| func.terminator(block).is_some_and(|inst| is_branch(func, inst));
    if !func.layout.blocks().any(branches) {
        return false;
    }
    let mut folding = Folding { ways: SecondaryMap::with_capacity(func.num_blocks()), uses: None };
    let order = reverse_postorder(func);
    order.iter().rev().for_each(|block| folding.note(func, *block));
    for block in order.into_iter().rev() {
        folding.fold(func, block, cx);
        folding.note(func, block);
    }
    folding.uses.is_some()
}

fn is_branch(func: &Function, inst: Inst) -> bool {
    matches!(func.dfg.op(inst), Op::CondBr | Op::Switch)
}

/// What is known while blocks are visited.
struct Folding {
    /// Where an empty block leads in the end.
    ways: SecondaryMap<Block, Option<BlockCall>>,
    /// How often each value is used, counted when the first branch is folded.
    uses: Option<SecondaryMap<Value, u32>>,
}

impl Folding {
    /// Makes the branch at the end of a block a jump if it has no choice.
    fn fold(&mut self, func: &mut Function, block: Block, cx: &mut PassContext<'_>) {
        let Some(inst) = func.terminator(block).filter(|inst| is_branch(func, *inst)) else { return };
        let Some(way) = self.only_way(func, inst) else { return };
        self.replace(func, inst, way);
        cx.changed(func, inst, || {
            let [block, target] = [block, way.block].map(|block| shown_block(func, block));
            format!("{block} goes to {target} whatever its branch decides")
        });
    }

    /// Notes where a block leads if it is empty.
    fn note(&mut self, func: &Function, block: Block) {
        let Some(inst) = func.layout.first_inst(block) else { return };
        if let Payload::Jump(call) = func.dfg.inst(inst).payload
            && func.dfg.params(block).is_empty()
        {
            self.ways[block] = Some(self.way(func, call));
        }
    }

    /// Where an edge leads, past empty blocks. Those that jump in a circle lead to one of themselves.
    fn way(&self, func: &Function, mut call: BlockCall) -> BlockCall {
        while let Some(next) = self.ways[call.block]
            && next.block != call.block
            && func.dfg.call_args(&call).is_empty()
        {
            call = next;
        }
        call
    }

    /// Where a branch leads, if it leads to one place only.
    fn only_way(&self, func: &Function, inst: Inst) -> Option<BlockCall> {
        let (mut first, mut is_same) = (None, true);
        func.dfg.for_each_target(inst, |call| {
            let way = self.way(func, *call);
            let first = *first.get_or_insert(way);
            is_same &= first.block == way.block && func.dfg.call_args(&first) == func.dfg.call_args(&way);
        });
        first.filter(|_| is_same)
    }

    /// Makes a branch a jump, and removes what only it needed.
    fn replace(&mut self, func: &mut Function, inst: Inst, way: BlockCall) {
        let uses = self.uses.get_or_insert_with(|| func.count_uses());
        let mut lost = Vec::new();
        func.dfg.for_each_use(inst, |value| lost.push(value));
        let args = func.dfg.call_args(&way).to_vec();
        args.iter().for_each(|arg| uses[*arg] += 1);
        let call = func.dfg.block_call(way.block, &args);
        func.dfg.replace_inst(inst, Op::Br, &[], Payload::Jump(call));
        while let Some(value) = lost.pop() {
            uses[value] -= 1;
            let Some(def) = func.dfg.def_inst(value).filter(|def| is_unused(func, *def, uses)) else {
                continue;
            };
            func.dfg.for_each_use(def, |value| lost.push(value));
            func.layout.remove_inst(def);
        }
    }
}

/// True for an operation that may go, none of whose results is used.
fn is_unused(func: &Function, inst: Inst, uses: &SecondaryMap<Value, u32>) -> bool {
    is_removable(func, inst) && func.dfg.results(inst).iter().all(|result| uses[*result] == 0)
}
