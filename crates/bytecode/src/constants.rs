//! Which constants can stand in a place of the stack.
//!
//! Blocks are run on symbols, one at a time; where a word comes from before the block, it is looked
//! for behind each edge into it. A word below those that a call touches is looked for where the call
//! was made. Contract: constants that are found can be there along some way of the graph;
//! [`Constants::complete`] is true when nothing else can. Operations are folded within a block only.
//! Cost: each place of each block is looked at once for a question, at most [`MAX_STEPS`] of them, and
//! all questions together look at so many edges as [`EDGES_A_BLOCK`] allows: then nothing is known.

use crate::analysis::Analysis;
use crate::blocks::BlockId;
use crate::cfg::EdgeKind;
use crate::optable::OpKind;
use cairn_evm::Word;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Places that are looked at for one question.
const MAX_STEPS: usize = 512;
/// Edges that all questions together look at: some, and so many for each block.
const EDGES_A_BLOCK: (usize, usize) = (50_000, 500);
/// Constants of one answer.
const MAX_CONSTANTS: usize = 64;

/// A word in terms of the stack at the entry of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Unknown,
    /// Index of the searcher's words.
    Const(u32),
    /// So many places below the top at the entry.
    Entry(u32),
}

/// What can stand in a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Constants {
    /// Sorted, each once.
    pub(crate) words: SmallVec<[Word; 1]>,
    /// True when nothing else can.
    pub(crate) complete: bool,
}

/// Looks for constants.
pub(crate) struct Searcher<'a> {
    analysis: &'a Analysis<'a>,
    words: Vec<Word>,
    /// Stacks at the exits of blocks, top last, as far as they were computed.
    exits: Vec<Option<Vec<Symbol>>>,
    /// Edges into blocks, by block: where they begin, and how they get there.
    entries: Vec<(BlockId, EdgeKind)>,
    /// The first of [`Searcher::entries`] of each block, and their number.
    first_entry: Vec<u32>,
    /// Calls by the block that they return to: the calling block, and what the callee is.
    calls: Vec<(BlockId, BlockId, Option<Shape>)>,
    /// Edges that may still be looked at.
    left: usize,
}

/// Words that a function takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    params: u32,
    rets: u32,
}

impl<'a> Searcher<'a> {
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Searcher<'a> {
        let (first_entry, entries) = entries_of(analysis);
        let shape_of = |entry: BlockId| {
            let place = analysis.functions.binary_search_by_key(&entry, |function| function.entry).ok()?;
            let function = &analysis.functions[place];
            Some(Shape { params: function.params, rets: function.rets? })
        };
        let calls = analysis.outcome.edges.iter();
        let mut calls: Vec<_> =
            calls.filter_map(|edge| Some((edge.return_to?, edge.from, shape_of(edge.to)))).collect();
        calls.sort_unstable();
        let left = EDGES_A_BLOCK.0 + EDGES_A_BLOCK.1 * analysis.blocks.len();
        let exits = vec![None; analysis.blocks.len()];
        Searcher { analysis, words: Vec::new(), exits, entries, first_entry, calls, left }
    }

    /// Runs a block; `look` sees each instruction's offset, opcode and the stack before it.
    pub(crate) fn run(
        &mut self,
        block: BlockId,
        mut look: impl FnMut(u32, cairn_evm::Opcode, &[Symbol]),
    ) -> Vec<Symbol> {
        let analysis = self.analysis;
        let data = analysis.blocks.get(block);
        let mut stack: Vec<Symbol> = (0..data.needs).rev().map(Symbol::Entry).collect();
        for inst in analysis.instructions(data) {
            let facts = analysis.facts(inst.opcode);
            look(inst.pc, inst.opcode, &stack);
            let height = stack.len();
            let inputs = usize::from(facts.inputs);
            match facts.kind {
                OpKind::Push => {
                    let word = analysis.pushed_word(&inst);
                    stack.push(word.map_or(Symbol::Unknown, |word| self.constant(word)));
                }
                OpKind::Dup => stack.push(stack[height - inputs]),
                OpKind::Swap => stack.swap(height - 1, height - inputs),
                OpKind::And | OpKind::Arithmetic => {
                    let args = stack.split_off(height - inputs);
                    let folded = self.fold(inst.opcode, &args);
                    stack.push(folded);
                }
                OpKind::Plain
                | OpKind::Pc
                | OpKind::CodeSize
                | OpKind::JumpDest
                | OpKind::Jump
                | OpKind::JumpI
                | OpKind::Halt
                | OpKind::Undefined => {
                    stack.truncate(height - inputs);
                    stack.resize(height - inputs + usize::from(facts.outputs), Symbol::Unknown);
                }
            }
        }
        stack
    }

    fn constant(&mut self, word: Word) -> Symbol {
        self.words.push(word);
        Symbol::Const(self.words.len() as u32 - 1)
    }

    fn fold(&mut self, op: cairn_evm::Opcode, args: &[Symbol]) -> Symbol {
        let known = |symbol: &Symbol| match symbol {
            Symbol::Const(index) => Some(self.words[*index as usize]),
            Symbol::Unknown | Symbol::Entry(_) => None,
        };
        let words: Option<SmallVec<[Word; 3]>> = args.iter().rev().map(known).collect();
        let result = words.and_then(|words| cairn_evm::word::eval(op, &words));
        result.map_or(Symbol::Unknown, |word| self.constant(word))
    }

    /// What can stand where a symbol of a block does.
    pub(crate) fn constants(&mut self, block: BlockId, symbol: Symbol) -> Constants {
        let mut found = Constants { words: SmallVec::new(), complete: true };
        let mut seen = FxHashSet::default();
        let mut work: SmallVec<[(BlockId, u32); 8]> = SmallVec::new();
        self.look_at(block, symbol, &mut found, &mut work);
        while let Some(place) = work.pop() {
            if !seen.insert(place) {
                continue;
            }
            if self.left == 0 || seen.len() > MAX_STEPS || found.words.len() > MAX_CONSTANTS {
                found.complete = false;
                break;
            }
            self.look_before(place, &mut found, &mut work);
        }
        found.words.sort_unstable();
        found.words.dedup();
        found
    }

    fn look_at(
        &self,
        block: BlockId,
        symbol: Symbol,
        found: &mut Constants,
        work: &mut SmallVec<[(BlockId, u32); 8]>,
    ) {
        match symbol {
            Symbol::Const(index) => found.words.push(self.words[index as usize]),
            Symbol::Entry(depth) => work.push((block, depth)),
            Symbol::Unknown => found.complete = false,
        }
    }

    /// Follows the edges into a block for the word at a depth of its entry stack.
    fn look_before(
        &mut self,
        (block, depth): (BlockId, u32),
        found: &mut Constants,
        work: &mut SmallVec<[(BlockId, u32); 8]>,
    ) {
        let first = self.first_entry[block as usize] as usize;
        let after = self.first_entry[block as usize + 1] as usize;
        self.left = self.left.saturating_sub(1 + after - first);
        let mut returns = false;
        for index in first..after {
            let (from, kind) = self.entries[index];
            if kind == EdgeKind::Return {
                returns = true;
                continue;
            }
            let symbol = self.at_exit(from, depth);
            self.look_at(from, symbol, found, work);
        }
        // What nothing leads to is the beginning, or entered in a way that is not known.
        found.complete &= first < after;
        if returns {
            self.look_before_calls((block, depth), found, work);
        }
    }

    fn look_before_calls(
        &mut self,
        (block, depth): (BlockId, u32),
        found: &mut Constants,
        work: &mut SmallVec<[(BlockId, u32); 8]>,
    ) {
        let first = self.calls.partition_point(|call| call.0 < block);
        let after = self.calls.partition_point(|call| call.0 <= block);
        found.complete &= first < after;
        self.left = self.left.saturating_sub(after - first);
        for index in first..after {
            let (_, from, shape) = self.calls[index];
            match shape {
                Some(Shape { params, rets }) if depth >= rets => {
                    let symbol = self.at_exit(from, depth - rets + params + 1);
                    self.look_at(from, symbol, found, work);
                }
                _ => found.complete = false,
            }
        }
    }

    /// The word at a depth of the stack with which a block is left.
    fn at_exit(&mut self, block: BlockId, depth: u32) -> Symbol {
        let stack = match self.exits[block as usize].take() {
            Some(stack) => stack,
            None => self.run(block, |_, _, _| {}),
        };
        let symbol = match stack.len().checked_sub(1 + depth as usize) {
            Some(place) => stack[place],
            None => Symbol::Entry(self.analysis.blocks.get(block).needs + depth - stack.len() as u32),
        };
        self.exits[block as usize] = Some(stack);
        symbol
    }
}

/// Edges into blocks, and the first of each block.
fn entries_of(analysis: &Analysis<'_>) -> (Vec<u32>, Vec<(BlockId, EdgeKind)>) {
    let edges = analysis.cfg.edges();
    let mut first = vec![0u32; analysis.blocks.len() + 1];
    edges.iter().for_each(|edge| first[edge.to as usize + 1] += 1);
    for block in 0..analysis.blocks.len() {
        first[block + 1] += first[block];
    }
    let mut next = first.clone();
    let mut entries = vec![(0, EdgeKind::Jump); edges.len()];
    for edge in edges {
        let place = &mut next[edge.to as usize];
        entries[*place as usize] = (edge.from, edge.kind);
        *place += 1;
    }
    (first, entries)
}
