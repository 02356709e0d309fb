//! Makes a graph smaller before it gets structure: rows of nodes, switches, short ends.
//!
//! * Parameters that only ever get one value are that value.
//! * A node with one way in and one way there joins the node before it; empty nodes go.
//! * Comparisons of one value with constants in a row are one switch: what a dispatcher is.
//! * A short node that ends the function stands wherever control goes to it, so that a check is an `if`
//!   with the end in it.

use crate::graph::{Edge, End, Graph, NodeId, Source, is_constant};
use crate::tree::Var;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Inst, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::rc::Rc;

/// Instructions, without constants, of an end that is short enough to stand in several places.
const MAX_COPIED: usize = 10;

/// Times that an end is copied and then is the end of what comes before it.
const MAX_COPIES: usize = 3;

/// Rounds in which parameters become values; more are never needed but by chains of that length.
const MAX_ROUNDS: usize = 20;

/// Simplifies as far as it goes.
pub(crate) fn simplify(graph: &mut Graph<'_>) {
    for _ in 0..MAX_ROUNDS {
        if !find_aliases(graph) {
            break;
        }
    }
    drop_aliased_moves(graph);
    skip_empty(graph);
    join_rows(graph);
    find_switches(graph);
    join_switches(graph);
    for _ in 0..MAX_COPIES {
        copy_ends(graph);
        join_rows(graph);
    }
}

/// What each parameter gets, where that is one value; true if there are new ones.
fn find_aliases(graph: &mut Graph<'_>) -> bool {
    let mut given: FxHashMap<Value, Option<Value>> = FxHashMap::default();
    let mut params: Vec<Value> = Vec::new();
    // The caller gives the function's own.
    given.extend(graph.func.params().iter().map(|param| (*param, None)));
    for node in graph.order() {
        graph.nodes[node].for_each_edge(|edge| {
            for (var, source) in &edge.moves {
                let (Var::Value(param), Source::Value(value)) = (*var, *source) else { continue };
                let value = graph.resolve(value);
                if value == param || graph.alias.contains_key(&param) {
                    continue;
                }
                let known = given.entry(param).or_insert_with(|| {
                    params.push(param);
                    Some(value)
                });
                if known.is_some_and(|known| !is_same(graph, known, value)) {
                    *known = None;
                }
            }
        });
    }
    let mut is_changed = false;
    for param in params {
        if let Some(value) = given[&param].filter(|value| graph.resolve(*value) != param) {
            let value = graph.resolve(value);
            Rc::make_mut(&mut graph.alias).insert(param, value);
            is_changed = true;
        }
    }
    is_changed
}

fn is_same(graph: &Graph<'_>, a: Value, b: Value) -> bool {
    a == b || graph.number(a).is_some_and(|word| graph.number(b) == Some(word))
}

fn drop_aliased_moves(graph: &mut Graph<'_>) {
    let Graph { nodes, alias, .. } = graph;
    for node in nodes {
        node.for_each_edge_mut(|edge| {
            edge.moves.retain(|(var, _)| !matches!(var, Var::Value(param) if alias.contains_key(param)));
        });
    }
}

/// Edges to nodes that do nothing and go on without moves lead to where those go.
fn skip_empty(graph: &mut Graph<'_>) {
    let is_empty = |graph: &Graph<'_>, node: NodeId| {
        let of = &graph.nodes[node];
        let does_nothing = of.insts.iter().all(|inst| is_constant(graph.func, *inst));
        match &of.end {
            End::Go(edge) if does_nothing && edge.moves.is_empty() && edge.to != node => Some(edge.to),
            _ => None,
        }
    };
    let skipped: Vec<Option<NodeId>> = (0..graph.nodes.len()).map(|node| is_empty(graph, node)).collect();
    let goal = |mut node: NodeId| {
        // A circle of empty nodes is left as it is.
        for _ in 0..skipped.len() {
            match skipped[node] {
                Some(next) => node = next,
                None => return Some(node),
            }
        }
        None
    };
    for node in &mut graph.nodes {
        node.for_each_edge_mut(|edge| {
            // Moves belong to parameters of the node that is skipped: nothing reads them but it.
            edge.to = goal(edge.to).unwrap_or(edge.to);
        });
    }
}

/// Joins each node that has one way in with the node before it, if that has no other way on.
fn join_rows(graph: &mut Graph<'_>) {
    let mut counts = vec![0_usize; graph.nodes.len()];
    counts[0] = 1;
    graph.preds().iter().enumerate().for_each(|(node, preds)| counts[node] += preds.len());
    for node in graph.order() {
        while let End::Go(Edge { to, moves }) = &graph.nodes[node].end {
            let to = *to;
            if counts[to] != 1 || to == node || !moves.is_empty() {
                break;
            }
            let next = std::mem::take(&mut graph.nodes[to].insts);
            let end = std::mem::replace(&mut graph.nodes[to].end, End::Exit);
            let jump = graph.nodes[to].jump.take();
            let local = std::mem::take(&mut graph.nodes[to].local);
            let joined = &mut graph.nodes[node];
            joined.insts.extend(next);
            joined.local.extend(local);
            joined.end = end;
            joined.jump = jump;
        }
    }
}

/// A comparison with a constant: the value, the constant, and whether equal ones go the first way.
pub(crate) fn comparison(graph: &Graph<'_>, condition: Value) -> Option<(Value, Word, Inst, bool)> {
    let inst = graph.func.dfg.def_inst(graph.resolve(condition))?;
    let Op::Evm(opcode) = graph.func.dfg.op(inst) else { return None };
    let is_equal = match opcode {
        Opcode::EQ => true,
        Opcode::SUB | Opcode::XOR => false,
        _ => return None,
    };
    let &[a, b] = graph.func.dfg.args(inst) else { return None };
    let (a, b) = (graph.resolve(a), graph.resolve(b));
    match (graph.number(a), graph.number(b)) {
        (None, Some(word)) => Some((a, word, inst, is_equal)),
        (Some(word), None) => Some((b, word, inst, is_equal)),
        _ => None,
    }
}

/// Makes switches of branches in a row that compare one value.
fn find_switches(graph: &mut Graph<'_>) {
    let preds = graph.preds();
    let mut is_gone: FxHashSet<NodeId> = FxHashSet::default();
    for node in graph.order() {
        if is_gone.contains(&node) {
            continue;
        }
        let Some((value, first, mut rest)) = test(graph, node) else { continue };
        let mut cases = vec![first];
        loop {
            let next = rest.to;
            if preds[next].len() != 1 || !rest.moves.is_empty() || next == 0 {
                break;
            }
            let Some((other, case, after)) = test(graph, next) else { break };
            let is_known = cases.iter().any(|(word, _)| *word == case.0);
            if other != value || is_known || !is_only_a_test(graph, next) {
                break;
            }
            cases.push(case);
            is_gone.insert(next);
            rest = after;
        }
        if cases.len() > 1 {
            graph.nodes[node].end = End::Switch(value, cases, rest);
        }
    }
}

/// The value that a node compares at its end, the case and the other way.
fn test(graph: &Graph<'_>, node: NodeId) -> Option<(Value, (Word, Edge), Edge)> {
    let End::Branch(condition, yes, no) = &graph.nodes[node].end else { return None };
    let (value, word, _, is_equal) = comparison(graph, *condition)?;
    let (case, rest) = if is_equal { (yes, no) } else { (no, yes) };
    Some((value, (word, case.clone()), rest.clone()))
}

/// True when a node does nothing but compare.
fn is_only_a_test(graph: &Graph<'_>, node: NodeId) -> bool {
    let condition = graph.nodes[node].decides().and_then(|value| comparison(graph, value));
    let own = condition.map(|(_, _, inst, _)| inst);
    graph.nodes[node].insts.iter().all(|inst| Some(*inst) == own || is_constant(graph.func, *inst))
}

/// Makes one switch of a binary search: of a branch by whether a value is above a constant, where both
/// ways compare that value with more, and go the same way where none is equal.
fn join_switches(graph: &mut Graph<'_>) {
    let (preds, reads) = (graph.preds(), reads(graph));
    for node in graph.order().into_iter().rev() {
        let Some((value, bound, below, above)) = search_step(graph, node) else { continue };
        let side = |graph: &Graph<'_>, edge: &Edge, is_below: Ordering| {
            let is_own = preds[edge.to].len() == 1 && edge.moves.is_empty() && edge.to != 0;
            let (own, mut cases, rest) = as_switch(graph, edge.to).filter(|_| is_own)?;
            let is_free = graph.nodes[edge.to].insts.iter().all(|inst| is_unread(graph, &reads, *inst));
            cases.retain(|(word, _)| (*word < bound) == (is_below == Ordering::Less));
            (own == value && is_free && rest.moves.is_empty()).then_some((cases, rest))
        };
        let Some((cases, rest)) = side(graph, &below, Ordering::Less) else { continue };
        let Some((more, other)) = side(graph, &above, Ordering::Greater) else { continue };
        let is_same_way =
            other.to == rest.to || (is_fixed_end(graph, rest.to) && is_same_end(graph, rest.to, other.to));
        if is_same_way {
            graph.nodes[node].end = End::Switch(value, cases.into_iter().chain(more).collect(), rest);
        }
    }
}

/// A branch of a search: the value, the least word of the second way, the ways below and from there on.
fn search_step(graph: &Graph<'_>, node: NodeId) -> Option<(Value, Word, Edge, Edge)> {
    let End::Branch(condition, yes, no) = &graph.nodes[node].end else { return None };
    let (inst, is_negated) = not_negated(graph, *condition)?;
    let (yes, no) = if is_negated { (no, yes) } else { (yes, no) };
    let &[a, b] = graph.func.dfg.args(inst) else { return None };
    let (a, b) = (graph.resolve(a), graph.resolve(b));
    let next = |word: Word| word.checked_add(Word::from(1));
    match (graph.func.dfg.op(inst), graph.number(a), graph.number(b)) {
        // word > value
        (Op::Evm(Opcode::GT), Some(word), None) => Some((b, word, yes.clone(), no.clone())),
        // value < word
        (Op::Evm(Opcode::LT), None, Some(word)) => Some((a, word, yes.clone(), no.clone())),
        // value > word
        (Op::Evm(Opcode::GT), None, Some(word)) => Some((a, next(word)?, no.clone(), yes.clone())),
        // word < value
        (Op::Evm(Opcode::LT), Some(word), None) => Some((b, next(word)?, no.clone(), yes.clone())),
        _ => None,
    }
}

/// The instruction of a condition without an `iszero` around it, and whether there was one.
fn not_negated(graph: &Graph<'_>, condition: Value) -> Option<(Inst, bool)> {
    let inst = graph.func.dfg.def_inst(graph.resolve(condition))?;
    match (graph.func.dfg.op(inst), graph.func.dfg.args(inst)) {
        (Op::Evm(Opcode::ISZERO), [inner]) => Some((graph.func.dfg.def_inst(graph.resolve(*inner))?, true)),
        _ => Some((inst, false)),
    }
}

/// A value, where it goes by word, and where else.
type Cases = (Value, Vec<(Word, Edge)>, Edge);

/// A node that ends in a switch, or in a comparison as a switch of one case.
fn as_switch(graph: &Graph<'_>, node: NodeId) -> Option<Cases> {
    match &graph.nodes[node].end {
        End::Switch(value, cases, rest) => Some((graph.resolve(*value), cases.clone(), rest.clone())),
        _ => test(graph, node).map(|(value, case, rest)| (value, vec![case], rest)),
    }
}

/// Two ends that do nothing but the same with constants: `revert(0, 0)` is one wherever it stands.
fn is_same_end(graph: &Graph<'_>, a: NodeId, b: NodeId) -> bool {
    let of = |node: NodeId| {
        let insts = graph.nodes[node].insts.iter().filter(|inst| !is_constant(graph.func, **inst));
        let with_args = |inst: &Inst| {
            let args = graph.func.dfg.args(*inst).iter();
            (graph.func.dfg.op(*inst), args.map(|arg| graph.number(*arg)).collect::<Vec<_>>())
        };
        insts.map(with_args).collect::<Vec<_>>()
    };
    matches!(graph.nodes[b].end, End::Exit) && of(a) == of(b)
}

/// True for an end of one instruction on constants.
fn is_fixed_end(graph: &Graph<'_>, node: NodeId) -> bool {
    let mut insts = graph.nodes[node].insts.iter().filter(|inst| !is_constant(graph.func, **inst));
    let is_fixed = |inst: &Inst| graph.func.dfg.args(*inst).iter().all(|arg| graph.number(*arg).is_some());
    matches!(graph.nodes[node].end, End::Exit) && insts.next().is_some_and(is_fixed) && insts.next().is_none()
}

/// How often each value is read, by instructions, moves and ends.
fn reads(graph: &Graph<'_>) -> FxHashMap<Value, u32> {
    let mut reads = FxHashMap::default();
    let mut read = |value: Value| *reads.entry(graph.resolve(value)).or_insert(0) += 1;
    for node in graph.order() {
        let of = &graph.nodes[node];
        of.insts.iter().for_each(|inst| graph.func.dfg.for_each_use(*inst, &mut read));
        of.for_each_edge(|edge| {
            edge.moves.iter().for_each(|(_, source)| match source {
                Source::Value(value) => read(*value),
                Source::Number(_) => {}
            });
        });
    }
    reads
}

/// True for a comparison that nothing but the end of its node reads.
fn is_unread(graph: &Graph<'_>, reads: &FxHashMap<Value, u32>, inst: Inst) -> bool {
    let is_pure = graph.func.dfg.op(inst).effects().is_empty();
    let is_read = |value: &Value| reads.contains_key(value);
    is_constant(graph.func, inst) || (is_pure && !graph.func.dfg.results(inst).iter().any(is_read))
}

/// Gives each way to a short end an end of its own.
fn copy_ends(graph: &mut Graph<'_>) {
    let preds = graph.preds();
    for node in graph.order() {
        if preds[node].len() < 2 || !is_short_end(graph, node) {
            continue;
        }
        for pred in &preds[node] {
            copy_for(graph, *pred, node);
        }
    }
}

fn is_short_end(graph: &Graph<'_>, node: NodeId) -> bool {
    let of = &graph.nodes[node];
    let length = of.insts.iter().filter(|inst| !is_constant(graph.func, **inst)).count();
    matches!(of.end, End::Exit) && length <= MAX_COPIED
}

/// Leads the edges from `pred` to `node` to copies.
fn copy_for(graph: &mut Graph<'_>, pred: NodeId, node: NodeId) {
    let original = graph.nodes[node].clone();
    let first = graph.nodes.len();
    let mut copies = Vec::new();
    graph.nodes[pred].for_each_edge_mut(|edge| {
        if edge.to != node {
            return;
        }
        let mut copy = original.clone();
        for (var, source) in std::mem::take(&mut edge.moves) {
            match (var, source) {
                // Nothing but the end reads its parameters.
                (Var::Value(param), Source::Value(value)) => {
                    copy.local.insert(param, value);
                }
                other => edge.moves.push(other),
            }
        }
        edge.to = first + copies.len();
        copies.push(copy);
    });
    graph.nodes.extend(copies);
}
