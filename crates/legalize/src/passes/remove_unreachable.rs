//! Removes unreachable blocks.
//!
//! Establishes: every block can be reached from the entry.
//!
//! A block is *doomed* when it ends in `evm.unreachable`, or can only continue to doomed blocks,
//! and everything before that only computes values and uses slots: reaching it means reaching
//! `evm.unreachable`, which never happens. Edges into doomed blocks are folded away, then blocks without a path from the entry
//! are deleted. An operation that could stop execution (a call, a memory access that runs out of
//! gas) saves its block, because the program may rely on not getting past it.
//!
//! Cost: linear in blocks and edges.

use crate::context::PassContext;
use crate::faults::warn_of_removed;
use crate::graph::{IncomingEdges, reverse_postorder};
use crate::names::shown_block;
use crate::observable::{accesses_slot, may_run_out_of_gas};
use crate::pass::{Leaves, Pass, Property};
use cairn_evm::Effects;
use cairn_ir::{Block, EntityRef, Function, Inst, Op, Payload};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "remove-unreachable",
    summary: "every block can be reached",
    needs: &[Property::OneTerminator],
    gives: Property::Reachable,
    leaves: Leaves::Nothing,
    run: remove_unreachable,
};

/// Folds branches to doomed blocks and deletes what cannot be reached.
fn remove_unreachable(func: &mut Function, cx: &mut PassContext<'_>) {
    fold_doomed(func, cx);
    delete_unreachable(func, cx);
}

/// Deletes the blocks that no path from the entry leads to.
pub(crate) fn delete_unreachable(func: &mut Function, cx: &mut PassContext<'_>) {
    let mut is_reachable = vec![false; func.num_blocks()];
    reverse_postorder(func).into_iter().for_each(|block| is_reachable[block.index()] = true);
    let mut next = func.layout.first_block();
    while let Some(block) = next {
        next = func.layout.next_block(block);
        if !is_reachable[block.index()] {
            cx.changed(func, block, || {
                format!("{} was deleted: no path from the entry leads to it", shown_block(func, block))
            });
            func.layout.insts(block).for_each(|inst| warn_of_removed(func, inst, cx));
            func.layout.remove_block(block);
        }
    }
}

/// Folds away the edges into doomed blocks, from `evm.unreachable` upwards.
fn fold_doomed(func: &mut Function, cx: &mut PassContext<'_>) {
    let is_end = |block: &Block| {
        func.terminator(*block).is_some_and(|inst| func.dfg.op(inst) == Op::Unreachable)
            && is_pure(func, *block)
    };
    let mut work: Vec<Block> = func.layout.blocks().filter(is_end).collect();
    if work.is_empty() {
        return;
    }
    let incoming = IncomingEdges::compute(func);
    let mut is_doomed = vec![false; func.num_blocks()];
    work.iter().for_each(|block| is_doomed[block.index()] = true);
    while let Some(block) = work.pop() {
        for edge in incoming.of(block) {
            fold_branch(func, edge.from, edge.inst, &is_doomed, cx);
            let is_end = func.dfg.op(edge.inst) == Op::Unreachable;
            if is_end && !is_doomed[edge.from.index()] && is_pure(func, edge.from) {
                is_doomed[edge.from.index()] = true;
                work.push(edge.from);
            }
        }
    }
}

/// True when nothing before the terminator does more than compute values and use slots.
fn is_pure(func: &Function, block: Block) -> bool {
    let is_pure = |inst: Inst| {
        accesses_slot(func, inst)
            || !(func.dfg.op(inst).effects().intersects(Effects::WRITES) || may_run_out_of_gas(func, inst))
    };
    let body = func.layout.insts(block).filter(|inst| !func.dfg.op(*inst).is_terminator());
    body.into_iter().all(is_pure)
}

/// Removes the doomed targets of a terminator.
fn fold_branch(func: &mut Function, from: Block, inst: Inst, is_doomed: &[bool], cx: &mut PassContext<'_>) {
    let doomed = |block: Block| is_doomed[block.index()];
    let target = match func.dfg.inst(inst).payload {
        Payload::Jump(call) if !doomed(call.block) => return,
        Payload::Jump(_) => None,
        Payload::Branch(calls) => calls.into_iter().find(|call| !doomed(call.block)),
        Payload::Switch(id) => {
            let switch = func.dfg.switch_mut(id);
            switch.cases.retain(|(_, call)| !doomed(call.block));
            if doomed(switch.default.block)
                && let Some((_, call)) = switch.cases.pop()
            {
                switch.default = call;
            }
            if !switch.cases.is_empty() {
                cx.changed(func, inst, || {
                    let from = shown_block(func, from);
                    format!("the switch of {from} lost the cases that only reach `evm.unreachable`")
                });
                return;
            }
            Some(switch.default).filter(|call| !doomed(call.block))
        }
        Payload::None | Payload::Const(_) | Payload::Number(_) | Payload::Func(_) | Payload::Symbol(_) => {
            return;
        }
    };
    match target {
        Some(call) => func.dfg.replace_inst(inst, Op::Br, &[], Payload::Jump(call)),
        None => func.dfg.replace_inst(inst, Op::Unreachable, &[], Payload::None),
    }
    cx.changed(func, inst, || {
        let from = shown_block(func, from);
        format!("{from} no longer branches to a block that only reaches `evm.unreachable`")
    });
}
