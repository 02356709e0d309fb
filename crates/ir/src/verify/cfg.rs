//! Rules about blocks and edges, and the graph that the rules about values need.

use super::Form;
use super::report::{Cx, Place};
use crate::dfg::Payload;
use crate::dominators::immediate_dominators;
use crate::ids::{Block, Inst, SwitchId, Value};
use crate::op::Op;
use crate::types::Type;
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashSet;

/// The blocks that can be reached, with their dominators.
pub(super) struct Graph {
    /// Position in reverse postorder; `u32::MAX` for unreachable blocks.
    index: SecondaryMap<Block, u32>,
    /// Interval of the dominator tree below each block, by position.
    interval: Vec<(u32, u32)>,
}

impl Graph {
    pub(super) fn is_reachable(&self, block: Block) -> bool {
        self.index[block] != u32::MAX
    }

    /// True when every path to `below` leads through `above`; both must be reachable.
    pub(super) fn dominates(&self, above: Block, below: Block) -> bool {
        let (start, end) = self.interval[self.index[above] as usize];
        let (at, _) = self.interval[self.index[below] as usize];
        start <= at && at < end
    }
}

/// Checks blocks and edges. `None` when they are so broken that values cannot be checked.
pub(super) fn verify_cfg(cx: &mut Cx<'_>) -> Option<Graph> {
    let func = cx.func;
    let Some(entry) = func.layout.first_block() else {
        cx.report("has-block", Place::Function, format!("function `@{}` has no block", func.name));
        return None;
    };
    let types: Vec<_> = func.dfg.params(entry).iter().map(|param| cx.ty(*param)).collect();
    if types != func.signature.params {
        let message = "the entry block does not have the function's parameters".to_owned();
        cx.report("entry-params", Place::Block(entry), message);
    }
    let mut sound = true;
    for block in func.layout.blocks() {
        for inst in func.layout.insts(block) {
            sound &= verify_targets(cx, entry, inst);
        }
        if cx.is_legalized() {
            verify_terminator(cx, block);
        }
        let has_params = block != entry && !func.dfg.params(block).is_empty();
        if cx.form == Form::Canonical && has_params {
            let message = format!("block `{}` has parameters", cx.block_name(block));
            cx.report("no-block-params", Place::Block(block), message);
        }
    }
    if !sound {
        return None;
    }
    let graph = Graph::new(cx, entry);
    verify_reachable(cx, &graph);
    if cx.form == Form::Canonical {
        verify_critical_edges(cx);
    }
    Some(graph)
}

/// Checks the edges of an instruction; false when one leads nowhere.
fn verify_targets(cx: &mut Cx<'_>, entry: Block, inst: Inst) -> bool {
    let func = cx.func;
    if let Payload::Switch(id) = func.dfg.inst(inst).payload {
        if func.dfg.try_switch(id).is_none() {
            cx.report("payload", Place::Inst(inst), "the switch has no cases at all".to_owned());
            return false;
        }
        verify_cases(cx, inst, id);
    }
    let mut targets: Vec<(Block, Vec<Value>)> = Vec::new();
    func.dfg.for_each_target(inst, |call| targets.push((call.block, func.dfg.call_args(call).to_vec())));
    let mut sound = true;
    for (block, args) in targets {
        if block.index() >= func.num_blocks() || !func.layout.is_block_inserted(block) {
            let message = "the branch leads to a block that is not in the function".to_owned();
            cx.report("known-target", Place::Inst(inst), message);
            sound = false;
            continue;
        }
        if block == entry && cx.is_legalized() {
            cx.report("entry-edges", Place::Inst(inst), "the branch leads to the entry block".to_owned());
        }
        verify_edge_args(cx, inst, block, &args);
    }
    sound
}

/// Cases differ, and each can match. What a pass finds out about the value may leave cases behind
/// that cannot.
fn verify_cases(cx: &mut Cx<'_>, inst: Inst, id: SwitchId) {
    let func = cx.func;
    let ty = func.dfg.args(inst).first().and_then(|value| func.dfg.try_ty(*value));
    let bits = ty.and_then(Type::bits).unwrap_or(256);
    let mut words = FxHashSet::default();
    for (word, _) in &func.dfg.switch(id).cases {
        if !words.insert(*word) {
            cx.report("case-values", Place::Inst(inst), format!("case {word:#x} occurs twice"));
        }
        if let (Form::Free, Some(ty), true) = (cx.form, ty, word.bit_len() > usize::from(bits)) {
            let message = format!("case {word:#x} never matches: it does not fit `{ty}`");
            cx.report("case-fits", Place::Inst(inst), message);
        }
    }
}

fn verify_edge_args(cx: &mut Cx<'_>, inst: Inst, block: Block, args: &[Value]) {
    let params = cx.func.dfg.params(block);
    if params.len() != args.len() {
        let name = cx.block_name(block);
        let message =
            format!("the edge to `{name}` passes {} arguments for {} parameters", args.len(), params.len());
        cx.report("edge-arguments", Place::Inst(inst), message);
        return;
    }
    for (arg, param) in args.iter().zip(params) {
        let (Some(from), to) = (cx.func.dfg.try_ty(*arg), cx.ty(*param)) else { continue };
        if !from.widens_to(to) {
            let names = (cx.value_name(*arg), cx.value_name(*param));
            let message =
                format!("argument `{}` of type `{from}` for parameter `{}` of type `{to}`", names.0, names.1);
            cx.report("edge-arguments", Place::Inst(inst), message);
        }
    }
}

/// Exactly one terminator, at the end.
fn verify_terminator(cx: &mut Cx<'_>, block: Block) {
    let last = cx.func.layout.last_inst(block);
    if last.is_none_or(|inst| !cx.op(inst).is_terminator()) {
        let message = format!("block `{}` does not end in a terminator", cx.block_name(block));
        cx.report("one-terminator", Place::Block(block), message);
    }
    for inst in cx.func.layout.insts(block) {
        if Some(inst) != last && cx.op(inst).is_terminator() {
            cx.report("one-terminator", Place::Inst(inst), "instructions follow the terminator".to_owned());
        }
    }
}

fn verify_reachable(cx: &mut Cx<'_>, graph: &Graph) {
    if !cx.is_legalized() {
        return;
    }
    for block in cx.func.layout.blocks() {
        if !graph.is_reachable(block) {
            let message = format!("block `{}` cannot be reached", cx.block_name(block));
            cx.report("reachable", Place::Block(block), message);
        }
    }
}

fn verify_critical_edges(cx: &mut Cx<'_>) {
    let func = cx.func;
    let mut edges_in: SecondaryMap<Block, u32> = SecondaryMap::new();
    for block in func.layout.blocks() {
        func.for_each_successor(block, |successor| edges_in[successor] += 1);
    }
    for block in func.layout.blocks() {
        let mut successors = Vec::new();
        func.for_each_successor(block, |successor| successors.push(successor));
        let Some(inst) = func.terminator(block).filter(|_| successors.len() > 1) else { continue };
        for successor in successors.into_iter().filter(|successor| edges_in[*successor] > 1) {
            let message = format!("the edge to `{}` is critical", cx.block_name(successor));
            cx.report("critical-edge", Place::Inst(inst), message);
        }
    }
}

/// Successors of a block that may have several terminators: behind a `condbr` or `switch`,
/// execution can go on; behind others it cannot.
fn successors(cx: &Cx<'_>, block: Block) -> Vec<Block> {
    let mut successors = Vec::new();
    for inst in cx.func.layout.insts(block) {
        cx.func.dfg.for_each_target(inst, |call| successors.push(call.block));
        let op = cx.op(inst);
        if op.is_terminator() && !matches!(op, Op::CondBr | Op::Switch) {
            break;
        }
    }
    successors
}

impl Graph {
    fn new(cx: &Cx<'_>, entry: Block) -> Graph {
        let (order, index) = reverse_postorder(cx, entry);
        let mut preds: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        let mut succs: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (at, block) in order.iter().enumerate() {
            succs[at] = successors(cx, *block).into_iter().map(|next| index[next] as usize).collect();
            succs[at].iter().for_each(|next| preds[*next].push(at));
        }
        let idoms = immediate_dominators(
            order.len(),
            0,
            |at| succs[at].iter().copied(),
            |at| preds[at].iter().copied(),
        );
        let idoms: Vec<usize> = idoms.into_iter().map(Option::unwrap_or_default).collect();
        Graph { interval: tree_intervals(&idoms), index }
    }
}

fn reverse_postorder(cx: &Cx<'_>, entry: Block) -> (Vec<Block>, SecondaryMap<Block, u32>) {
    let mut index: SecondaryMap<Block, u32> = SecondaryMap::with_default(u32::MAX);
    let mut order = Vec::new();
    let mut open = vec![(entry, successors(cx, entry))];
    index[entry] = 0;
    while let Some((block, rest)) = open.last_mut() {
        match rest.pop() {
            Some(next) if index[next] == u32::MAX => {
                index[next] = 0;
                open.push((next, successors(cx, next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    for (at, block) in order.iter().enumerate() {
        index[*block] = at as u32;
    }
    (order, index)
}

/// Numbers the dominator tree so that a subtree is an interval. A block's dominator comes before
/// it, so sizes add up backwards and starts are handed out forwards.
fn tree_intervals(idoms: &[usize]) -> Vec<(u32, u32)> {
    let mut sizes = vec![1u32; idoms.len()];
    for at in (1..idoms.len()).rev() {
        sizes[idoms[at]] += sizes[at];
    }
    let mut next = vec![1u32; idoms.len()];
    let mut intervals = vec![(0, sizes[0]); idoms.len()];
    for at in 1..idoms.len() {
        let parent = idoms[at];
        let start = next[parent];
        next[parent] += sizes[at];
        next[at] = start + 1;
        intervals[at] = (start, start + sizes[at]);
    }
    intervals
}
