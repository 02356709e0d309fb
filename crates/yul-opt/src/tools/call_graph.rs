//! Who calls whom, by name.

use cairn_yul::{Block, Callee, Expression, FunctionDefinition, YulName};
use rustc_hash::{FxHashMap, FxHashSet};

use super::walk::{Visitor, walk_expression};

/// The calls of each function; `None` stands for the code outside of functions.
#[derive(Debug, Default)]
pub(crate) struct CallGraph {
    callees: FxHashMap<Option<YulName>, Vec<YulName>>,
    functions: Vec<YulName>,
    current: Option<YulName>,
}

impl CallGraph {
    pub(crate) fn new(code: &Block) -> Self {
        let mut graph = CallGraph::default();
        graph.callees.insert(None, Vec::new());
        graph.block(code);
        graph
    }

    /// What a function calls, as often as it does.
    pub(crate) fn callees(&self, function: Option<YulName>) -> &[YulName] {
        self.callees.get(&function).map_or(&[], Vec::as_slice)
    }

    /// Functions that can be reached from `start`.
    pub(crate) fn reachable(&self, start: Option<YulName>) -> FxHashSet<YulName> {
        let mut seen = FxHashSet::default();
        let mut pending: Vec<YulName> = self.callees(start).to_vec();
        while let Some(function) = pending.pop() {
            if seen.insert(function) {
                pending.extend_from_slice(self.callees(Some(function)));
            }
        }
        seen
    }

    /// Functions that can call themselves, directly or through others.
    pub(crate) fn recursive(code: &Block) -> FxHashSet<YulName> {
        cairn_yul::facts::recursive_functions(code).into_iter().collect()
    }
}

impl Visitor for CallGraph {
    fn expression(&mut self, expression: &Expression) {
        if let Expression::Call(call) = expression
            && let Callee::User(name) = call.callee
        {
            self.callees.entry(self.current).or_default().push(name);
        }
        walk_expression(self, expression);
    }

    fn function(&mut self, function: &FunctionDefinition) {
        let outer = self.current.replace(function.name.name);
        self.functions.push(function.name.name);
        self.callees.entry(self.current).or_default();
        self.block(&function.body);
        self.current = outer;
    }
}
