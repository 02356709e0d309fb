//! Strongly connected components (Tarjan, 1972).

use std::collections::{BTreeMap, BTreeSet};

/// Who imports whom.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    names: Vec<String>,
    edges: Vec<BTreeSet<usize>>,
}

#[derive(Default)]
struct Search {
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    stack: Vec<usize>,
    count: usize,
    found: Vec<Vec<usize>>,
}

impl Graph {
    /// A graph with edges between names; those to others are left out.
    pub(super) fn new(names: Vec<String>, edges: &[(String, String)]) -> Graph {
        let index: BTreeMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let mut to = vec![BTreeSet::new(); names.len()];
        for (from, target) in edges {
            if let (Some(from), Some(target)) = (index.get(from.as_str()), index.get(target.as_str()))
                && from != target
            {
                to[*from].insert(*target);
            }
        }
        Graph { names, edges: to }
    }

    /// All edges.
    pub(super) fn edges(&self) -> Vec<(String, String)> {
        let all = self.edges.iter().zip(&self.names);
        all.flat_map(|(to, from)| to.iter().map(|at| (from.clone(), self.names[*at].clone()))).collect()
    }

    /// The part between some nodes.
    pub(super) fn between(&self, nodes: &[String]) -> Graph {
        Graph::new(nodes.to_vec(), &self.edges())
    }

    /// Sets of nodes that reach each other, each in order; nodes alone are none.
    pub(super) fn circles(&self) -> Vec<Vec<String>> {
        let n = self.names.len();
        let mut search = Search { index: vec![None; n], low: vec![0; n], ..Search::default() };
        for node in 0..n {
            if search.index[node].is_none() {
                self.visit(node, &mut search);
            }
        }
        let named = |circle: Vec<usize>| {
            let mut names: Vec<String> = circle.into_iter().map(|at| self.names[at].clone()).collect();
            names.sort();
            names
        };
        let mut circles: Vec<_> =
            search.found.into_iter().filter(|circle| circle.len() > 1).map(named).collect();
        circles.sort();
        circles
    }

    /// As deep as the longest way of imports.
    fn visit(&self, node: usize, search: &mut Search) {
        search.index[node] = Some(search.count);
        search.low[node] = search.count;
        search.count += 1;
        search.stack.push(node);
        for next in &self.edges[node] {
            match search.index[*next] {
                None => {
                    self.visit(*next, search);
                    search.low[node] = search.low[node].min(search.low[*next]);
                }
                Some(index) if search.stack.contains(next) => {
                    search.low[node] = search.low[node].min(index);
                }
                Some(_) => {}
            }
        }
        if Some(search.low[node]) == search.index[node] {
            let at = search.stack.iter().position(|one| *one == node).unwrap_or(0);
            let circle = search.stack.split_off(at);
            search.found.push(circle);
        }
    }
}
