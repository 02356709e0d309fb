//! Gives each cycle of a graph one entry.
//!
//! A cycle that control enters at several nodes has no loop statement. Each such node gets a number, a
//! new node switches on a state, and every edge to an entry sets the state and goes to the new node,
//! which is then the only entry. Cycles within the cycle are looked at without their own entry, as long
//! as there are any.

use crate::graph::{Edge, End, Graph, Node, NodeId, Source};
use crate::tree::Var;
use rustc_hash::FxHashMap;

/// Rewrites the graph until each cycle has one entry. A cycle costs what it is long; one with several
/// entries costs what the graph is.
pub(crate) fn make_reducible(graph: &mut Graph<'_>) {
    let mut work = vec![graph.order()];
    let mut search = Search::default();
    let mut preds = graph.preds();
    while let Some(region) = work.pop() {
        for cycle in search.cycles(graph, &region) {
            let entries = search.entries(&preds, &cycle);
            if let &[entry] = entries.as_slice() {
                work.push(cycle.into_iter().filter(|node| *node != entry).collect());
            } else {
                enter_by_state(graph, &entries);
                preds = graph.preds();
                work.push(cycle);
            }
        }
    }
}

/// What is known of the nodes of a region while its cycles are looked for; of others nothing is.
#[derive(Default)]
struct Search {
    index: Vec<u32>,
    low: Vec<u32>,
    is_open: Vec<bool>,
    is_inside: Vec<bool>,
}

impl Search {
    /// Strongly connected parts of a region that have an edge within, by Tarjan's algorithm (1972).
    fn cycles(&mut self, graph: &Graph<'_>, region: &[NodeId]) -> Vec<Vec<NodeId>> {
        self.begin(graph, region);
        let mut next_index = 1;
        let (mut open, mut found) = (Vec::new(), Vec::new());
        for root in region {
            if self.index[*root] != 0 {
                continue;
            }
            let mut stack = vec![(*root, self.enter(*root, graph, &mut next_index))];
            open.push(*root);
            while let Some((node, left)) = stack.last_mut() {
                let node = *node;
                if let Some(next) = left.pop() {
                    if !self.is_inside[next] {
                        continue;
                    }
                    if self.index[next] == 0 {
                        stack.push((next, self.enter(next, graph, &mut next_index)));
                        open.push(next);
                    } else if self.is_open[next] {
                        self.low[node] = self.low[node].min(self.index[next]);
                    }
                    continue;
                }
                stack.pop();
                if let Some((parent, _)) = stack.last() {
                    self.low[*parent] = self.low[*parent].min(self.low[node]);
                }
                if self.low[node] == self.index[node] {
                    let start = open.iter().rposition(|other| *other == node).unwrap_or(0);
                    let part = open.split_off(start);
                    part.iter().for_each(|node| self.is_open[*node] = false);
                    if part.len() > 1 || graph.targets(node).contains(&node) {
                        found.push(part);
                    }
                }
            }
        }
        region.iter().for_each(|node| self.is_inside[*node] = false);
        found
    }

    fn begin(&mut self, graph: &Graph<'_>, region: &[NodeId]) {
        let count = graph.nodes.len();
        self.index.resize(count, 0);
        self.low.resize(count, 0);
        self.is_open.resize(count, false);
        self.is_inside.resize(count, false);
        for node in region {
            self.index[*node] = 0;
            self.is_inside[*node] = true;
        }
    }

    fn enter(&mut self, node: NodeId, graph: &Graph<'_>, next_index: &mut u32) -> Vec<NodeId> {
        (self.index[node], self.low[node]) = (*next_index, *next_index);
        self.is_open[node] = true;
        *next_index += 1;
        graph.targets(node)
    }

    /// Nodes of a cycle to which control comes from elsewhere.
    fn entries(&mut self, preds: &[Vec<NodeId>], cycle: &[NodeId]) -> Vec<NodeId> {
        cycle.iter().for_each(|node| self.is_inside[*node] = true);
        // A node that was just made is in no cycle yet.
        let is_outside = |node: &NodeId| self.is_inside.get(*node) != Some(&true);
        let is_entry = |node: &NodeId| *node == 0 || preds[*node].iter().any(is_outside);
        let mut entries: Vec<NodeId> = cycle.iter().copied().filter(is_entry).collect();
        cycle.iter().for_each(|node| self.is_inside[*node] = false);
        entries.sort_unstable();
        entries
    }
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
    graph.nodes.push(Node { insts: Vec::new(), end, jump: None, local: FxHashMap::default() });
}
