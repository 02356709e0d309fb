//! Where a word of the stack comes from, behind the edges into its block.
//!
//! A word below those that a call touches is looked for where the call was made, one that a call gives
//! back where its callee ends, and from the callee's beginning on at that call again. Contract: what is
//! found can be there along some way of the graph; [`Origins::complete`] is true when nothing else can.
//! Cost: at most [`MAX_STEPS`] places for a question, and so many edges for all of them as
//! [`EDGES_A_BLOCK`] allows: then nothing more is known.

use super::chains::{ChainId, Chains, EMPTY};
use super::summary::{SCRATCH, Summaries};
use super::symbol::{Link, Root, Symbol};
use crate::absint::CallSite;
use crate::analysis::Analysis;
use crate::blocks::BlockId;
use crate::cfg::EdgeKind;
use crate::seen::Seen;
use cairn_evm::Word;
use smallvec::SmallVec;

/// Places that are looked at for one question.
const MAX_STEPS: usize = 128;
/// Edges that all questions together look at: some, and so many for each block.
const EDGES_A_BLOCK: (usize, usize) = (50_000, 500);
/// Different answers to one question.
const MAX_ORIGINS: usize = 64;
/// Where constants begin that are taken for addresses to return to if they are such.
const MIN_ADDRESS: u32 = 0x100;
/// Rows of calls that there is room for at first.
const ROWS_OF_CALLS: usize = 28;
/// Calls that are remembered to return to.
const MAX_CALLS: u8 = 6;

/// What a word can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origins {
    /// Constants and loads, with what is made of them.
    pub(crate) symbols: SmallVec<[Symbol; 2]>,
    /// True when nothing else can.
    pub(crate) complete: bool,
}

/// A place of a word at the entry of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Stack(u32),
    Memory(u32),
}

/// Number of a row of calls that a search came through backwards.
type WayId = ChainId;

/// A place, what is made of the word, and the calls that it has to be looked for behind.
type Task = (BlockId, Place, ChainId, WayId);

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    return_to: BlockId,
    from: BlockId,
    callee: BlockId,
    shape: Option<Shape>,
}

/// Words that a function takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    params: u32,
    rets: u32,
}

impl Shape {
    /// The shape of the function that begins with a block.
    fn of(analysis: &Analysis<'_>, entry: BlockId) -> Option<Shape> {
        let place = analysis.functions.binary_search_by_key(&entry, |function| function.entry).ok()?;
        let function = &analysis.functions[place];
        Some(Shape { params: function.params, rets: function.rets? })
    }
}

/// Looks for origins.
pub(crate) struct Searcher<'a> {
    pub(crate) summaries: Summaries<'a>,
    /// Edges into blocks, by block: where they begin, and how they get there.
    entries: Vec<(BlockId, EdgeKind)>,
    /// The first of [`Searcher::entries`] of each block, and their number.
    first_entry: Vec<u32>,
    /// By the block that they return to.
    calls: Vec<Call>,
    /// Rows of calls, each by its block.
    ways: Chains<BlockId>,
    seen: Seen<Task>,
    /// Places that the question at hand has to look at yet.
    work: Vec<Task>,
    /// Edges that may still be looked at.
    left: usize,
}

impl<'a> Searcher<'a> {
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Searcher<'a> {
        let (first_entry, entries) = entries_of(analysis);
        let call = |site: &CallSite| {
            let CallSite { from, callee, return_to } = *site;
            Call { return_to, from, callee, shape: Shape::of(analysis, callee) }
        };
        let mut calls: Vec<Call> = analysis.outcome.call_sites.iter().map(call).collect();
        calls.sort_unstable();
        Searcher {
            summaries: Summaries::new(analysis),
            entries,
            first_entry,
            calls,
            ways: Chains::new(MAX_CALLS, ROWS_OF_CALLS),
            seen: Seen::new(),
            work: Vec::new(),
            left: EDGES_A_BLOCK.0 + EDGES_A_BLOCK.1 * analysis.blocks.len(),
        }
    }

    /// What a symbol of a block can be.
    pub(crate) fn origins(&mut self, block: BlockId, symbol: Symbol) -> Origins {
        self.origins_within(block, symbol, MAX_STEPS)
    }

    /// The same, looking at so many places at most.
    pub(crate) fn origins_within(&mut self, block: BlockId, symbol: Symbol, steps: usize) -> Origins {
        let mut found = Origins { symbols: SmallVec::new(), complete: true };
        let mut work = std::mem::take(&mut self.work);
        work.clear();
        self.look_at(block, symbol, EMPTY, &mut found, &mut work);
        if !work.is_empty() {
            self.search(&mut work, steps, &mut found);
        }
        self.work = work;
        found
    }

    fn search(&mut self, work: &mut Vec<Task>, steps: usize, found: &mut Origins) {
        self.seen.clear();
        while let Some(task) = work.pop() {
            if !self.seen.insert(task) {
                continue;
            }
            if self.left == 0 || self.seen.len() > steps || found.symbols.len() > MAX_ORIGINS {
                found.complete = false;
                break;
            }
            self.look_before(task, found, work);
        }
        let before = found.symbols.len();
        found.symbols.retain(|symbol| !self.is_address(*symbol));
        found.complete &= found.symbols.len() == before;
        found.symbols.sort_unstable();
        found.symbols.dedup();
    }

    /// True for a constant that looks like an address to return to: what was found is not the word
    /// that was looked for.
    fn is_address(&self, symbol: Symbol) -> bool {
        let word = self.summaries.symbols.word(Symbol::of(symbol.root()));
        let word = word.and_then(|word| u32::try_from(word).ok());
        word.is_some_and(|pc| pc >= MIN_ADDRESS && self.summaries.analysis.blocks.is_jump_target(pc))
    }

    /// What a slot can be: the same, and where two words are added, the one that is a place.
    pub(crate) fn places(&mut self, block: BlockId, symbol: Symbol) -> Origins {
        let Root::Sum(index) = symbol.root() else {
            let found = self.origins(block, symbol);
            let is_nothing_known = found.symbols.is_empty() && !self.summaries.has_free_pointer;
            return match self.summaries.symbols.last(symbol.chain) {
                // The slot of an array of fixed length, and an index. Where compilers hand on places in storage it
                // could be one of these, and a member.
                Some((Link::Add(slot), EMPTY)) if is_nothing_known => {
                    let item = self.summaries.symbols.array_at(slot);
                    Origins { symbols: SmallVec::from_slice(&[item]), complete: false }
                }
                _ => found,
            };
        };
        let sides = self.summaries.symbols.sums[index as usize];
        let mut sides = sides.map(|depth| self.origins(block, Symbol::of(Root::Entry(depth))));
        let is_constant = |symbol: &Symbol| matches!(symbol.root(), Root::Const(_));
        let is_place = |symbol: &Symbol| is_constant(symbol) && self.summaries.symbols.is_place(*symbol);
        let of_place = sides.iter().position(|side| side.symbols.iter().any(is_place));
        // A slot is a constant; the index is none, or a loaded word as well.
        let is_slot = |side: &Origins| {
            side.complete && !side.symbols.is_empty() && side.symbols.iter().all(is_constant)
        };
        let of_slot = || match [is_slot(&sides[0]), is_slot(&sides[1])] {
            [true, false] => Some(0),
            [false, true] => Some(1),
            _ => None,
        };
        let Some(side) = of_place.or_else(of_slot) else { return Origins::default() };
        let mut found = std::mem::take(&mut sides[side]);
        for place in &mut found.symbols {
            let indexed = self.summaries.symbols.push(*place, Link::Index);
            *place = self.summaries.symbols.append(indexed, symbol.chain);
        }
        found
    }

    /// Finds out where a block hashes what, as far as words at its entry say that.
    pub(crate) fn settle_places(&mut self, block: BlockId) {
        for depth in self.summaries.unknown_places(block) {
            let origins = self.origins(block, Symbol::of(Root::Entry(depth)));
            let mut words = origins.symbols.iter().map(|symbol| self.summaries.symbols.word(*symbol));
            if let Some(Some(word)) = words.next()
                && origins.complete
                && words.all(|other| other == Some(word))
            {
                self.summaries.set_constant(block, depth, word);
            }
        }
    }

    #[inline]
    fn look_at(&self, block: BlockId, symbol: Symbol, way: WayId, found: &mut Origins, work: &mut Vec<Task>) {
        match symbol.root() {
            Root::Const(_) | Root::Load(_) => found.symbols.push(symbol),
            Root::Entry(depth) => work.push((block, Place::Stack(depth), symbol.chain, way)),
            Root::Memory(address) if address < SCRATCH => {
                work.push((block, Place::Memory(address), symbol.chain, way));
            }
            Root::Unknown | Root::Memory(_) | Root::Sum(_) => found.complete = false,
        }
    }

    /// Looks at the exit of a block for a word of the entry of one after it.
    fn look_through(
        &mut self,
        from: BlockId,
        task: Task,
        way: WayId,
        found: &mut Origins,
        work: &mut Vec<Task>,
    ) {
        let (_, place, chain, _) = task;
        let symbol = match place {
            Place::Stack(depth) => self.summaries.at_exit(from, depth),
            Place::Memory(address) => self.summaries.memory_at_exit(from, address),
        };
        self.look_at_made(from, symbol, chain, way, found, work);
    }

    /// Looks at what a chain makes of a symbol. Of an address to return to nothing is made: what was found is
    /// not the word that was looked for.
    fn look_at_made(
        &mut self,
        from: BlockId,
        symbol: Symbol,
        chain: ChainId,
        way: WayId,
        found: &mut Origins,
        work: &mut Vec<Task>,
    ) {
        if self.is_address(symbol) {
            found.complete = false;
            return;
        }
        let symbol = self.summaries.symbols.append(symbol, chain);
        self.look_at(from, symbol, way, found, work);
    }

    /// Follows the edges into a block.
    fn look_before(&mut self, task: Task, found: &mut Origins, work: &mut Vec<Task>) {
        let (block, _, _, way) = task;
        let first = self.first_entry[block as usize] as usize;
        let after = self.first_entry[block as usize + 1] as usize;
        self.left = self.left.saturating_sub(1 + after - first);
        if let Some((caller, outer)) = self.ways.last(way)
            && self.entries[first..after].iter().any(|(from, _)| *from == caller)
        {
            return self.look_through(caller, task, outer, found, work);
        }
        let mut returns = false;
        for index in first..after {
            let (from, kind) = self.entries[index];
            if kind == EdgeKind::Return {
                returns = true;
                continue;
            }
            self.look_through(from, task, way, found, work);
        }
        // What nothing leads to is the beginning, or entered in a way that is not known.
        found.complete &= first < after;
        if returns {
            self.look_before_calls(task, first..after, found, work);
        }
    }

    /// True unless the call leaves another address than that of the block in the place of the one to
    /// return to.
    fn returns_to(&mut self, call: Call, params: u32) -> bool {
        let address = self.summaries.at_exit(call.from, params);
        let pc = self.summaries.analysis.blocks.get(call.return_to).start;
        self.summaries.symbols.word(address).is_none_or(|word| word == Word::from(pc))
    }

    fn look_before_calls(
        &mut self,
        task: Task,
        entries: std::ops::Range<usize>,
        found: &mut Origins,
        work: &mut Vec<Task>,
    ) {
        let (block, place, chain, way) = task;
        let first = self.calls.partition_point(|call| call.return_to < block);
        let after = self.calls.partition_point(|call| call.return_to <= block);
        found.complete &= first < after;
        self.left = self.left.saturating_sub(after - first);
        for index in first..after {
            let call @ Call { from, shape, .. } = self.calls[index];
            if shape.is_some_and(|shape| !self.returns_to(call, shape.params)) {
                found.complete = false;
                continue;
            }
            match (place, shape) {
                (Place::Stack(depth), Some(Shape { params, rets })) if depth >= rets => {
                    let symbol = self.summaries.at_exit(from, depth - rets + params + 1);
                    self.look_at_made(from, symbol, chain, way, found, work);
                }
                (Place::Stack(_), None) => found.complete = false,
                (Place::Stack(_), Some(_)) | (Place::Memory(_), _) => {
                    let Some(inner) = self.ways.push(way, from) else {
                        found.complete = false;
                        continue;
                    };
                    for entry in entries.clone() {
                        let (from, kind) = self.entries[entry];
                        if kind == EdgeKind::Return {
                            self.look_through(from, task, inner, found, work);
                        }
                    }
                }
            }
        }
    }

    /// Where a word goes from the exit of a block: the blocks after it, and its depth there.
    pub(crate) fn after(&mut self, block: BlockId, depth: u32) -> Places {
        let analysis = self.summaries.analysis;
        let mut places = Places::new();
        for edge in analysis.cfg.out_edges(block) {
            match edge.kind {
                // Back to one caller of many: that would mix them.
                EdgeKind::Return => {}
                EdgeKind::Call => self.after_call(block, edge.to, depth, &mut places),
                EdgeKind::Fallthrough | EdgeKind::Jump | EdgeKind::True | EdgeKind::False => {
                    places.push((edge.to, depth));
                }
            }
        }
        places
    }

    /// Behind a call that does not touch the word, or at the beginning of its callee.
    fn after_call(&mut self, from: BlockId, callee: BlockId, depth: u32, places: &mut Places) {
        let shape = Shape::of(self.summaries.analysis, callee).filter(|shape| depth > shape.params);
        let behind = shape.and_then(|Shape { params, rets }| {
            let return_to = self.return_of(from, callee, params)?;
            Some((return_to, depth - params - 1 + rets))
        });
        places.push(behind.unwrap_or((callee, depth)));
    }

    /// Where a call comes back to at first: several calls may be prepared at once, each to go on where the one
    /// before it ends. `None` where the block leaves that to its own callers, and those are several: one of them
    /// would get what belongs to another.
    fn return_of(&mut self, from: BlockId, callee: BlockId, params: u32) -> Option<BlockId> {
        let address = self.summaries.at_exit(from, params);
        let analysis = self.summaries.analysis;
        if let Some(pc) = self.summaries.symbols.word(address) {
            return analysis.blocks.jump_target(u32::try_from(pc).ok()?);
        }
        let mut sites = analysis.outcome.calls_of(from).iter().filter(|site| site.callee == callee);
        sites.next().filter(|_| sites.next().is_none()).map(|site| site.return_to)
    }
}

/// Blocks, and the depth of a word at the entry of each.
type Places = SmallVec<[(BlockId, u32); 4]>;

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
