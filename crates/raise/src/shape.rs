//! Where each node of a graph stands in the text, from dominators and loops.
//!
//! The text follows the dominator tree (Ramsey, "Beyond Relooper", ICFP 2022). A node to which control
//! comes in one way stands at that way. A node where ways meet stands behind the node that dominates
//! it. Where that is in a loop and the node is not, it stands behind the loop; so does one node that
//! control leaves the loop for in one way, so that the rest of the function is not in the loop.

use crate::graph::{Graph, NodeId};
use cairn_ir::dominators::immediate_dominators;

/// The places of nodes.
pub(crate) struct Shape {
    /// By node: nodes that stand behind it, or at the end of its loop's body, in order.
    pub(crate) behind: Vec<Vec<NodeId>>,
    /// By node: nodes that stand behind its loop.
    pub(crate) behind_loop: Vec<Vec<NodeId>>,
    /// By node: control comes back to it.
    pub(crate) is_header: Vec<bool>,
    /// By node: it stands behind another.
    pub(crate) is_behind: Vec<bool>,
    /// By node: number of nodes that it dominates, itself too.
    pub(crate) sizes: Vec<usize>,
}

/// The loops of a graph.
struct Loops {
    is_header: Vec<bool>,
    /// By node: header of the innermost loop around it; a header's own loop is around it.
    innermost: Vec<Option<NodeId>>,
    /// By header: header of the loop around its loop.
    parent: Vec<Option<NodeId>>,
}

impl Shape {
    /// The places of the nodes of a graph whose cycles have one entry each.
    pub(crate) fn of(graph: &Graph<'_>) -> Shape {
        let (order, preds) = (graph.order(), graph.preds());
        let count = graph.nodes.len();
        let idoms = immediate_dominators(
            count,
            0,
            |node| graph.targets(node).into_iter(),
            |node| preds[node].iter().copied(),
        );
        let loops = Loops::of(&order, &preds);
        let mut sizes = vec![1; count];
        for node in order.iter().rev() {
            if let Some(parent) = idoms[*node] {
                sizes[parent] += sizes[*node];
            }
        }
        let mut shape = Shape {
            behind: vec![Vec::new(); count],
            behind_loop: vec![Vec::new(); count],
            is_behind: vec![false; count],
            is_header: loops.is_header.clone(),
            sizes,
        };
        let mut single_exits: Vec<Vec<(NodeId, NodeId)>> = vec![Vec::new(); count];
        let place = places(&order);
        for node in &order {
            let Some(parent) = idoms[*node] else { continue };
            let ways = preds[*node].iter().filter(|pred| place[**pred] < place[*node]).count();
            match (loops.left_for(parent, *node), ways) {
                (Some(header), 2..) => shape.behind_loop[header].push(*node),
                (Some(header), _) => single_exits[header].push((*node, parent)),
                (None, 2..) => shape.behind[parent].push(*node),
                (None, _) => continue,
            }
            shape.is_behind[*node] = ways > 1;
        }
        for header in order {
            if shape.behind_loop[header].is_empty() {
                let exits = single_exits[header].iter();
                let direct = exits.filter(|(_, parent)| loops.innermost[*parent] == Some(header));
                let first =
                    direct.max_by_key(|(node, parent)| (*parent == header, shape.sizes[*node], *node));
                let exit = first.map(|(node, _)| *node);
                shape.behind_loop[header].extend(exit);
                exit.into_iter().for_each(|node| shape.is_behind[node] = true);
            }
        }
        shape
    }
}

fn places(order: &[NodeId]) -> Vec<usize> {
    let mut places = vec![usize::MAX; order.iter().max().map_or(0, |last| last + 1)];
    order.iter().enumerate().for_each(|(place, node)| places[*node] = place);
    places
}

impl Loops {
    /// Walks back from each edge to a header; outer loops come first.
    fn of(order: &[NodeId], preds: &[Vec<NodeId>]) -> Loops {
        let place = places(order);
        let mut loops = Loops {
            is_header: vec![false; preds.len()],
            innermost: vec![None; preds.len()],
            parent: vec![None; preds.len()],
        };
        for header in order {
            let back = preds[*header].iter().filter(|pred| place[**pred] >= place[*header]);
            let mut work: Vec<NodeId> = back.copied().collect();
            if work.is_empty() {
                continue;
            }
            loops.is_header[*header] = true;
            loops.parent[*header] = loops.innermost[*header];
            loops.innermost[*header] = Some(*header);
            while let Some(node) = work.pop() {
                if loops.innermost[node] == Some(*header) {
                    continue;
                }
                loops.innermost[node] = Some(*header);
                work.extend(&preds[node]);
            }
        }
        loops
    }

    /// The outermost loop around `from` that is not around `to`.
    fn left_for(&self, from: NodeId, to: NodeId) -> Option<NodeId> {
        let around =
            |node: NodeId| std::iter::successors(self.innermost[node], |header| self.parent[*header]);
        let kept: Vec<NodeId> = around(to).collect();
        around(from).take_while(|header| !kept.contains(header)).last()
    }
}
