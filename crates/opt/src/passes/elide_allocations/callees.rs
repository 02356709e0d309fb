//! What functions do with pointers that they are passed, and with the pointer to free memory.

use super::allocation::Allocation;
use super::buffers::Buffers;
use super::parts::Parts;
use crate::ranges::Shapes;
use crate::word_access::WordAccess;
use cairn_analysis::{CallGraph, callgraph};
use cairn_ir::{Func, SecondaryMap};

/// What a function does with a word that it is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Anything.
    Kept,
    /// It is an address, and forgotten when the function returns.
    Lent,
    /// It is one, after another such word was added.
    Summed,
}

/// What is known of a function.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    params: Vec<Use>,
    /// The parameters that the results are sums of, by index.
    results: Vec<Parts>,
    /// It may read the word of the pointer.
    pub(super) reads_word: bool,
    /// It may write it.
    pub(super) writes_word: bool,
    /// It does nothing but move the pointer.
    pub(super) allocation: Option<Allocation>,
}

/// Anything may be.
impl Default for Callee {
    fn default() -> Self {
        Callee {
            params: Vec::new(),
            results: Vec::new(),
            reads_word: true,
            writes_word: true,
            allocation: None,
        }
    }
}

impl Callee {
    pub(super) fn param(&self, index: usize) -> Use {
        self.params.get(index).copied().unwrap_or(Use::Kept)
    }

    /// Origins are parameters of the callee.
    pub(super) fn result(&self, index: usize) -> Parts {
        self.results.get(index).copied().unwrap_or_default()
    }
}

/// What is known of the functions of a module. Of recursive ones, nothing.
#[derive(Default)]
pub(super) struct Callees {
    of: SecondaryMap<Func, Callee>,
}

impl Callees {
    /// Looks at callees first. What is found of a function's own buffers is given to `found`.
    pub(super) fn compute(
        access: &WordAccess<'_>,
        graph: &CallGraph,
        shapes: &Shapes,
        mut found: impl FnMut(Func, &Callees, Buffers),
    ) {
        let mut callees = Callees::default();
        for id in graph.bottom_up().filter(|id| access.ranges.is_called(*id)) {
            let buffers = Buffers::compute(&access.module.funcs[id], shapes.cfg(id), &callees);
            if !graph.is_recursive(id) {
                callees.of[id] = callees.summarize(access, shapes, id, &buffers);
            }
            found(id, &callees, buffers);
        }
    }

    pub(super) fn of(&self, id: Func) -> &Callee {
        &self.of[id]
    }

    fn summarize(&self, access: &WordAccess<'_>, shapes: &Shapes, id: Func, buffers: &Buffers) -> Callee {
        let func = &access.module.funcs[id];
        let params = buffers.params().iter().map(|fate| match (fate.escapes, fate.is_summed) {
            (true, _) => Use::Kept,
            (false, false) => Use::Lent,
            (false, true) => Use::Summed,
        });
        let (mut reads_word, mut writes_word) = (false, false);
        for block in shapes.cfg(id).rpo() {
            for inst in func.layout.insts(*block) {
                let callee = callgraph::callee(func, inst).map(|callee| self.of(callee));
                reads_word |=
                    access.reads(id, *block, inst) || callee.is_some_and(|callee| callee.reads_word);
                writes_word |= access.written(id, *block, inst).is_some()
                    || callee.is_some_and(|callee| callee.writes_word);
            }
        }
        let allocation = Allocation::of(func, buffers).filter(|_| !reads_word);
        Callee { params: params.collect(), results: buffers.results(), reads_word, writes_word, allocation }
    }
}
