//! Looks through the functions of a module, callees first.

use super::allocation;
use super::buffers::Buffers;
use super::callee::{Callee, Callees, Use};
use crate::ranges::Shapes;
use crate::word_access::WordAccess;
use cairn_analysis::{CallGraph, Cfg};
use cairn_ir::{Func, Function};

/// One function, and what is known of it and around it.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) func: &'a Function,
    pub(super) id: Func,
    pub(super) cfg: &'a Cfg,
    pub(super) callees: &'a Callees,
    pub(super) buffers: &'a Buffers,
    pub(super) access: &'a WordAccess<'a>,
}

/// Gives each function, with what was found of its buffers, to `found`.
pub(super) fn for_each_function(
    access: &WordAccess<'_>,
    graph: &CallGraph,
    shapes: &Shapes,
    mut found: impl FnMut(Scene<'_>),
) {
    let mut callees = Callees::default();
    for id in graph.bottom_up().filter(|id| access.ranges.is_called(*id)) {
        let (func, cfg) = (&access.module.funcs[id], shapes.cfg(id));
        let buffers = Buffers::compute(func, cfg, &callees);
        found(Scene { func, id, cfg, callees: &callees, buffers: &buffers, access });
        if !graph.is_recursive(id) {
            let callee = summarize(&callees, access, shapes, id, &buffers);
            callees.learn(id, callee);
        }
    }
}

fn summarize(
    callees: &Callees,
    access: &WordAccess<'_>,
    shapes: &Shapes,
    id: Func,
    buffers: &Buffers,
) -> Callee {
    let func = &access.module.funcs[id];
    let params = buffers.params().iter().map(|fate| match (fate.escapes, fate.is_summed) {
        (true, _) => Use::Kept,
        (false, false) => Use::Lent,
        (false, true) => Use::Summed,
    });
    let (mut reads_word, mut writes_word) = (false, false);
    for block in shapes.cfg(id).rpo() {
        for inst in func.layout.insts(*block) {
            reads_word |= callees.reads(access, id, *block, inst);
            writes_word |= callees.writes(access, id, *block, inst);
        }
    }
    let moves_behind = allocation::moved_parameter(func, buffers, callees).filter(|_| !reads_word);
    let (params, results) = (params.collect(), buffers.results());
    let moves_pointer = buffers.params().iter().map(|fate| fate.moves_pointer).collect();
    let only_allocates = allocation::only_allocates(func, buffers, callees);
    Callee { params, moves_pointer, results, reads_word, writes_word, moves_behind, only_allocates }
}
