//! What the interpreter found, by block and by procedure.

use super::engine::{CallSite, Engine, FoundEdge, JumpFacts, STACK_LIMIT};
use super::store::{Entered, MAIN, Origin, ProcId, Stack, Targets};
use super::value::Value;
use crate::blocks::BlockId;
use crate::by_block::{Index, sort_by_block};
use smallvec::SmallVec;

/// A range of stack heights; `None` where nothing is known.
pub(crate) type Heights = Option<(u32, u32)>;

/// An exit through an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcedureExit {
    /// Words that stood above the return address at the entry.
    pub(crate) params: u32,
    /// Words that stand in the place of the return address and those above.
    pub(crate) rets: i32,
    /// Some call leaves an address of the code in the place that is jumped to.
    pub(crate) is_return: bool,
}

/// A procedure that the interpreter made.
#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    pub(crate) entry: BlockId,
    pub(crate) exits: SmallVec<[ProcedureExit; 1]>,
    pub(crate) blocks: Vec<BlockId>,
    /// By place in `blocks`: where the address of the first exit lies when control gets there.
    pub(crate) addresses: Vec<Option<AddressPlace>>,
}

/// Where a procedure's return address lies at the entry of one of its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressPlace {
    /// Words above it.
    pub(crate) above: u32,
    /// Places that it was moved up since the procedure began.
    pub(crate) moved: i32,
}

/// Everything that the rest of the analysis needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// Blocks that control reaches.
    pub(crate) reached: Vec<bool>,
    /// Jump edges, sorted, each once.
    pub(crate) edges: Vec<FoundEdge>,
    /// Where calls return to: one edge may have several such places, in blocks that several calls share. Sorted.
    pub(crate) call_sites: Vec<CallSite>,
    /// Edges back to callers, sorted, each once.
    pub(crate) returns: Vec<(BlockId, BlockId)>,
    /// By block.
    pub(crate) jumps: Vec<JumpFacts>,
    /// Stack heights at the entry, by block.
    pub(crate) heights: Vec<Heights>,
    /// Procedures but for the main one.
    pub(crate) procedures: Vec<Procedure>,
    /// Blocks that can find too few words, sorted.
    pub(crate) underflows: Vec<BlockId>,
    /// Blocks that can exceed the limit of the stack, sorted.
    pub(crate) overflows: Vec<BlockId>,
    /// Blocks that ways within a procedure enter with different heights, sorted.
    pub(crate) disagreeing: Vec<BlockId>,
    /// True when the work was cut short.
    pub(crate) is_coarse: bool,
    /// Something was asked for that depends on whether bytes follow the code.
    pub(crate) asks_for_end: bool,
    /// By block: the jump is open even when control gets there from resolved jumps only. Empty
    /// when there is no open jump, or when it is not known.
    pub(crate) is_source: Vec<bool>,
}

impl Engine<'_> {
    /// True when every jump's targets are known.
    pub(crate) fn is_resolved(&self) -> bool {
        !self.jumps.iter().any(|jump| jump.is_unresolved) && !self.exits.iter().any(|exit| exit.is_unresolved)
    }

    /// True when something depends on whether bytes follow the code.
    pub(crate) fn asks_for_end(&self) -> bool {
        self.asks_for_end || self.summarizer.asks_for_end
    }
}

impl Outcome {
    /// Adds what is known of control that does not come from an open jump.
    pub(crate) fn add_regular(&mut self, regular: Outcome) {
        self.is_source = regular.jumps.iter().map(|jump| jump.is_unresolved).collect();
        self.procedures = regular.procedures;
        let reached = &self.reached;
        let exists = |from: BlockId, to: BlockId| reached[from as usize] && reached[to as usize];
        self.returns.extend(regular.returns.into_iter().filter(|(from, to)| exists(*from, *to)));
        self.edges.extend(regular.edges.into_iter().filter(|edge| exists(edge.from, edge.to)));
        self.call_sites.extend(regular.call_sites.into_iter().filter(|site| exists(site.from, site.callee)));
        self.bring_into_order();
    }

    /// Sorts everything and keeps each edge once.
    fn bring_into_order(&mut self) {
        let count = self.reached.len();
        sort_by_block(&mut self.edges, count, |edge| edge.from, Ord::cmp);
        self.call_sites.extend(self.edges.iter().filter_map(FoundEdge::call_site));
        // They are in the order of the edges, which is theirs for all but a few.
        if !self.call_sites.is_sorted() {
            sort_by_block(&mut self.call_sites, count, |site| site.from, Ord::cmp);
        }
        self.call_sites.dedup();
        // A call edge stands after the plain one with the same ends: keep it.
        self.edges.dedup_by(|later, kept| {
            let is_same = (later.from, later.to) == (kept.from, kept.to);
            if is_same {
                *kept = *later;
            }
            is_same
        });
        sort_by_block(&mut self.returns, count, |edge| edge.0, Ord::cmp);
        self.returns.dedup();
        for list in [&mut self.underflows, &mut self.overflows, &mut self.disagreeing] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// The calls at the end of a block, each with a place that it returns to.
    pub(crate) fn calls_of(&self, block: BlockId) -> &[CallSite] {
        let first = self.call_sites.partition_point(|site| site.from < block);
        let count = self.call_sites[first..].partition_point(|site| site.from == block);
        &self.call_sites[first..first + count]
    }
}

/// More edges are not listed: what jumps to so many places is as good as unknown.
pub(crate) const MAX_EDGES: usize = 1 << 20;

/// Brings the engine's findings into order; `None` when there are more than [`MAX_EDGES`].
pub(crate) fn collect(engine: &Engine<'_>) -> Option<Outcome> {
    let mut outcome = Outcome {
        reached: engine.reached.clone(),
        jumps: engine.jumps.clone(),
        edges: engine.edges.clone(),
        underflows: engine.underflows.clone(),
        overflows: engine.overflows.clone(),
        disagreeing: engine.disagreeing.clone(),
        heights: compute_heights(engine),
        procedures: procedures(engine),
        asks_for_end: engine.asks_for_end(),
        ..Outcome::default()
    };
    outcome.overflows.extend(blocks_past_the_limit(engine, &outcome.heights));
    if outcome.edges.len() > MAX_EDGES || !collect_returns(engine, &mut outcome) {
        return None;
    }
    outcome.bring_into_order();
    Some(outcome)
}

/// Hands the targets of exits down to the jumps that they begin with; false when those are too many.
fn collect_returns(engine: &Engine<'_>, outcome: &mut Outcome) -> bool {
    let mut targets: Vec<Targets> =
        engine.exits.iter().map(|exit| Targets::from_slice(&exit.targets)).collect();
    let mut facts: Vec<JumpFacts> = engine
        .exits
        .iter()
        .map(|exit| JumpFacts { is_unresolved: exit.is_unresolved, is_invalid: exit.is_invalid })
        .collect();
    targets.iter_mut().for_each(|list| list.sort_unstable());
    let mut work: Vec<u32> = (0..engine.exits.len() as u32).collect();
    // Exits hand on the same targets again and again where functions call each other in circles.
    let mut left = 16 * MAX_EDGES;
    while let Some(id) = work.pop() {
        if !engine.exits[id as usize].origins.iter().any(|origin| matches!(origin, Origin::Exit(_))) {
            continue;
        }
        let (list, fact) = (std::mem::take(&mut targets[id as usize]), facts[id as usize]);
        for origin in &engine.exits[id as usize].origins {
            // What it hands to itself it has.
            let Origin::Exit(inner) = *origin else { continue };
            if inner == id {
                continue;
            }
            let touched = list.len() + targets[inner as usize].len() + 1;
            let Some(rest) = left.checked_sub(touched) else { return false };
            left = rest;
            let changed =
                merge(&mut targets[inner as usize], &list) | merge_facts(&mut facts[inner as usize], fact);
            if changed {
                work.push(inner);
            }
        }
        targets[id as usize] = list;
    }
    for (id, exit) in engine.exits.iter().enumerate() {
        for origin in &exit.origins {
            let Origin::Block(from) = *origin else { continue };
            if outcome.returns.len() + targets[id].len() > MAX_EDGES {
                return false;
            }
            outcome.returns.extend(targets[id].iter().map(|to| (from, *to)));
            merge_facts(&mut outcome.jumps[from as usize], facts[id]);
        }
    }
    true
}

/// Adds the members of one sorted list to another; true when it grew.
fn merge(into: &mut Targets, from: &[BlockId]) -> bool {
    let before = into.len();
    for block in from {
        if into[..before].binary_search(block).is_err() {
            into.push(*block);
        }
    }
    into.sort_unstable();
    into.dedup();
    into.len() > before
}

fn merge_facts(into: &mut JumpFacts, from: JumpFacts) -> bool {
    let before = *into;
    into.is_unresolved |= from.is_unresolved;
    into.is_invalid |= from.is_invalid;
    (before.is_unresolved, before.is_invalid) != (into.is_unresolved, into.is_invalid)
}

/// Times that the heights of a procedure grow by what is found; then they grow to the limit, where
/// a procedure that calls itself on a higher stack ends anyway.
const MAX_GROWTHS: u32 = 64;

/// Entry heights of procedures from those of their callers, then of blocks.
fn compute_heights(engine: &Engine<'_>) -> Vec<Heights> {
    let mut entries: Vec<Heights> = vec![None; engine.procs.len()];
    let by_proc = Index::new(&engine.callers, engine.procs.len(), |caller| caller.proc);
    let mut growths = vec![0u32; engine.procs.len()];
    let mut work = Vec::new();
    if let Some(main) = entries.get_mut(MAIN as usize) {
        *main = Some((0, 0));
        work.push(MAIN);
    }
    while let Some(proc) = work.pop() {
        for id in by_proc.of(proc) {
            let caller = engine.callers[*id as usize];
            let delta = caller.stack.delta();
            let heights = shifted(entries[proc as usize], delta, delta);
            let known = entries[caller.callee as usize];
            let growths = &mut growths[caller.callee as usize];
            let mut joined = join_heights(known, heights);
            if *growths > MAX_GROWTHS {
                joined = grown_to_limits(known, joined);
            }
            if joined != entries[caller.callee as usize] {
                *growths += 1;
                entries[caller.callee as usize] = joined;
                work.push(caller.callee);
            }
        }
    }
    let mut heights = vec![None; engine.blocks.len()];
    for state in &engine.states {
        if let Some(here) = shifted(entries[state.proc as usize], state.low, state.high) {
            let known = &mut heights[state.block as usize];
            *known = Some(known.map_or(here, |known| with_both(known, here)));
        }
    }
    heights
}

/// Blocks that go past the limit on the highest stack that they are entered with: a function that calls itself
/// is entered on higher and higher stacks, though its own words are few.
fn blocks_past_the_limit(engine: &Engine<'_>, heights: &[Heights]) -> impl Iterator<Item = BlockId> {
    let blocks = engine.blocks.list().iter().zip(heights).zip(0..);
    let past = blocks.filter(|((block, heights), _)| {
        heights.is_some_and(|(_, highest)| block.peak > 0 && highest + block.peak > STACK_LIMIT)
    });
    past.map(|(_, id)| id)
}

/// The new heights, all the way to the limits that they moved towards.
fn grown_to_limits(before: Heights, after: Heights) -> Heights {
    match (before, after) {
        (Some((low, high)), Some((lower, higher))) => {
            Some((if lower < low { 0 } else { low }, if higher > high { STACK_LIMIT } else { high }))
        }
        (_, after) => after,
    }
}

fn shifted(heights: Heights, low: i32, high: i32) -> Heights {
    let limit = STACK_LIMIT as i32;
    let add = |height: u32, delta: i32| (height as i32 + delta).clamp(0, limit) as u32;
    heights.map(|(lowest, highest)| (add(lowest, low), add(highest, high)))
}

pub(crate) fn join_heights(a: Heights, b: Heights) -> Heights {
    match (a, b) {
        (Some(a), Some(b)) => Some(with_both(a, b)),
        (known, None) | (None, known) => known,
    }
}

fn with_both((low, high): (u32, u32), (lower, higher): (u32, u32)) -> (u32, u32) {
    (low.min(lower), high.max(higher))
}

fn procedures(engine: &Engine<'_>) -> Vec<Procedure> {
    let mut list: Vec<Procedure> = engine
        .procs
        .iter()
        .map(|proc| Procedure {
            entry: proc.entry,
            exits: SmallVec::new(),
            blocks: Vec::new(),
            addresses: Vec::new(),
        })
        .collect();
    for exit in &engine.exits {
        let params = exit.via;
        let rets = exit.stack.count as i32 - exit.stack.base as i32 + exit.via as i32 + 1;
        let exits = &mut list[exit.proc as usize].exits;
        if !exits.iter().any(|exit| (exit.params, exit.rets) == (params, rets)) {
            exits.push(ProcedureExit { params, rets, is_return: false });
        }
    }
    for (proc, found) in engine.procs.iter().zip(&mut list) {
        // What only open jumps may call returns like other functions.
        let is_uncalled = proc.num_callers == 0 && found.exits.len() == 1;
        found.exits.iter_mut().for_each(|exit| exit.is_return |= is_uncalled);
    }
    for caller in engine.callers.iter().filter(|caller| caller.entered == Entered::ByCall) {
        for exit in &mut list[caller.callee as usize].exits {
            let word = engine.word_at(caller.proc, caller.stack, exit.params);
            let pc = word.and_then(|word| word.as_const());
            exit.is_return |= pc.is_some_and(|pc| engine.blocks.is_return_address(pc));
        }
    }
    let of_procs = Index::new(&engine.states, engine.procs.len(), |state| state.proc);
    for (proc, found) in list.iter_mut().enumerate() {
        let states = of_procs.of(proc as ProcId);
        found.blocks = states.iter().map(|state| engine.states[*state as usize].block).collect();
        if let Some(address) = found.exits.first().map(|exit| exit.params) {
            let place = |state: &u32| address_place(engine, engine.states[*state as usize].stack, address);
            found.addresses = states.iter().map(place).collect();
        }
    }
    list
}

/// Where the word lies that stood so many words below the top when the procedure began.
fn address_place(engine: &Engine<'_>, stack: Stack, address: u32) -> Option<AddressPlace> {
    let above = match address.checked_sub(stack.base) {
        Some(below) => below + stack.count,
        None => {
            let is_address = |word: &Value| *word == Value::input(address);
            engine.words_of(stack).iter().rev().position(is_address)? as u32
        }
    };
    Some(AddressPlace { above, moved: stack.delta() - above as i32 + address as i32 })
}
