//! Normalizes edges.
//!
//! Establishes: no critical edge (one from a block with several successors to a block with several
//! predecessors); no empty block but those that split such an edge.
//!
//! An *empty* block holds nothing but `evm.br`. Edges into empty blocks are redirected to where
//! they lead in the end. A block that splits a critical edge already is kept, so that canonical
//! code stays as it is.
//!
//! Cost: linear in blocks and edges.

use crate::context::PassContext;
use crate::graph::count_incoming;
use crate::names::shown_block;
use crate::pass::{Leaves, Pass, Property};
use crate::passes::remove_unreachable::delete_unreachable;
use cairn_ir::cursor::Cursor;
use cairn_ir::{Block, BlockCall, EntityList, Function, Payload, SecondaryMap};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "normalize-edges",
    summary: "no critical edges; empty blocks only where they split one",
    needs: &[
        Property::OneTerminator,
        Property::Reachable,
        Property::NothingDead,
        Property::NoSwitches,
        Property::NoPhis,
    ],
    gives: Property::NormalEdges,
    leaves: Leaves::Nothing,
    run: normalize_edges,
};

/// Threads edges through empty blocks and splits critical edges. No switch and no block argument
/// is left; every block is reachable.
fn normalize_edges(func: &mut Function, cx: &mut PassContext<'_>) {
    let trails = Trails::compute(func);
    thread_edges(func, &trails, cx);
    absorb_into_entry(func, cx);
    split_critical_edges(func, cx);
}

/// Where a path through empty blocks ends.
struct Trails {
    /// The end of the trail that begins with an empty block.
    ends: SecondaryMap<Block, Option<Block>>,
}

impl Trails {
    fn compute(func: &Function) -> Self {
        let mut trails = Trails { ends: SecondaryMap::with_capacity(func.num_blocks()) };
        let mut trail = Vec::new();
        for block in func.layout.blocks() {
            let mut end = block;
            while trails.ends[end].is_none()
                && let Some(next) = empty_block_target(func, end)
            {
                trail.push(end);
                // Blocks that jump in a circle lead to one of themselves.
                trails.ends[end] = Some(end);
                end = next;
            }
            let end = trails.end(end);
            trail.drain(..).for_each(|empty| trails.ends[empty] = Some(end));
        }
        trails
    }

    /// Where an edge into `block` leads.
    fn end(&self, block: Block) -> Block {
        self.ends[block].unwrap_or(block)
    }
}

/// The target of a block that holds nothing but `br`.
fn empty_block_target(func: &Function, block: Block) -> Option<Block> {
    let inst = func.layout.first_inst(block)?;
    match func.dfg.inst(inst).payload {
        Payload::Jump(call) => Some(call.block),
        _ => None,
    }
}

/// Leads every edge to the end of its trail, but for those into a block that may split a critical
/// edge; then those too whose target turns out to have one predecessor only.
fn thread_edges(func: &mut Function, trails: &Trails, cx: &mut PassContext<'_>) {
    let incoming = count_incoming(func);
    retarget_all(func, cx, |target, is_branch| match is_branch && incoming[target] == 1 {
        true => target,
        false => trails.end(target),
    });
    let incoming = count_incoming(func);
    retarget_all(func, cx, |target, is_branch| match trails.end(target) {
        end if is_branch && incoming[end] == 1 => end,
        _ => target,
    });
}

/// Changes the targets of all terminators and deletes the blocks that nothing leads to any more.
fn retarget_all(func: &mut Function, cx: &mut PassContext<'_>, new_target: impl Fn(Block, bool) -> Block) {
    let mut is_changed = false;
    let mut next = func.layout.first_block();
    while let Some(block) = next {
        next = func.layout.next_block(block);
        is_changed |= retarget(func, block, cx, &new_target);
    }
    if is_changed {
        delete_unreachable(func, cx);
    }
}

/// Changes the targets of a terminator.
fn retarget(
    func: &mut Function,
    block: Block,
    cx: &mut PassContext<'_>,
    new_target: impl Fn(Block, bool) -> Block,
) -> bool {
    let Some(inst) = func.terminator(block) else { return false };
    let to = |block| BlockCall { block, args: EntityList::new() };
    let data = func.dfg.inst_mut(inst);
    let mut is_changed = false;
    match &mut data.payload {
        Payload::Jump(call) => {
            let target = new_target(call.block, false);
            is_changed = target != call.block;
            *call = to(target);
        }
        Payload::Branch(calls) => {
            for call in calls.iter_mut() {
                let target = new_target(call.block, true);
                is_changed |= target != call.block;
                *call = to(target);
            }
        }
        Payload::None
        | Payload::Const(_)
        | Payload::Number(_)
        | Payload::Func(_)
        | Payload::Symbol(_)
        | Payload::Switch(_) => {}
    }
    if is_changed {
        cx.changed(func, block, || {
            format!("{} branches past empty blocks: they do nothing", shown_block(func, block))
        });
    }
    is_changed
}

/// Moves the code after an empty entry block into it, if nothing else leads there.
fn absorb_into_entry(func: &mut Function, cx: &mut PassContext<'_>) {
    let entry = func.layout.entry();
    let Some(target) = empty_block_target(func, entry) else { return };
    let incoming = func.layout.blocks().map(|block| {
        let mut count = 0;
        func.for_each_successor(block, |successor| count += usize::from(successor == target));
        count
    });
    if target == entry || incoming.sum::<usize>() != 1 {
        return;
    }
    let jump = func.layout.first_inst(entry).expect("invariant: an empty block holds a jump");
    func.layout.remove_inst(jump);
    let first = func.layout.first_inst(target).expect("invariant: a block has a terminator");
    func.layout.split_block(first, entry);
    func.layout.remove_block(target);
    cx.changed(func, target, || {
        format!("{} moved into the entry block, which was empty", shown_block(func, target))
    });
}

/// Puts an empty block on every critical edge.
fn split_critical_edges(func: &mut Function, cx: &mut PassContext<'_>) {
    let incoming = count_incoming(func);
    let mut next = func.layout.first_block();
    while let Some(block) = next {
        next = func.layout.next_block(block);
        let Some(inst) = func.terminator(block) else { continue };
        let Payload::Branch(mut calls) = func.dfg.inst(inst).payload else { continue };
        for call in &mut calls {
            let target = call.block;
            if incoming[target] < 2 {
                continue;
            }
            let split = cx.append_block(func, "edge");
            Cursor::at_end(func, split).br(target, &[]);
            call.block = split;
            cx.changed(func, inst, || {
                let [split, block, target] = [split, block, target].map(|block| shown_block(func, block));
                format!("{split} splits the critical edge from {block} to {target}: only there can code of the edge alone stand")
            });
        }
        func.dfg.inst_mut(inst).payload = Payload::Branch(calls);
    }
}
