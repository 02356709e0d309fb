//! Calls that take the place of their function's return.

use super::graph::Graph;
use crate::context::callee_of;
use crate::global::context::Context;
use crate::options::Calls;
use cairn_ir::{Function, Inst, Op};
use cranelift_entity::EntitySet;

/// Calls whose results are returned as they are.
pub(super) fn find_tail_calls(func: &Function, graph: &Graph, cx: &Context<'_>) -> EntitySet<Inst> {
    if cx.module.options.calls == Calls::Traceable {
        return EntitySet::new();
    }
    let own = &cx.conventions[cx.own];
    let mut found = EntitySet::new();
    for block in &graph.order {
        let last = graph.last[*block].filter(|inst| func.dfg.op(*inst) == Op::Iret);
        let Some((iret, call)) = last.and_then(|iret| Some((iret, func.layout.prev_inst(iret)?))) else {
            continue;
        };
        let Some(callee) = callee_of(func, call).map(|callee| &cx.conventions[callee]) else {
            continue;
        };
        let (args, results) = (func.dfg.args(iret), func.dfg.results(call));
        let passed = own.results.iter().map(|index| args[*index as usize]);
        let given = callee.results.iter().map(|index| results[*index as usize]);
        if callee.returns && own.returns && passed.eq(given) {
            found.insert(call);
        }
    }
    found
}
