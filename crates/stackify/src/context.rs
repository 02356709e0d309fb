//! What the schedulers need to know about the whole module: which functions are reached, which
//! calls can come back to their caller's function, which functions return at all.

use crate::options::Options;
use cairn_analysis::CallGraph;
use cairn_ir::{Block, Func, Function, Inst, Module, SecondaryMap};
use cranelift_entity::EntitySet;

pub(crate) use cairn_analysis::callgraph::callee as callee_of;

/// A module with its call graph.
#[derive(Debug)]
pub struct ModuleCx<'a> {
    /// The module.
    pub module: &'a Module,
    /// The options.
    pub options: &'a Options,
    /// The call graph, of all functions.
    pub calls: CallGraph,
    /// Functions that the entry function reaches: entry first, then callers before callees except
    /// inside cycles; the functions of a cycle stand together.
    pub funcs: Vec<Func>,
    component: SecondaryMap<Func, u32>,
}

impl<'a> ModuleCx<'a> {
    /// The context of a module.
    pub fn new(module: &'a Module, options: &'a Options) -> Self {
        let calls = CallGraph::compute(module);
        let mut reached: EntitySet<Func> = EntitySet::new();
        reached.extend(module.entry.iter().flat_map(|entry| calls.reachable_from(*entry)));
        let funcs = calls
            .components()
            .iter()
            .rev()
            .flatten()
            .copied()
            .filter(|func| reached.contains(*func))
            .collect();
        let mut component = SecondaryMap::new();
        for (members, number) in calls.components().iter().zip(0..) {
            members.iter().for_each(|func| component[*func] = number);
        }
        ModuleCx { module, options, calls, funcs, component }
    }

    /// True when somebody wants to know where values live.
    pub(crate) fn wants_homes(&self) -> bool {
        self.options.explain || !self.module.debug.vars.is_empty()
    }

    /// The functions that a function calls, each once, by id.
    pub fn callees(&self, func: Func) -> &[Func] {
        self.calls.callees(func)
    }

    /// True when a call from `caller` to `callee` can lead to another activation of `caller`
    /// before it comes back.
    pub(crate) fn is_reentrant(&self, caller: Func, callee: Func) -> bool {
        self.calls.in_same_cycle(caller, callee) && self.calls.is_recursive(caller)
    }

    /// The cycle of the call graph that a function belongs to, or the function alone.
    pub fn component(&self, func: Func) -> u32 {
        self.component[func]
    }

    /// True when the function can come back to its caller.
    pub fn returns(&self, func: Func) -> bool {
        self.calls.ends(func).can_return()
    }

    /// The first call in a block that never comes back, if there is one: nothing after it is
    /// executed.
    pub(crate) fn last_executed(&self, func: &Function, block: Block) -> Option<Inst> {
        func.layout
            .insts(block)
            .find(|inst| callee_of(func, *inst).is_some_and(|callee| !self.returns(callee)))
    }
}
