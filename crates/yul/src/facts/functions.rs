//! The functions of a program, and the order in which facts about them can be computed.
//!
//! A *group* is a maximal set of functions that can all reach each other by calls. Groups are listed
//! such that callees come first; groups of one function that does not call itself are not recursive.
//! Linear in the size of the program; the search for groups keeps its own stack.

use rustc_hash::FxHashMap;

use super::visit::{Visit, visit_block};
use crate::ast::{Block, Callee, YulName};

/// The functions of a program and their calls. Function 0 is the code outside of functions.
#[derive(Debug)]
pub struct FunctionGraph<'a> {
    /// Names from function 1 on; functions come before those defined in them.
    names: Vec<YulName>,
    /// Code of each function; several blocks when several functions have one name.
    bodies: Vec<Vec<&'a Block>>,
    callees: Vec<Vec<usize>>,
    index: FxHashMap<YulName, usize>,
}

/// A maximal set of functions that can reach each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The functions.
    pub functions: Vec<usize>,
    /// True when they can call themselves.
    pub is_recursive: bool,
}

impl<'a> FunctionGraph<'a> {
    /// The functions in `code`, nested ones included.
    pub fn new(code: &'a Block) -> Self {
        FunctionGraph::with(code, &mut |_, _| {})
    }

    /// The same; `also` gets everything that is in a function, with the function.
    pub fn with(code: &'a Block, also: &mut impl FnMut(usize, Visit<'a>)) -> Self {
        let mut graph = FunctionGraph {
            names: Vec::new(),
            bodies: vec![vec![code]],
            callees: Vec::new(),
            index: FxHashMap::default(),
        };
        let mut called = vec![Vec::new()];
        let mut pending = vec![(0, code)];
        while let Some((function, body)) = pending.pop() {
            let mut nested = Vec::new();
            visit_block(body, &mut |visited| {
                match visited {
                    Visit::Function(definition) => nested.push(definition),
                    Visit::Call(call) => {
                        if let Callee::User(name) = call.callee {
                            called[function].push(name);
                        }
                    }
                    Visit::Loop(_) => {}
                }
                also(function, visited);
            });
            for definition in nested {
                let found = graph.function_of(definition.name.name);
                called.resize_with(graph.bodies.len(), Vec::new);
                graph.bodies[found].push(&definition.body);
                pending.push((found, &definition.body));
            }
        }
        graph.callees = called.iter().map(|names| graph.known_callees(names)).collect();
        graph
    }

    fn function_of(&mut self, name: YulName) -> usize {
        let next = self.bodies.len();
        let found = *self.index.entry(name).or_insert(next);
        if found == next {
            self.names.push(name);
            self.bodies.push(Vec::new());
        }
        found
    }

    fn known_callees(&self, names: &[YulName]) -> Vec<usize> {
        let mut callees: Vec<usize> = names.iter().filter_map(|name| self.get(*name)).collect();
        callees.sort_unstable();
        callees.dedup();
        callees
    }

    /// The function with this name.
    pub fn get(&self, name: YulName) -> Option<usize> {
        self.index.get(&name).copied()
    }

    /// Number of functions, the code outside of functions included.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Never true: the code outside of functions is always there.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The code of a function.
    pub fn bodies(&self, function: usize) -> &[&'a Block] {
        &self.bodies[function]
    }

    /// The name of a function; `None` for the code outside of functions.
    pub fn name(&self, function: usize) -> Option<YulName> {
        function.checked_sub(1).map(|index| self.names[index])
    }

    /// The functions that a function calls, each once.
    pub fn callees(&self, function: usize) -> &[usize] {
        &self.callees[function]
    }

    /// The functions that call each function, each once.
    pub fn callers(&self) -> Vec<Vec<usize>> {
        let mut callers = vec![Vec::new(); self.len()];
        for (caller, callees) in self.callees.iter().enumerate() {
            callees.iter().for_each(|callee| callers[*callee].push(caller));
        }
        callers
    }

    /// Puts facts, listed by function, together with the names.
    pub fn facts<T>(self, facts: Vec<T>) -> PerFunction<T> {
        PerFunction { names: self.names, facts, index: self.index }
    }

    /// All groups, callees first (Tarjan's algorithm).
    pub fn groups(&self) -> Vec<Group> {
        let mut search = Search {
            graph: self,
            order: vec![0; self.len()],
            low: vec![0; self.len()],
            is_open: vec![false; self.len()],
            open: Vec::new(),
            n_seen: 0,
            groups: Vec::new(),
        };
        for function in 0..self.len() {
            if search.order[function] == 0 {
                search.run(function);
            }
        }
        search.groups
    }
}

/// The functions that can call themselves, directly or through others.
pub fn recursive_functions(code: &Block) -> Vec<YulName> {
    let graph = FunctionGraph::new(code);
    let groups = graph.groups().into_iter().filter(|group| group.is_recursive);
    groups.flat_map(|group| group.functions).filter_map(|function| graph.name(function)).collect()
}

struct Search<'g, 'a> {
    graph: &'g FunctionGraph<'a>,
    /// When each function was seen, from 1; zero for not yet.
    order: Vec<usize>,
    /// The earliest open function that each can reach.
    low: Vec<usize>,
    is_open: Vec<bool>,
    open: Vec<usize>,
    n_seen: usize,
    groups: Vec<Group>,
}

impl Search<'_, '_> {
    fn run(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((function, next)) = path.last_mut() {
            let function = *function;
            let callee = self.graph.callees[function].get(*next).copied();
            *next += 1;
            match callee {
                Some(callee) if self.order[callee] == 0 => {
                    self.enter(callee);
                    path.push((callee, 0));
                }
                Some(callee) => {
                    if self.is_open[callee] {
                        self.low[function] = self.low[function].min(self.order[callee]);
                    }
                }
                None => {
                    path.pop();
                    self.leave(function);
                    if let Some((caller, _)) = path.last() {
                        self.low[*caller] = self.low[*caller].min(self.low[function]);
                    }
                }
            }
        }
    }

    fn enter(&mut self, function: usize) {
        self.n_seen += 1;
        self.order[function] = self.n_seen;
        self.low[function] = self.n_seen;
        self.is_open[function] = true;
        self.open.push(function);
    }

    fn leave(&mut self, function: usize) {
        if self.low[function] != self.order[function] {
            return;
        }
        let start = self.open.iter().rposition(|open| *open == function);
        let functions = self.open.split_off(start.expect("invariant: a function is open until its group is"));
        functions.iter().for_each(|member| self.is_open[*member] = false);
        let is_recursive = functions.len() > 1 || self.graph.callees[function].contains(&function);
        self.groups.push(Group { functions, is_recursive });
    }
}

/// Facts about each function of a program.
#[derive(Clone, Debug)]
pub struct PerFunction<T> {
    names: Vec<YulName>,
    facts: Vec<T>,
    index: FxHashMap<YulName, usize>,
}

impl<T> PerFunction<T> {
    /// The fact about the code outside of functions.
    pub fn main(&self) -> &T {
        &self.facts[0]
    }

    /// The fact about a function.
    pub fn get(&self, name: YulName) -> Option<&T> {
        self.index.get(&name).map(|function| &self.facts[*function])
    }

    /// Every function with its fact; functions come before those defined in them.
    pub fn iter(&self) -> impl Iterator<Item = (YulName, &T)> {
        self.names.iter().copied().zip(&self.facts[1..])
    }
}

#[cfg(test)]
mod tests {
    use cairn_diag::FileId;

    use super::*;
    use crate::{Dialect, parse};

    fn groups(text: &str) -> Vec<String> {
        let parsed = parse(text, FileId(0), &Dialect::default());
        let object = parsed.object.expect("a tree");
        let graph = FunctionGraph::new(&object.code);
        let name = |function: &usize| match function {
            0 => "main",
            _ => parsed.names.text(graph.names[function - 1]),
        };
        let describe = |group: Group| {
            let names: Vec<&str> = group.functions.iter().map(name).collect();
            format!("{}{}", names.join(" "), if group.is_recursive { " *" } else { "" })
        };
        graph.groups().into_iter().map(describe).collect()
    }

    #[test]
    fn callees_come_first() {
        assert_eq!(
            groups("{ function a() { b() } function b() { c() function c() {} } a() }"),
            ["c", "b", "a", "main"]
        );
    }

    #[test]
    fn recursive_functions_are_one_group() {
        let text = "{ function a() { b() a() } function b() { c() } function c() { b() } }";
        assert_eq!(groups(text), ["main", "b c *", "a *"]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 100_000;
        let text: String = (0..n).map(|i| format!("function f{i}() {{ f{}() }}", i + 1)).collect();
        let found = groups(&format!("{{ {text} function f{n}() {{}} f0() }}"));
        assert_eq!((found.len(), found[0].as_str()), (n + 2, "f100000"));
    }
}
