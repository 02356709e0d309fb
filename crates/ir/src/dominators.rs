//! Immediate dominators of any graph, by Lengauer and Tarjan's algorithm with path compression
//! (1979): O(m log n), also on long chains of checks that share one failure block.
//!
//! A node dominates another if every path from the entry to the other goes through it.

const NONE: u32 = u32::MAX;

/// The immediate dominator of each node; `None` for the entry and for nodes that it does not reach.
/// Nodes are numbers below `num_nodes`. Predecessors that are not reached must not be given.
pub fn immediate_dominators<S, P>(
    num_nodes: usize,
    entry: usize,
    succs: impl Fn(usize) -> S,
    preds: impl Fn(usize) -> P,
) -> Vec<Option<usize>>
where
    S: DoubleEndedIterator<Item = usize>,
    P: Iterator<Item = usize>,
{
    let numbered = Numbering::compute(num_nodes, entry, succs);
    let mut idoms = vec![None; num_nodes];
    for (number, dominator) in Solver::solve(&numbered, preds).into_iter().enumerate().skip(1) {
        idoms[numbered.nodes[number]] = Some(numbered.nodes[dominator as usize]);
    }
    idoms
}

/// Depth-first numbers of the reachable nodes.
struct Numbering {
    /// Nodes by number.
    nodes: Vec<usize>,
    /// Numbers by node.
    numbers: Vec<u32>,
    /// Numbers of the parents in the depth-first tree, by number.
    parents: Vec<u32>,
}

impl Numbering {
    fn compute<S>(num_nodes: usize, entry: usize, succs: impl Fn(usize) -> S) -> Numbering
    where
        S: DoubleEndedIterator<Item = usize>,
    {
        let mut numbering =
            Numbering { nodes: Vec::new(), numbers: vec![NONE; num_nodes], parents: Vec::new() };
        let mut stack = vec![(entry, 0)];
        while let Some((node, parent)) = stack.pop() {
            if numbering.numbers[node] != NONE {
                continue;
            }
            let number = numbering.nodes.len() as u32;
            numbering.numbers[node] = number;
            numbering.nodes.push(node);
            numbering.parents.push(parent);
            stack.extend(succs(node).rev().map(|succ| (succ, number)));
        }
        numbering
    }
}

/// The state of the algorithm; everything is a depth-first number.
struct Solver {
    semi: Vec<u32>,
    label: Vec<u32>,
    ancestor: Vec<u32>,
    path: Vec<u32>,
}

impl Solver {
    /// Immediate dominators by number; the entry's own is 0.
    fn solve<P: Iterator<Item = usize>>(numbered: &Numbering, preds: impl Fn(usize) -> P) -> Vec<u32> {
        let count = numbered.nodes.len();
        let identity: Vec<u32> = (0..count as u32).collect();
        let mut solver =
            Solver { semi: identity.clone(), label: identity, ancestor: vec![NONE; count], path: Vec::new() };
        let mut idom = vec![0u32; count];
        let mut bucket_head = vec![NONE; count];
        let mut bucket_next = vec![NONE; count];
        for w in (1..count as u32).rev() {
            let parent = numbered.parents[w as usize];
            for pred in preds(numbered.nodes[w as usize]) {
                let u = solver.eval(numbered.numbers[pred]);
                solver.semi[w as usize] = solver.semi[w as usize].min(solver.semi[u as usize]);
            }
            let semi = solver.semi[w as usize] as usize;
            bucket_next[w as usize] = std::mem::replace(&mut bucket_head[semi], w);
            solver.ancestor[w as usize] = parent;
            let mut v = std::mem::replace(&mut bucket_head[parent as usize], NONE);
            while v != NONE {
                let u = solver.eval(v);
                let is_closer = solver.semi[u as usize] < solver.semi[v as usize];
                idom[v as usize] = if is_closer { u } else { parent };
                v = bucket_next[v as usize];
            }
        }
        for w in 1..count {
            if idom[w] != solver.semi[w] {
                idom[w] = idom[idom[w] as usize];
            }
        }
        idom
    }

    /// The vertex with the least semidominator on the path from `v` up to the root of its forest
    /// tree, the root left out; compresses the path.
    fn eval(&mut self, v: u32) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return v;
        }
        self.path.clear();
        let mut u = v;
        while self.ancestor[self.ancestor[u as usize] as usize] != NONE {
            self.path.push(u);
            u = self.ancestor[u as usize];
        }
        let root = self.ancestor[u as usize];
        while let Some(below) = self.path.pop() {
            let above_label = self.label[u as usize];
            if self.semi[above_label as usize] < self.semi[self.label[below as usize] as usize] {
                self.label[below as usize] = above_label;
            }
            self.ancestor[below as usize] = root;
            u = below;
        }
        self.label[v as usize]
    }
}
