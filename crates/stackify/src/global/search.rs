//! Searches the stack actions of one block: a few states side by side, item by item.
//!
//! All states stand at the same item, so what is still needed is the same for all; they differ in
//! their stacks and costs. After each item the best few with different stacks go on, measured by
//! cost so far plus what dead and far words are going to cost. With one state this is a greedy
//! scheduler; the width shrinks as blocks grow, so time is linear in the number of items.

mod future;
mod lift;
mod select;
mod settle;

pub(crate) use future::Future;

use super::classify::{Home, Homes};
use super::order::Item;
use super::setup::{Needs, targets};
use super::shuffle::{Move, Moves, Prices, Unreachable, shuffle};
use super::slot::{Slot, Stack};
use super::trail::{Action, TRAIL_START, Trail};
use crate::code::{Convention, Reach};
use crate::context::callee_of;
use cairn_evm::Opcode;
use cairn_ir::{Func, Function, Inst, Op, SecondaryMap, Value};
use future::Needed;
use select::outlook;
use smallvec::SmallVec;

/// A possible stack with what led to it.
#[derive(Debug)]
pub(crate) struct State {
    /// The stack, bottom first.
    pub(crate) stack: Stack,
    /// Cost since the start of the chain of blocks.
    pub(crate) cost: u64,
    /// Last action in the [`Trail`].
    pub(crate) last: u32,
    /// Estimate of what the stack costs later.
    pub(crate) outlook: u64,
    /// Which of the states that the search began with it comes from.
    pub(crate) root: u32,
}

impl State {
    /// A state before the first action of a block.
    pub(crate) fn start(stack: &[Slot], cost: u64, root: u32) -> State {
        State { stack: Stack::from_slice(stack), cost, last: TRAIL_START, outlook: 0, root }
    }
}

impl Clone for State {
    /// States are copied all the time: as bytes, which `SmallVec::clone` does not do.
    fn clone(&self) -> Self {
        let State { stack, cost, last, outlook, root } = self;
        State { stack: Stack::from_slice(stack), cost: *cost, last: *last, outlook: *outlook, root: *root }
    }
}

/// Prices in a block of a certain frequency.
#[derive(Clone, Copy)]
pub(crate) struct BlockPrices<'a> {
    /// Homes of values.
    pub(crate) homes: &'a Homes,
    /// Cost of a unit of gas.
    pub(crate) gas: u32,
    /// Cost of a byte.
    pub(crate) byte: u32,
    /// How far stack instructions reach.
    pub(crate) reach: Reach,
}

impl BlockPrices<'_> {
    fn of(&self, gas: u32, bytes: u32) -> u32 {
        gas * self.gas + bytes * self.byte
    }
}

impl Prices for BlockPrices<'_> {
    fn dup(&self) -> u32 {
        self.of(3, 1)
    }
    fn swap(&self) -> u32 {
        self.of(3, 1)
    }
    fn pop(&self) -> u32 {
        self.of(2, 1)
    }
    fn make(&self, slot: Slot) -> Option<u32> {
        self.homes.price(slot).map(|(gas, bytes)| self.of(u32::from(gas), u32::from(bytes)))
    }
    fn reach(&self) -> Reach {
        self.reach
    }
}

/// What does not change while a block is searched.
pub(crate) struct BlockCx<'a> {
    /// The function.
    pub(crate) func: &'a Function,
    /// Conventions of callees.
    pub(crate) conventions: &'a SecondaryMap<Func, Convention>,
    /// Prices here.
    pub(crate) prices: BlockPrices<'a>,
    /// Dead words may stay: nothing after this block needs a clean stack.
    pub(crate) is_lazy: bool,
    /// Words that may be on the stack: more are as good as out of reach.
    pub(crate) greatest_height: usize,
    /// States kept side by side.
    pub(crate) width: usize,
    /// Words have been out of reach: looks ahead for those that will be.
    pub(crate) is_crowded: bool,
    /// States that cost as much are of no use.
    pub(crate) limit: Option<u64>,
    /// When all states cost as much, the search is given up.
    pub(crate) least: u64,
}

/// An instruction to be carried out on each state.
#[derive(Clone)]
struct Exec {
    inst: Inst,
    /// The opcode if the operands are exchanged.
    opcode: Option<Opcode>,
    inputs: usize,
    /// What it leaves, bottom first.
    results: SmallVec<[Slot; 4]>,
    /// What was saved on the stack around it.
    saved: SmallVec<[Slot; 4]>,
    /// Nothing comes after it: a terminator, or a call that never comes back.
    is_last: bool,
    /// Some result goes to memory.
    is_stored: bool,
}

/// The search of one block.
pub(crate) struct Search<'a> {
    /// What does not change.
    pub(crate) cx: BlockCx<'a>,
    /// Actions of all states.
    pub(crate) trail: &'a mut Trail,
    future: &'a mut Future,
    /// The best states, the first the best.
    pub(crate) states: Vec<State>,
    next: Vec<State>,
}

impl<'a> Search<'a> {
    /// A search from these states. What lives out was told to `future`; `items` are all items of
    /// the block.
    pub(crate) fn new(
        cx: BlockCx<'a>,
        trail: &'a mut Trail,
        future: &'a mut Future,
        entries: &[State],
        items: &[Item],
    ) -> Self {
        let search = Search { cx, trail, future, states: entries.to_vec(), next: Vec::new() };
        for item in items {
            if let Item::Exec(inst) = item {
                search.operands(*inst).iter().for_each(|slot| search.future.add_use(*slot));
            }
        }
        if search.cx.is_crowded {
            let mut forecast = std::mem::take(&mut search.future.forecast);
            forecast.begin(items, |item| search.item_operands(item), |item| search.num_results(item));
            search.future.forecast = forecast;
        }
        search
    }

    /// The states at the end, the best first.
    pub(crate) fn into_states(self) -> Vec<State> {
        self.states
    }

    fn item_operands(&self, item: &Item) -> Vec<Slot> {
        match item {
            Item::Label(_) | Item::Save(_) => Vec::new(),
            Item::Fetch { slot, .. } => vec![*slot],
            Item::Exec(inst) => {
                let callee = callee_of(self.cx.func, *inst);
                let has_label = callee.is_some_and(|callee| self.cx.conventions[callee].returns);
                let label = has_label.then(|| Slot::label(*inst));
                label.into_iter().chain(self.operands(*inst)).collect()
            }
        }
    }

    fn num_results(&self, item: &Item) -> i32 {
        match item {
            Item::Label(_) | Item::Save(_) | Item::Fetch { .. } => 0,
            Item::Exec(inst) => self.cx.func.dfg.results(*inst).len() as i32,
        }
    }

    fn operands(&self, inst: Inst) -> SmallVec<[Slot; 8]> {
        let values = super::live::stack_operands(self.cx.func, self.cx.conventions, inst);
        values.into_iter().map(|value| self.cx.prices.homes.slot(value)).collect()
    }

    /// Does all items, after storing the parameters that live in memory.
    pub(crate) fn run(&mut self, items: &[Item], stored: &[Slot]) -> Result<(), Unreachable> {
        let result = self.settle_entry(stored).and_then(|()| self.run_items(items));
        if result.is_err() {
            // Uses that nothing came to must not count in the next search.
            for item in items {
                if let Item::Exec(inst) = item {
                    let operands = self.operands(*inst);
                    operands.iter().for_each(|slot| self.future.forget_uses(*slot));
                }
            }
        }
        result
    }

    fn run_items(&mut self, items: &[Item]) -> Result<(), Unreachable> {
        for (at, item) in items.iter().enumerate() {
            if self.cx.is_crowded {
                self.future.forecast.set_now(at);
                self.lift();
            }
            match *item {
                Item::Label(call) => self.push_label(call),
                Item::Fetch { slot, user } => self.fetch(slot, user)?,
                Item::Exec(inst) => self.exec(inst)?,
                Item::Save(call) => self.save(call),
            }
            self.check_height()?;
        }
        if let ([state], false) = (self.states.as_mut_slice(), items.is_empty()) {
            // One alone was not compared with others.
            let needed = Needed { future: self.future, homes: self.cx.prices.homes };
            state.outlook = outlook(&state.stack, &needed, &self.cx);
        }
        Ok(())
    }

    /// Fails early where all states are too dear, and where a stack grows without end: its words
    /// would not be reached again, and every step would cost more than the one before.
    fn check_height(&self) -> Result<(), Unreachable> {
        let is_dear = self.states.iter().all(|state| state.cost >= self.cx.least);
        let Some(State { stack, .. }) = self.states.first().filter(|_| !is_dear) else {
            return Err(Unreachable { slot: Slot::JUNK, depth: 0 });
        };
        match stack.len() > self.cx.greatest_height {
            true => Err(Unreachable { slot: stack[0], depth: stack.len() as u16 }),
            false => Ok(()),
        }
    }

    /// Sends the block's parameters that live in memory home, from the top if they lie there, and
    /// drops dead words from the top.
    fn settle_entry(&mut self, stored: &[Slot]) -> Result<(), Unreachable> {
        self.expand(|search, state| {
            let mut state = state.clone();
            let mut stored: Stack = SmallVec::from_slice(stored);
            while let Some(top) = state.stack.last().copied().filter(|_| !stored.is_empty()) {
                if stored.last() == Some(&top) {
                    search.store(&mut state, top);
                    stored.pop();
                } else if search.is_dead_top(&state) && !stored.contains(&top) {
                    search.pop(&mut state);
                } else {
                    let is_other = |slot: &Slot| !stored.contains(slot);
                    let mut target: Stack = state.stack.iter().copied().filter(is_other).collect();
                    target.extend_from_slice(&stored);
                    search.shuffle_state(&mut state, &target)?;
                }
            }
            search.accept(state);
            Ok(())
        })
    }

    fn is_in_memory(&self, slot: Slot) -> bool {
        slot.as_value().is_some_and(|value| matches!(self.cx.prices.homes.home(value), Home::Memory(_)))
    }

    /// Stores the top into its memory.
    fn store(&mut self, state: &mut State, slot: Slot) {
        let value = slot.as_value().expect("invariant: only values live in memory");
        state.stack.pop();
        state.last = self.trail.push(state.last, Action::Store(value));
        state.cost += u64::from(self.cx.prices.of(6, 4));
    }

    fn push_label(&mut self, call: Inst) {
        let slot = Slot::label(call);
        self.future.labels.push(call);
        for state in &mut self.states {
            state.stack.push(slot);
            state.last = self.trail.push(state.last, Action::Move(Move::Make(slot)));
        }
    }

    /// Pushes what lives in memory and is needed after the call.
    fn save(&mut self, call: Inst) {
        let available = std::mem::take(&mut self.future.available);
        for value in &available {
            if !self.future.is_needed(*value) {
                continue;
            }
            let slot = Slot::value(*value);
            self.future.saved.push((call, slot));
            let cost = self.cx.prices.make(slot).unwrap_or_default();
            for state in &mut self.states {
                state.stack.push(slot);
                state.cost += u64::from(cost);
                state.last = self.trail.push(state.last, Action::Move(Move::Make(slot)));
            }
        }
        self.future.available = available;
    }

    fn fetch(&mut self, slot: Slot, user: Inst) -> Result<(), Unreachable> {
        self.future.remove_use(slot);
        let is_kept = slot.as_value().is_some_and(|value| self.cx.prices.homes.is_on_stack(value));
        self.expand(|search, state| {
            let result = search.arrange(state, &[slot], |search, state| {
                search.next.push(state);
                Ok(())
            });
            if is_kept && state.stack.last() != Some(&slot) {
                search.next.push(state.clone());
                return Ok(());
            }
            result
        })?;
        self.future.open.push((user, slot));
        self.select();
        Ok(())
    }

    fn exec(&mut self, inst: Inst) -> Result<(), Unreachable> {
        let mut operands = self.operands(inst);
        for slot in &operands {
            match self.future.open.iter().position(|entry| *entry == (inst, *slot)) {
                Some(at) => {
                    self.future.open.remove(at);
                }
                None => self.future.remove_use(*slot),
            }
        }
        let callee = callee_of(self.cx.func, inst);
        let has_label = callee.is_some_and(|callee| self.cx.conventions[callee].returns);
        let is_lost = callee.is_some() && !has_label;
        if has_label {
            self.future.labels.retain(|label| *label != inst);
            operands.insert(0, Slot::label(inst));
        }
        let swapped = match self.cx.func.dfg.op(inst) {
            Op::Evm(opcode) => opcode.with_swapped_operands().filter(|_| operands.len() == 2),
            _ => None,
        };
        let results = self.results(inst, callee);
        let exec = Exec {
            inst,
            opcode: None,
            inputs: operands.len(),
            is_stored: results.iter().any(|slot| self.is_in_memory(*slot)),
            results,
            saved: self
                .future
                .saved
                .iter()
                .filter(|(call, _)| *call == inst)
                .map(|(_, slot)| *slot)
                .collect(),
            is_last: is_lost || self.cx.func.dfg.op(inst).is_terminator(),
        };
        let exchanged = swapped.map(|opcode| Exec { opcode: Some(opcode), ..exec.clone() });
        self.expand(|search, state| {
            let arrange = |search: &mut Self, operands: &[Slot], exec: &Exec| {
                search.arrange(state, operands, |search, state| search.finish_exec(state, exec))
            };
            let Some(exchanged) = &exchanged else {
                return arrange(search, &operands, &exec);
            };
            let reversed = [operands[1], operands[0]];
            match search.is_begun(&state.stack, &operands) {
                Some(true) => arrange(search, &operands, &exec),
                Some(false) => arrange(search, &reversed, exchanged),
                None => {
                    let first = arrange(search, &operands, &exec);
                    let second = arrange(search, &reversed, exchanged);
                    first.or(second)
                }
            }
        })?;
        self.future.saved.retain(|(call, _)| *call != inst);
        let stored = exec.results.iter().filter(|slot| self.is_in_memory(**slot));
        let stored: SmallVec<[Value; 4]> = stored.filter_map(|slot| slot.as_value()).collect();
        self.future.available.extend(stored);
        self.select();
        Ok(())
    }

    /// What an instruction leaves, bottom first.
    fn results(&self, inst: Inst, callee: Option<Func>) -> SmallVec<[Slot; 4]> {
        let values = self.cx.func.dfg.results(inst);
        match callee {
            Some(callee) => {
                let order = &self.cx.conventions[callee].results;
                order.iter().map(|index| Slot::value(values[*index as usize])).collect()
            }
            None => values.iter().map(|value| Slot::value(*value)).collect(),
        }
    }

    /// Shuffles a state to a target.
    fn shuffle_state(&mut self, state: &mut State, target: &[Slot]) -> Result<(), Unreachable> {
        let mut moves = Moves::new();
        let cost = shuffle(&mut state.stack, target, &self.cx.prices, &mut moves)?;
        state.cost += u64::from(cost);
        state.last = self.trail.extend(state.last, &moves);
        Ok(())
    }

    /// Brings operands to the top in every way worth pricing.
    fn arrange(
        &mut self,
        state: &State,
        operands: &[Slot],
        mut then: impl FnMut(&mut Self, State) -> Result<(), Unreachable>,
    ) -> Result<(), Unreachable> {
        let needed = Needed { future: self.future, homes: self.cx.prices.homes };
        let mut result = Err(Unreachable { slot: Slot::JUNK, depth: 0 });
        for target in targets(&state.stack, operands, &needed, self.cx.is_crowded) {
            let mut next = state.clone();
            match self.shuffle_state(&mut next, &target).and_then(|()| then(self, next)) {
                Ok(()) => result = Ok(()),
                Err(failure) => result = result.or(Err(failure)),
            }
        }
        result
    }

    /// Runs `step` on each state; the states it accepts become the next ones. Fails if no state
    /// can go on.
    fn expand(
        &mut self,
        mut step: impl FnMut(&mut Self, &State) -> Result<(), Unreachable>,
    ) -> Result<(), Unreachable> {
        let states = std::mem::take(&mut self.states);
        let mut failure = None;
        for state in &states {
            if let Err(far) = step(self, state) {
                failure.get_or_insert(far);
            }
        }
        self.states = std::mem::replace(&mut self.next, states);
        self.next.clear();
        match failure {
            Some(failure) if self.states.is_empty() => Err(failure),
            _ => Ok(()),
        }
    }

    /// Takes a state whose stack may have dead words on top.
    fn accept(&mut self, mut state: State) {
        if !self.cx.is_lazy || state.stack.len() > LAZY_HEIGHT {
            self.drop_dead_top(&mut state);
        }
        self.next.push(state);
    }

    fn drop_dead_top(&mut self, state: &mut State) {
        while self.is_dead_top(state) {
            self.pop(state);
        }
    }

    /// True when there is a word on top that nobody needs.
    fn is_dead_top(&self, state: &State) -> bool {
        state.stack.last().is_some_and(|top| self.is_spare(&state.stack, *top))
    }

    /// True when not all copies of a word are needed.
    fn is_spare(&self, stack: &Stack, slot: Slot) -> bool {
        let needed = Needed { future: self.future, homes: self.cx.prices.homes };
        stack.iter().filter(|other| **other == slot).count() > needed.need(slot)
    }

    /// For two operands that may change places: whether the stack is closer to their order than to
    /// the other one. `None` if none that may be consumed is on top.
    fn is_begun(&self, stack: &Stack, operands: &[Slot]) -> Option<bool> {
        let (top, rest) = stack.split_last()?;
        let (deep, high) = (operands[0], operands[1]);
        if ![deep, high].contains(top) || !self.is_spare(stack, *top) {
            return None;
        }
        let other = if *top == high { deep } else { high };
        let is_whole = rest.last() == Some(&other) && self.is_spare(stack, other);
        Some((*top == high) == is_whole)
    }

    fn pop(&mut self, state: &mut State) {
        state.stack.pop();
        state.last = self.trail.push(state.last, Action::Move(Move::Pop));
        state.cost += u64::from(self.cx.prices.pop());
    }
}

/// Height up to which dead words may stay where nobody needs a clean stack.
const LAZY_HEIGHT: usize = 48;
