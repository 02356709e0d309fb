//! What a block does, item by item.

use super::future::{Future, Needed};
use super::select::outlook;
use super::state::{BlockCx, Search, State};
use crate::context::callee_of;
use crate::global::facts::live::stack_operands;
use crate::global::facts::order::Item;
use crate::global::stack::shuffle::{Move, Unreachable};
use crate::global::stack::slot::{Slot, Stack};
use crate::global::stack::trail::{Action, Trail};
use cairn_ir::Inst;
use smallvec::SmallVec;

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

    pub(super) fn operands(&self, inst: Inst) -> SmallVec<[Slot; 8]> {
        let values = stack_operands(self.cx.func, self.cx.conventions, inst);
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
        match stack.len() > self.cx.max_height {
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
            self.future.add_saved(call, slot);
            let mut states = std::mem::take(&mut self.states);
            states.iter_mut().for_each(|state| self.make(state, slot));
            self.states = states;
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
        self.future.add_open(user, slot);
        self.select();
        Ok(())
    }
}
