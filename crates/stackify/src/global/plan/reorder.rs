//! Other orders of what a block does, tried where the first leaves words to be moved.
//!
//! *Part*: a root with its trees, carried out as a whole. Parts are moved past each other and trees
//! under an operation whose operands may come in any order are exchanged, one change at a time; a
//! change that makes the block cheaper stays. Effects that conflict and operands keep their order.
//! A try is a search with one state that gives up where it costs as much as the best so far; tries
//! of a block are counted, so time stays linear.

use super::block::SearchMode;
use super::planner::{Care, End, Planner};
use crate::global::facts::live::stack_operands;
use crate::global::facts::order::{Arrangement, Item, OrderCx, arrange_block};
use crate::global::search::state::State;
use crate::global::stack::shuffle::{Move, Unreachable};
use crate::global::stack::trail::Action;
use cairn_evm::Effects;
use cairn_ir::{Block, Inst, Op};
use smallvec::SmallVec;

/// A change of an arrangement.
#[derive(Clone, Copy)]
enum Change {
    /// Moves the root at the first place to the second.
    Move(usize, usize),
    /// Exchanges the trees below an operation.
    Flip(Inst),
}

/// What a part, or an instruction, is and what must stay before it: instructions as bits.
#[derive(Clone, Copy, Default)]
struct Bits {
    own: u64,
    after: u64,
}

/// An arrangement with what may not change in it.
struct Reordering {
    arrangement: Arrangement,
    /// For each root those of its part.
    parts: Vec<Bits>,
    /// Instructions in source order.
    insts: SmallVec<[(Inst, Bits); 20]>,
}

impl Reordering {
    /// `items` are those of the arrangement.
    fn new(cx: &OrderCx<'_>, arrangement: Arrangement, items: &[Item]) -> Reordering {
        let mut reordering = Reordering { arrangement, parts: Vec::new(), insts: SmallVec::new() };
        let mut effects: SmallVec<[Effects; 20]> = SmallVec::new();
        let mut part = Bits::default();
        for inst in items.iter().filter_map(Item::as_exec) {
            let at = reordering.insts.len();
            let own = cx.effects(inst);
            let mut after = 0;
            for value in stack_operands(cx.func, cx.conventions, inst) {
                let def = cx.func.dfg.def_inst(value);
                let other = reordering.insts.iter().position(|(other, _)| Some(*other) == def);
                after |= other.map_or(0, |other| 1 << other);
            }
            for (other, effects) in effects.iter().enumerate() {
                after |= u64::from(effects.conflicts_with(own)) << other;
            }
            effects.push(own);
            reordering.insts.push((inst, Bits { own: 1 << at, after }));
            part = Bits { own: part.own | 1 << at, after: part.after | after };
            if !reordering.arrangement.inner.contains(inst) {
                let part = std::mem::take(&mut part);
                reordering.parts.push(Bits { after: part.after & !part.own, ..part });
            }
        }
        reordering
    }

    /// Roots that may move: what ends the block stays at the end, with the trees below it.
    fn num_movable(&self, cx: &OrderCx<'_>) -> usize {
        let is_movable =
            |root: &&Inst| !cx.func.dfg.op(**root).is_terminator() && !cx.tail_calls.contains(**root);
        self.arrangement.roots.iter().take_while(is_movable).count()
    }

    fn changes(&self, cx: &OrderCx<'_>) -> Vec<Change> {
        let count = self.num_movable(cx);
        let is_inner = |inst: Inst| self.arrangement.inner.contains(inst);
        let is_tree = |value| cx.func.dfg.def_inst(value).is_some_and(is_inner);
        let has_two_trees = |inst: &Inst| {
            let is_free =
                matches!(cx.func.dfg.op(*inst), Op::Evm(opcode) if opcode.with_swapped_operands().is_some());
            is_free && cx.func.dfg.args(*inst).iter().all(|value| is_tree(*value))
        };
        let moves = (0..count).flat_map(|from| {
            let places = (0..count).filter(move |to| *to != from && *to + 1 != from);
            places.map(move |to| Change::Move(from, to))
        });
        let flips = self.insts.iter().map(|(inst, _)| *inst).filter(has_two_trees).map(Change::Flip);
        moves.chain(flips).collect()
    }

    fn is_allowed(&self, cx: &OrderCx<'_>, change: Change) -> bool {
        match change {
            Change::Move(from, to) => {
                let moved = self.parts[from];
                let (low, high) = (from.min(to), from.max(to));
                let mut passed = self.parts[low..=high].iter();
                passed.all(|other| other.after & moved.own == 0 && moved.after & other.own == 0)
            }
            Change::Flip(inst) => {
                let args = cx.func.dfg.args(inst);
                let [a, b] = [self.tree(cx, args[0]), self.tree(cx, args[1])];
                a.after & b.own == 0 && b.after & a.own == 0
            }
        }
    }

    /// Everything that is evaluated for a value that is a tree.
    fn tree(&self, cx: &OrderCx<'_>, root: cairn_ir::Value) -> Bits {
        let mut bits = Bits::default();
        let mut worklist: SmallVec<[cairn_ir::Value; 8]> = smallvec::smallvec![root];
        while let Some(value) = worklist.pop() {
            let def = cx.func.dfg.def_inst(value).filter(|inst| self.arrangement.inner.contains(*inst));
            let Some(found) = self.insts.iter().find(|(inst, _)| Some(*inst) == def) else { continue };
            bits = Bits { own: bits.own | found.1.own, after: bits.after | found.1.after };
            worklist.extend(stack_operands(cx.func, cx.conventions, found.0));
        }
        bits
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::Move(from, to) => {
                let root = self.arrangement.roots.remove(from);
                self.arrangement.roots.insert(to, root);
                let part = self.parts.remove(from);
                self.parts.insert(to, part);
            }
            Change::Flip(inst) => {
                if !self.arrangement.flipped.insert(inst) {
                    self.arrangement.flipped.remove(inst);
                }
            }
        }
    }

    fn undo(&mut self, change: Change) {
        match change {
            Change::Move(from, to) => self.apply(Change::Move(to, from)),
            Change::Flip(_) => self.apply(change),
        }
    }
}

impl Planner<'_> {
    /// Searches a block in source order and, if it moves words there, in other orders.
    pub(crate) fn search_orders(
        &mut self,
        block: Block,
        entries: &[State],
        cx: &OrderCx<'_>,
        end: &End,
    ) -> Result<Vec<State>, Unreachable> {
        let arrangement = arrange_block(cx, block);
        let items = arrangement.items(cx);
        let states = self.search_block(block, entries, &items, end, SearchMode::Full)?;
        let is_small = (2..=self.facts.effort().max_reordered_items).contains(&items.len());
        let is_quick = self.trial.as_ref().is_some_and(|trial| trial.care == Care::Quick);
        // Where bytes count most, ends of blocks that stay alike are shared.
        let prices = self.facts.prices(block);
        let is_open = matches!(end, End::Jump(next) if self.entry[*next].is_none());
        let is_shared = is_open && prices.byte > prices.gas;
        let is_plain =
            is_quick || is_shared || self.facts.is_crowded || self.facts.graph.cold.contains(block);
        if !is_small || is_plain {
            return Ok(states);
        }
        let (cost, best) = self.price_end(block, &states, end);
        if cost <= states[best].cost && !self.moves_words(&states[best]) {
            return Ok(states);
        }
        let reordering = Reordering::new(cx, arrangement, &items);
        let Some((items, cost)) = self.try_orders(block, entries, cx, end, reordering, cost) else {
            return Ok(states);
        };
        let reordered = self.search_block(block, entries, &items, end, SearchMode::Again)?;
        if self.price_end(block, &reordered, end).0 <= cost {
            return Ok(reordered);
        }
        // More states side by side can end in a dearer one.
        self.search_block(block, entries, &items, end, SearchMode::Below(cost + 1))
    }

    /// The items of the cheapest order found that costs less than `least`, and what it costs.
    fn try_orders(
        &mut self,
        block: Block,
        entries: &[State],
        cx: &OrderCx<'_>,
        end: &End,
        mut reordering: Reordering,
        mut least: u64,
    ) -> Option<(Vec<Item>, u64)> {
        let changes = reordering.changes(cx);
        let mark = self.trail.len();
        let mut best = None;
        let mut tries = 0;
        let mut next = 0;
        while let Some(change) = changes.get(next).filter(|_| tries < self.facts.effort().max_orders) {
            next += 1;
            if !reordering.is_allowed(cx, *change) {
                continue;
            }
            tries += 1;
            reordering.apply(*change);
            let items = reordering.arrangement.items(cx);
            let states = self.search_block(block, entries, &items, end, SearchMode::Below(least));
            let cost = states.map_or(u64::MAX, |states| self.price_end(block, &states, end).0);
            self.trail.truncate(mark);
            if cost < least {
                least = cost;
                best = Some((items, cost));
                next = 0;
            } else {
                reordering.undo(*change);
            }
        }
        best
    }

    /// True when a word was exchanged or dropped on the way to a state.
    fn moves_words(&self, state: &State) -> bool {
        let is_moving = |action: &Action| matches!(action, Action::Move(Move::Swap(_) | Move::Pop));
        self.trail.actions(state.last).iter().any(is_moving)
    }
}
