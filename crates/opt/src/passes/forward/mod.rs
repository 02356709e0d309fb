//! `forward`: replaces loads by what is known to be there.
//!
//! * a load from where the same was loaded or stored before gives that value;
//! * a store of what is there already goes, unless a static frame would miss it
//!   ([`cairn_analysis::StaticFrames`]);
//! * a copy of one or two words that are known stores them, and what of the last one is more than the copy must be
//!   overwritten next ([`copies`]);
//! * `keccak256` of one or two words that are known gives the hash made of the same words before;
//! * a load from storage at the head of a loop that finds the same in every round is done before the loop;
//! * a load from storage where ways join gives what each way knows; ways that know nothing load the word, where
//!   another one knows it.
//!
//! ```text
//! evm.sstore %k, %x                evm.sstore %k, %x
//! evm.mstore %p, %y         =>     evm.mstore %p, %y
//! %a = evm.sload %k                … %x …
//! … %a …
//! ```
//!
//! Definitions: a *place* is a word of memory, storage or transient storage at a base value plus a
//! constant. Two places with one base (or none) are the same or apart as their constants say.
//! Constant addresses below the end of reserved memory are apart from those above it; keys that are
//! hashes of different words, or a hash and a small constant, are apart, also with words added that are
//! small by what they are computed from or by the branches that led there (A11); all others may
//! overlap, but for an element of an array whose index counts ([`crate::counters`]), or is small by the branches that
//! led there: it is apart from what comes before the first. A word of memory is cheaper to load again than to keep
//! where many are live ([`MAX_LIVE`]), so that branches are not asked there. The *state* of a program point lists
//! places with their words.
//! It is the same on every path: at a merge what all predecessors agree on stays; at a loop's
//! header what no operation of the loop can change, as far as there are not too many to look at.
//!
//! Each place in the state has been touched, so leaving out another access never changes the size
//! of memory. Nothing else is assumed: a store through an unknown pointer forgets all of memory, a
//! call of another contract all storage (A6). Internal calls forget what they may have written
//! when they come back.
//!
//! Needs promotion, preserves it. Cost: linear, states are bounded by [`MAX_STATE`].

mod copies;
mod edges;
mod facts;
mod hashes;
mod joined_loads;
mod loop_loads;
mod loop_writes;

use crate::counters::Counters;
use crate::guards::{Bound, Guards};
use crate::memory::{Heap, Place, Region};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::pressure::{MAX_LIVE, Pressure};
use crate::span::{Known, SPAN_BITS, Span};
use cairn_analysis::{Cfg, Dominators, FuncEffects, Loops};
use cairn_evm::memory::memory_write;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, EntityRef, Function, Inst, Op, SecondaryMap, Value};
use cairn_rules::Facts;
use cranelift_entity::packed_option::PackedOption;
use edges::split_edges;
use facts::{Fact, Space, State, forget_space, forget_word, held, remember};
use hashes::{hash_inputs, is_apart_by_hash};
use loop_writes::LoopWrites;
use std::cell::{LazyCell, OnceCell};

/// Facts that are remembered at once; the oldest go first.
const MAX_STATE: usize = 24;

/// Ways to a block whose words are joined.
const MAX_WAYS: usize = 8;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "forward",
    summary: "replaces loads by what is known to be there",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let mut cfg = Cfg::compute(func);
    let is_split = split_edges(func, &cfg);
    if is_split {
        cfg = Cfg::compute(func);
    }
    let dominators = Dominators::compute(&cfg);
    let loops = Loops::compute(&cfg, &dominators);
    let mut forward = Forward {
        heap: cx.summaries.heap,
        loop_writes: LoopWrites::of(func, &cfg, &loops, &cx.summaries.effects),
        counters: Counters::of(func, &cfg),
        cfg: &cfg,
        guards: OnceCell::new(),
        pressure: OnceCell::new(),
        effects: &cx.summaries.effects,
        dominators,
        loops,
        states: vec![None; func.num_blocks()],
        renaming: SecondaryMap::new(),
        changed: false,
        repeated: Vec::new(),
        gas_per_byte: cx.options.gas_per_byte(),
        func,
    };
    for block in cfg.rpo() {
        let mut state = forward.state_at(*block, &cfg);
        forward.visit_block(*block, &mut state);
        forward.states[block.index()] = Some(state);
    }
    let Forward { changed, repeated, func, .. } = forward;
    let repeated = cx.summaries.statics.unneeded(func, &cfg, &repeated);
    repeated.iter().for_each(|inst| func.layout.remove_inst(*inst));
    Changed::from(is_split || changed || !repeated.is_empty())
}

struct Forward<'a> {
    func: &'a mut Function,
    effects: &'a FuncEffects,
    heap: Heap,
    dominators: Dominators,
    loops: Loops,
    loop_writes: LoopWrites,
    counters: Counters,
    cfg: &'a Cfg,
    /// What branches say, when it was asked for.
    guards: OnceCell<Guards>,
    /// What is live, when it was asked for.
    pressure: OnceCell<Pressure>,
    /// What is known at the end of each block visited.
    states: Vec<Option<State>>,
    renaming: SecondaryMap<Value, PackedOption<Value>>,
    changed: bool,
    /// Changes of the state that leave it as it is.
    repeated: Vec<Inst>,
    /// What a byte of code is worth in gas of each run.
    gas_per_byte: f64,
}

impl Forward<'_> {
    fn state_at(&mut self, block: Block, cfg: &Cfg) -> State {
        let preds = cfg.preds(block);
        let forward = preds.iter().filter(|pred| !cfg.is_retreating(**pred, block));
        let mut states = forward.map(|pred| self.states[pred.index()].as_ref());
        let Some(Some(first)) = states.next() else {
            return State::new();
        };
        let mut state = first.clone();
        for other in states {
            let Some(other) = other else {
                return State::new();
            };
            state.retain(|fact| other.contains(fact));
        }
        let retreating: Vec<&Block> = preds.iter().filter(|pred| cfg.is_retreating(**pred, block)).collect();
        if retreating.iter().any(|pred| !self.dominators.dominates(block, **pred)) {
            return State::new();
        }
        if retreating.is_empty() {
            self.join_loads(block, cfg, &mut state);
        } else {
            let id = self.loops.innermost(block).expect("invariant: a back edge makes a loop");
            let before = self.block_before(block, cfg);
            let loads = before.map(|_| self.find_loop_loads(block, id, &mut state)).unwrap_or_default();
            let (writes, more) = self.loop_writes.of_loop(id);
            writes.iter().for_each(|inst| self.forget_written(*inst, &mut state));
            let spaces = Space::ALL.into_iter().filter(|space| more.intersects(space.write_effect()));
            spaces.for_each(|space| forget_space(&mut state, space));
            if let Some(before) = before {
                self.do_before_loop(&loads, before, &mut state);
            }
        }
        state
    }

    fn visit_block(&mut self, block: Block, state: &mut State) {
        let mut next = self.func.layout.first_inst(block);
        while let Some(inst) = next {
            next = self.func.layout.next_inst(inst);
            let renaming = &self.renaming;
            self.func.dfg.map_uses(inst, |value| renaming[value].expand().unwrap_or(value));
            self.visit_inst(inst, state);
        }
    }

    fn visit_inst(&mut self, inst: Inst, state: &mut State) {
        let args = self.func.dfg.args(inst);
        match (self.func.dfg.op(inst), args) {
            (Op::Evm(Opcode::MLOAD), [at]) => self.visit_load(inst, Space::Memory, *at, state),
            (Op::Evm(Opcode::SLOAD), [at]) => self.visit_load(inst, Space::Storage, *at, state),
            (Op::Evm(Opcode::TLOAD), [at]) => self.visit_load(inst, Space::Transient, *at, state),
            (Op::Evm(Opcode::MSTORE), [at, value]) => {
                self.visit_store(inst, Space::Memory, *at, *value, state)
            }
            (Op::Evm(Opcode::SSTORE), [at, value]) => {
                self.visit_store(inst, Space::Storage, *at, *value, state)
            }
            (Op::Evm(Opcode::TSTORE), [at, value]) => {
                self.visit_store(inst, Space::Transient, *at, *value, state)
            }
            (Op::Evm(Opcode::MCOPY), _) => self.visit_copy(inst, state),
            (Op::Evm(Opcode::KECCAK256), [at, length]) => self.visit_hash(inst, *at, *length, state),
            _ => self.forget_written(inst, state),
        }
    }

    fn visit_load(&mut self, inst: Inst, space: Space, at: Value, state: &mut State) {
        let place = self.place(at);
        let result = self.func.dfg.result(inst);
        let known = held(state, space, place);
        if space == Space::Memory && known.is_some_and(|value| self.is_load_of_inner_loop(value, inst)) {
            forget_word(state, space, place);
            remember(state, Fact::Holds(space, place, result));
            return;
        }
        match known {
            Some(value) => {
                self.replace(inst, result, value);
            }
            None => remember(state, Fact::Holds(space, place, result)),
        }
    }

    /// True for a word loaded in a loop around which `inst` is not: loading it again is cheaper than
    /// carrying it out of every round.
    fn is_load_of_inner_loop(&self, value: Value, inst: Inst) -> bool {
        let Some(load) = self.func.dfg.def_inst(value) else {
            return false;
        };
        let depth = |inst: Inst| self.func.layout.inst_block(inst).map_or(0, |block| self.loops.depth(block));
        self.func.dfg.op(load) == Op::Evm(Opcode::MLOAD) && depth(load) > depth(inst)
    }

    fn visit_store(&mut self, inst: Inst, space: Space, at: Value, value: Value, state: &mut State) {
        let place = self.place(at);
        if held(state, space, place) == Some(value) {
            match space {
                Space::Memory => {
                    self.func.layout.remove_inst(inst);
                    self.changed = true;
                }
                Space::Storage | Space::Transient => self.repeated.push(inst),
            }
            return;
        }
        self.forget_overlapping(state, space, (inst, at), Some(space.word()));
        if self.func.dfg.ty(value).bits().is_some() {
            remember(state, Fact::Holds(space, place, value));
        }
    }

    /// The hash of one or two whole words at a known place.
    fn visit_hash(&mut self, inst: Inst, at: Value, length: Value, state: &mut State) {
        let place = self.place(at);
        let n_words = match self.func.dfg.as_const(length).map(usize::try_from) {
            Some(Ok(32)) => 1,
            Some(Ok(64)) => 2,
            _ => return,
        };
        let Some(first) = held(state, Space::Memory, place) else {
            return;
        };
        let next = place.plus(32);
        let second = held(state, Space::Memory, next).filter(|_| n_words == 2);
        if n_words == 2 && second.is_none() {
            return;
        }
        let result = self.func.dfg.result(inst);
        let known = state.iter().find_map(|fact| match fact {
            Fact::Hash(a, b, hash) if *a == first && b.expand() == second => Some(*hash),
            Fact::Hash(..) | Fact::Holds(..) => None,
        });
        match known {
            Some(hash) => {
                self.replace(inst, result, hash);
            }
            None => remember(state, Fact::Hash(first, second.into(), result)),
        }
    }

    /// Drops an instruction in favour of a value, if the types allow it.
    fn replace(&mut self, inst: Inst, result: Value, value: Value) -> bool {
        let fits = self.func.dfg.ty(value).widens_to(self.func.dfg.ty(result));
        if fits {
            self.renaming[result] = value.into();
            self.func.layout.remove_inst(inst);
            self.changed = true;
        }
        fits
    }

    /// Forgets what an instruction may have written.
    fn forget_written(&self, inst: Inst, state: &mut State) {
        let stored = match (self.func.dfg.op(inst), self.func.dfg.args(inst)) {
            (Op::Evm(Opcode::MSTORE), [at, _]) => Some((Space::Memory, *at)),
            (Op::Evm(Opcode::SSTORE), [at, _]) => Some((Space::Storage, *at)),
            (Op::Evm(Opcode::TSTORE), [at, _]) => Some((Space::Transient, *at)),
            _ => None,
        };
        if let Some((space, at)) = stored {
            return self.forget_overlapping(state, space, (inst, at), Some(space.word()));
        }
        let effects = self.effects.of_inst_on_return(self.func, inst);
        for space in Space::ALL.into_iter().filter(|space| effects.intersects(space.write_effect())) {
            match (space, self.func.dfg.op(inst)) {
                (Space::Memory, Op::Evm(opcode)) => self.forget_region(inst, opcode, state),
                _ => forget_space(state, space),
            }
        }
    }

    fn forget_region(&self, inst: Inst, opcode: Opcode, state: &mut State) {
        let Some(region) = memory_write(opcode) else {
            // `create` and the like run foreign code, which has memory of its own.
            return;
        };
        let length = Region::of(self.func, inst, region).length;
        let start = self.func.dfg.args(inst)[usize::from(region.start)];
        self.forget_overlapping(state, Space::Memory, (inst, start), length);
    }

    fn place(&self, address: Value) -> Place {
        Place::of(self.func, address)
    }

    /// Forgets the places that `length` units from where an instruction writes may overlap; all when it is
    /// not known how many.
    fn forget_overlapping(
        &self,
        state: &mut State,
        space: Space,
        (inst, at): (Inst, Value),
        length: Option<Word>,
    ) {
        let block = self.func.layout.inst_block(inst);
        let is_memory = space == Space::Memory;
        let here = Here { forward: self, block: block.filter(|_| !is_memory) };
        let written = Span::of(self.func, &here, at);
        // A word of memory is cheaper to load again than to carry along where many are.
        let by_branches = LazyCell::new(|| Span::of(self.func, &Here { forward: self, block }, at));
        let is_apart_by_branches = |held: Place| {
            is_memory && self.is_apart(space, held, *by_branches, length) && self.has_room(block)
        };
        let inputs = hash_inputs(state);
        let is_apart_by_hash = |held: Place| {
            !is_memory && {
                let held = Span::of_place(self.func, &here, held);
                is_apart_by_hash(self.func, &inputs, held, written)
            }
        };
        state.retain(|fact| match fact {
            Fact::Holds(of, held, _) if *of == space => {
                self.is_apart(space, *held, written, length)
                    || is_apart_by_hash(*held)
                    || is_apart_by_branches(*held)
            }
            Fact::Holds(..) | Fact::Hash(..) => true,
        });
    }

    /// True if the stack has room in a block for a word that is carried along in place of a load.
    fn has_room(&self, block: Option<Block>) -> bool {
        let pressure = self.pressure.get_or_init(|| Pressure::compute(self.func, self.cfg));
        block.is_some_and(|block| pressure.of_block(block) <= MAX_LIVE)
    }

    fn is_apart(&self, space: Space, word: Place, written: Span, length: Option<Word>) -> bool {
        let ends_before = |a: Place, length: Word, b: Place| {
            space == Space::Memory && a.ends_before(self.func, self.heap, length, b)
        };
        let (first, last) = (written.first(), written.last());
        let behind = first.offset.wrapping_sub(word.offset);
        let Some(length) = length else {
            // A region goes up from where it begins, and does not come round to the word (A13).
            let is_below =
                word.base == written.base && behind >= space.word() && behind >> SPAN_BITS == Word::ZERO;
            return is_below || ends_before(word, space.word(), first);
        };
        if word.base == written.base {
            let ahead = word.offset.wrapping_sub(last.offset);
            let is_between = word.offset >= first.offset && word.offset <= last.offset;
            return length.is_zero() || (!is_between && ahead >= length && behind >= space.word());
        }
        length.is_zero() || ends_before(word, space.word(), first) || ends_before(last, length, word)
    }
}

/// A block, and what the branches that lead there say. An instruction writes where its own block's do.
struct Here<'a> {
    forward: &'a Forward<'a>,
    /// None if branches are not asked.
    block: Option<Block>,
}

impl Here<'_> {
    /// The greatest word that a value can be.
    fn most(&self, value: Value) -> Option<Word> {
        let word = |value: Value| self.forward.func.dfg.as_const(value);
        let guards = self.forward.guards.get_or_init(|| Guards::compute(self.forward.func, self.forward.cfg));
        let bounds = guards.of(value, self.block?).filter_map(|bound| match bound {
            Bound::AtMost(other) => word(other),
            Bound::Below(other) => word(other).map(|word| word.saturating_sub(Word::from(1))),
            Bound::AtMostWord(most) => Some(most),
            Bound::AtLeast(_) => None,
        });
        bounds.min()
    }
}

impl Known for Here<'_> {
    fn facts(&self, value: Value) -> Option<Facts> {
        let by_branches = || self.most(value).map(|most| Facts::between(Word::ZERO, most));
        self.forward.counters.facts(value).or_else(by_branches)
    }

    fn renamed(&self, value: Value) -> Value {
        self.forward.renaming[value].expand().unwrap_or(value)
    }
}

#[cfg(test)]
mod tests;
