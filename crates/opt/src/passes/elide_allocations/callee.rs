//! What functions do with pointers that they are passed, and with the pointer to free memory.

use super::parts::Parts;
use crate::word_access::WordAccess;
use cairn_analysis::callgraph;
use cairn_ir::{Block, Func, Function, Inst, SecondaryMap};

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
    pub(super) params: Vec<Use>,
    /// Which parameters it stores as the pointer to free memory, with something added.
    pub(super) moves_pointer: Vec<bool>,
    /// The parameters that the results are sums of.
    pub(super) results: Vec<Parts>,
    /// It may read the word of the pointer.
    pub(super) reads_word: bool,
    /// It may write it.
    pub(super) writes_word: bool,
    /// The parameter behind which it moves the pointer, if it does nothing else: see `allocation`.
    pub(super) moves_behind: Option<usize>,
    /// It allocates what it gives back, fills that, and does nothing else: see `allocation`.
    pub(super) only_allocates: bool,
}

/// Anything may be.
impl Default for Callee {
    fn default() -> Self {
        Callee {
            params: Vec::new(),
            moves_pointer: Vec::new(),
            results: Vec::new(),
            reads_word: true,
            writes_word: true,
            moves_behind: None,
            only_allocates: false,
        }
    }
}

impl Callee {
    pub(super) fn param(&self, index: usize) -> Use {
        self.params.get(index).copied().unwrap_or(Use::Kept)
    }

    pub(super) fn moves_pointer(&self, index: usize) -> bool {
        self.moves_pointer.get(index).copied().unwrap_or_default()
    }

    /// Origins are parameters of the callee.
    pub(super) fn result(&self, index: usize) -> Parts {
        self.results.get(index).copied().unwrap_or_default()
    }
}

/// What is known of the functions of a module. Of recursive ones, nothing.
#[derive(Default)]
pub(super) struct Callees {
    known: SecondaryMap<Func, Callee>,
}

impl Callees {
    pub(super) fn of(&self, id: Func) -> &Callee {
        &self.known[id]
    }

    /// The operand behind which an instruction moves the pointer, if it calls a function that does that.
    pub(super) fn moved_behind(&self, func: &Function, inst: Inst) -> Option<usize> {
        callgraph::callee(func, inst).and_then(|callee| self.of(callee).moves_behind)
    }

    /// Whether an instruction, or what it calls, may read the word of the pointer.
    pub(super) fn reads(&self, access: &WordAccess<'_>, id: Func, block: Block, inst: Inst) -> bool {
        match callgraph::callee(&access.module.funcs[id], inst) {
            Some(callee) => self.of(callee).reads_word,
            None => access.reads(id, block, inst),
        }
    }

    /// Whether an instruction, or what it calls, may write it.
    pub(super) fn writes(&self, access: &WordAccess<'_>, id: Func, block: Block, inst: Inst) -> bool {
        match callgraph::callee(&access.module.funcs[id], inst) {
            Some(callee) => self.of(callee).writes_word,
            None => access.written(id, block, inst).is_some(),
        }
    }

    pub(super) fn learn(&mut self, id: Func, callee: Callee) {
        self.known[id] = callee;
    }
}
