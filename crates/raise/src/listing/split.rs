//! Each external function as a graph of its own, taken out of the dispatcher's.
//!
//! Where control goes when the selector is that of a function is where the function begins; what several
//! functions share stands in each of them, as long as the text does not grow by more than [`MAX_GROWTH`].

use super::facts::External;
use crate::graph::{Edge, End, Graph, Node, NodeId};
use crate::simplify::comparison;
use crate::tree::Elsewhere;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Nodes of all functions, for each node of the graph.
const MAX_GROWTH: usize = 4;

/// Operations between the selector and calldata.
const MAX_STEPS: usize = 6;

/// Takes the functions out of a graph: by index, the graph of each that was found.
pub(super) fn split<'f>(graph: &mut Graph<'f>, functions: &[External]) -> Vec<(u32, Graph<'f>)> {
    let by_selector: FxHashMap<Word, u32> =
        functions.iter().zip(0..).map(|(function, index)| (Word::from(function.selector), index)).collect();
    let mut left = graph.nodes.len() * MAX_GROWTH + MAX_GROWTH;
    let mut found: Vec<(u32, Graph<'f>)> = Vec::new();
    let mut is_found: FxHashSet<u32> = FxHashSet::default();
    let mut ways: Vec<(NodeId, NodeId, u32)> = Vec::new();
    for node in graph.order() {
        for (word, edge) in cases(graph, node) {
            let Some(index) = by_selector.get(&word).copied().filter(|_| edge.moves.is_empty()) else {
                continue;
            };
            if !is_found.insert(index) {
                continue;
            }
            let Some(nodes) = reached(graph, edge.to, left) else { continue };
            left -= nodes.len();
            found.push((index, graph.part(&nodes)));
            ways.push((node, edge.to, index));
        }
    }
    for (node, to, index) in ways {
        let place = graph.nodes.len();
        graph.nodes[node].for_each_edge_mut(|edge| {
            if edge.to == to {
                edge.to = place;
            }
        });
        let end = End::Elsewhere(Elsewhere::Function(index));
        graph.nodes.push(Node { insts: Vec::new(), end, jump: None, local: FxHashMap::default() });
    }
    found.sort_by_key(|(index, _)| *index);
    found
}

/// Where a node goes by the selector.
fn cases(graph: &Graph<'_>, node: NodeId) -> Vec<(Word, Edge)> {
    match &graph.nodes[node].end {
        End::Switch(value, cases, _) if is_selector(graph, *value) => cases.clone(),
        End::Branch(condition, yes, no) => match comparison(graph, *condition) {
            Some((value, word, _, is_equal)) if is_selector(graph, value) => {
                vec![(word, if is_equal { yes.clone() } else { no.clone() })]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// True for what is made of the first word of calldata alone.
fn is_selector(graph: &Graph<'_>, value: Value) -> bool {
    let mut value = graph.resolve(value);
    for _ in 0..MAX_STEPS {
        let Some(inst) = graph.func.dfg.def_inst(value) else { return false };
        let args: Vec<Value> = graph.func.dfg.args(inst).iter().map(|arg| graph.resolve(*arg)).collect();
        let is_known = |value: &Value| graph.number(*value).is_some();
        value = match (graph.func.dfg.op(inst), args.as_slice()) {
            (Op::Evm(Opcode::CALLDATALOAD), [place]) => return graph.number(*place) == Some(Word::ZERO),
            (Op::Evm(Opcode::SHR | Opcode::AND), [a, b]) if is_known(a) => *b,
            (Op::Evm(Opcode::AND | Opcode::DIV), [a, b]) if is_known(b) => *a,
            _ => return false,
        };
    }
    false
}

/// Nodes that control gets to from one, that first; `None` when there are more than so many.
fn reached(graph: &Graph<'_>, from: NodeId, most: usize) -> Option<Vec<NodeId>> {
    let mut nodes = vec![from];
    let mut seen: FxHashSet<NodeId> = FxHashSet::from_iter([from]);
    let mut next = 0;
    while let Some(node) = nodes.get(next).copied() {
        next += 1;
        nodes.extend(graph.targets(node).into_iter().filter(|to| seen.insert(*to)));
        if nodes.len() > most {
            return None;
        }
    }
    Some(nodes)
}
