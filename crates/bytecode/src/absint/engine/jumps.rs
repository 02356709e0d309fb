//! Where a jump goes, and which edges are calls.

use super::{CallPolicy, Engine, FoundEdge, WORDS_A_STEP};
use crate::absint::store::{Entered, Origin, ProcId};
use crate::absint::summary::Precision;
use crate::absint::value::{Kind, SMALL_LIMIT, Value};
use crate::blocks::{BlockEnd, BlockId};
use cairn_evm::Word;

/// Targets of an exit that a new one is compared with, one after the other; most exits have no more.
const MAX_COMPARED_TARGETS: usize = 16;

impl Engine<'_> {
    /// Follows a jump to `target` with the stack `words`.
    #[inline(always)]
    pub(super) fn go_to(&mut self, proc: ProcId, target: Value, base: u32, words: &[Value], origin: Origin) {
        match target.kind() {
            Kind::Const(pc) => self.go_to_pc(proc, Some(pc), base, words, origin),
            Kind::Input { index, is_masked } => self.add_exit(proc, (index, is_masked), base, words, origin),
            Kind::Set(_) => {
                for word in self.pool.words(target).expect("invariant: a set has words") {
                    let pc = (word < Word::from(SMALL_LIMIT)).then(|| word.to::<u32>());
                    self.go_to_pc(proc, pc, base, words, origin);
                }
            }
            Kind::Unknown | Kind::Expr(_) => self.go_anywhere(proc, base, words, origin),
        }
    }

    pub(super) fn go_to_pc(
        &mut self,
        proc: ProcId,
        pc: Option<u32>,
        base: u32,
        words: &[Value],
        origin: Origin,
    ) {
        let Some(to) = pc.and_then(|pc| self.blocks.jump_target(pc)) else {
            self.asks_for_end |= pc.is_some_and(|pc| pc as usize >= self.summarizer.subject.code.len());
            if pc.is_some_and(|pc| self.summarizer.subject.is_behind(pc)) {
                return self.go_anywhere(proc, base, words, origin);
            }
            match origin {
                Origin::Block(block) => self.jumps[block as usize].is_invalid = true,
                Origin::Exit(exit) => self.exits[exit as usize].is_invalid = true,
            }
            return;
        };
        let is_call = self.is_call(to, words, origin);
        let way = if is_call { Entered::ByCall } else { Entered::Plainly };
        self.record_edge(origin, to, way, words);
        if is_call && self.blocks.get(to).ends != BlockEnd::Halt {
            self.call(proc, to, base, words, way);
        } else {
            self.flow(proc, to, base, words);
        }
    }

    /// A `JUMP` that leaves an address of the code on the stack may be a call.
    pub(crate) fn is_call(&self, to: BlockId, words: &[Value], origin: Origin) -> bool {
        let Origin::Block(block) = origin else { return false };
        if self.blocks.get(block).ends != BlockEnd::Jump {
            return false;
        }
        match &self.policy {
            CallPolicy::Discover => words.iter().any(|word| self.is_label(*word)),
            CallPolicy::Only(places) => self.has_address_at(places.get(&to), words),
        }
    }

    /// True when the block falls into a function that is given, with an address to return to: the
    /// code of a call can stand right before the function.
    pub(crate) fn falls_into_function(&self, block: BlockId, words: &[Value]) -> bool {
        match &self.policy {
            CallPolicy::Discover => false,
            CallPolicy::Only(places) => {
                self.blocks.get(block).ends == BlockEnd::Fallthrough
                    && self.has_address_at(places.get(&(block + 1)), words)
            }
        }
    }

    /// True when the word so many places below the top is an address of the code.
    pub(super) fn has_address_at(&self, place: Option<&u32>, words: &[Value]) -> bool {
        let index = place.and_then(|place| words.len().checked_sub(1 + *place as usize));
        index.is_some_and(|index| self.is_label(words[index]))
    }

    #[inline]
    pub(super) fn is_label(&self, word: Value) -> bool {
        word.as_const().is_some_and(|pc| self.blocks.is_return_address(pc))
    }

    #[inline(always)]
    pub(super) fn record_edge(&mut self, origin: Origin, to: BlockId, way: Entered, words: &[Value]) {
        let is_call = way == Entered::ByCall;
        match origin {
            Origin::Block(from) => {
                if self.last_edge[from as usize] != to || is_call {
                    self.last_edge[from as usize] = to;
                    let (words_above_next, return_to) =
                        if is_call { self.way_back(from, words) } else { (None, None) };
                    self.edges.push(FoundEdge { from, to, is_call, words_above_next, return_to });
                }
            }
            Origin::Exit(exit) => {
                let targets = &mut self.exits[exit as usize].targets;
                let first = &targets[..targets.len().min(MAX_COMPARED_TARGETS)];
                let is_new = !first.contains(&to)
                    && (first.len() < MAX_COMPARED_TARGETS || self.more_targets.insert((exit, to)));
                if is_new {
                    targets.push(to);
                }
                self.spend(1);
            }
        }
    }

    /// The words above the address after a call, where that lies on the stack, and the block at the topmost
    /// address.
    fn way_back(&self, from: BlockId, words: &[Value]) -> (Option<u32>, Option<BlockId>) {
        let after = self.blocks.get(from).end;
        let next = Value::constant(after);
        match words.iter().rev().position(|word| *word == next) {
            Some(above) => (Some(above as u32), self.blocks.jump_target(after)),
            None => {
                let address = words.iter().rev().find(|word| self.is_label(**word));
                (None, address.and_then(|word| self.blocks.jump_target(word.as_const()?)))
            }
        }
    }

    /// A jump of which nothing is known: where words are followed it goes to every destination.
    pub(super) fn go_anywhere(&mut self, proc: ProcId, base: u32, words: &[Value], origin: Origin) {
        match origin {
            Origin::Block(block) => self.jumps[block as usize].is_unresolved = true,
            Origin::Exit(exit) => self.exits[exit as usize].is_unresolved = true,
        }
        if self.precision() == Precision::Labels {
            return;
        }
        if let CallPolicy::Only(_) = self.policy {
            self.gave_up = true;
            return;
        }
        self.spend(self.blocks.len() as u64 * WORDS_A_STEP);
        for to in self.blocks.jump_targets() {
            if self.gave_up {
                return;
            }
            self.record_edge(origin, to, Entered::Plainly, words);
            if self.blocks.get(to).ends == BlockEnd::Halt {
                self.flow(proc, to, base, words);
            } else {
                self.call(proc, to, base, words, Entered::Plainly);
            }
        }
    }
}
