//! Gives each cycle of a graph one entry.
//!
//! A cycle that control enters at several nodes has no loop statement. Each such node gets a number, a
//! new node switches on a state, and every edge to an entry sets the state and goes to the new node,
//! which is then the only entry. Cycles within the cycle are looked at without their own entry, as long
//! as there are any.

use crate::graph::{Edge, End, Graph, Node, NodeId, Source, flags};
use crate::tree::Var;
use rustc_hash::FxHashMap;

/// Rewrites the graph until each cycle has one entry.
pub(crate) fn make_reducible(graph: &mut Graph<'_>) {
    let mut work = vec![graph.order()];
    while let Some(region) = work.pop() {
        for cycle in cycles(graph, &region) {
            let entries = entries(graph, &cycle);
            if let &[entry] = entries.as_slice() {
                work.push(cycle.into_iter().filter(|node| *node != entry).collect());
            } else {
                enter_by_state(graph, &entries);
                work.push(cycle);
            }
        }
    }
}

/// Strongly connected parts of a region that have an edge within, by Tarjan's algorithm (1972).
fn cycles(graph: &Graph<'_>, region: &[NodeId]) -> Vec<Vec<NodeId>> {
    let is_inside = flags(graph, region);
    let mut search = Search { index: vec![0; graph.nodes.len()], low: vec![0; graph.nodes.len()], next: 1 };
    let mut is_open = vec![false; graph.nodes.len()];
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for root in region {
        if search.index[*root] != 0 {
            continue;
        }
        let mut stack = vec![(*root, search.enter(*root, graph))];
        open.push(*root);
        is_open[*root] = true;
        while let Some((node, left)) = stack.last_mut() {
            let node = *node;
            if let Some(next) = left.pop() {
                if !is_inside[next] {
                    continue;
                }
                if search.index[next] == 0 {
                    stack.push((next, search.enter(next, graph)));
                    open.push(next);
                    is_open[next] = true;
                } else if is_open[next] {
                    search.low[node] = search.low[node].min(search.index[next]);
                }
                continue;
            }
            stack.pop();
            if let Some((parent, _)) = stack.last() {
                search.low[*parent] = search.low[*parent].min(search.low[node]);
            }
            if search.low[node] == search.index[node] {
                let start = open.iter().rposition(|other| *other == node).unwrap_or(0);
                let part = open.split_off(start);
                part.iter().for_each(|node| is_open[*node] = false);
                if part.len() > 1 || graph.targets(node).contains(&node) {
                    found.push(part);
                }
            }
        }
    }
    found
}

struct Search {
    index: Vec<u32>,
    low: Vec<u32>,
    next: u32,
}

impl Search {
    fn enter(&mut self, node: NodeId, graph: &Graph<'_>) -> Vec<NodeId> {
        (self.index[node], self.low[node]) = (self.next, self.next);
        self.next += 1;
        graph.targets(node)
    }
}

/// Nodes of a cycle to which control comes from elsewhere.
fn entries(graph: &Graph<'_>, cycle: &[NodeId]) -> Vec<NodeId> {
    let is_inside = flags(graph, cycle);
    let preds = graph.preds();
    let mut entries: Vec<NodeId> = cycle
        .iter()
        .copied()
        .filter(|node| *node == 0 || preds[*node].iter().any(|pred| !is_inside[*pred]))
        .collect();
    entries.sort_unstable();
    entries
}

/// Makes a node that switches on a new state the only way to the entries.
fn enter_by_state(graph: &mut Graph<'_>, entries: &[NodeId]) {
    let state = graph.states;
    graph.states += 1;
    let numbers: FxHashMap<NodeId, u32> = entries.iter().copied().zip(0..).collect();
    let switch = graph.nodes.len();
    for node in &mut graph.nodes {
        node.for_each_edge_mut(|edge| {
            if let Some(number) = numbers.get(&edge.to) {
                edge.moves.push((Var::State(state), Source::Number(*number)));
                edge.to = switch;
            }
        });
    }
    let ways = entries.iter().map(|to| Edge { to: *to, moves: Vec::new() }).collect();
    let end = End::States(state, ways);
    graph.nodes.push(Node { insts: Vec::new(), end, local: FxHashMap::default() });
}
