//! What lies ahead in a block: where each word is used next and how high the stack will be.
//!
//! Used when a stack is crowded: a word that will be out of reach at its next use must come up in
//! time, in exchange for one that is used later.

use crate::global::facts::order::Item;
use crate::global::stack::slot::{Slot, SlotKind};
use cairn_ir::{SecondaryMap, Value};
use rustc_hash::FxHashMap;

/// Items that a word needed after the block is assumed to be away from the block's end.
const AFTER_END: u32 = 16;
/// The return address is used after everything else.
const AT_RETURN: u32 = 1 << 16;

/// A use of a value.
#[derive(Clone, Copy)]
struct Use {
    item: u32,
    /// Operands that are pushed before it for the same instruction.
    pushed_before: u32,
    /// The next use of the same value (`u32::MAX`: none).
    next: u32,
}

/// See the head of this module.
#[derive(Default)]
pub(crate) struct Forecast {
    /// For each value its first use to come, as an index in `uses`.
    first: SecondaryMap<Value, u32>,
    /// Uses, later ones first.
    uses: Vec<Use>,
    /// Height of the stack before each item, relative to the block's start.
    heights: Vec<i32>,
    now: u32,
}

impl Forecast {
    /// Looks at all items of a block; `operands` gives the operands of each.
    pub(crate) fn begin(
        &mut self,
        items: &[Item],
        operands: impl Fn(&Item) -> Vec<Slot>,
        results: impl Fn(&Item) -> i32,
    ) {
        self.uses.clear();
        self.heights.clear();
        self.now = 0;
        let lists: Vec<Vec<Slot>> = items.iter().map(&operands).collect();
        for value in lists.iter().flatten().filter_map(|slot| slot.as_value()) {
            self.first[value] = u32::MAX;
        }
        let mut last_use: FxHashMap<Value, u32> = FxHashMap::default();
        for (at, list) in lists.iter().enumerate().rev() {
            for (pushed_before, slot) in list.iter().enumerate() {
                if let Some(value) = slot.as_value() {
                    last_use.entry(value).or_insert(at as u32);
                    let (item, pushed_before) = (at as u32, pushed_before as u32);
                    self.uses.push(Use { item, pushed_before, next: self.first[value] });
                    self.first[value] = self.uses.len() as u32 - 1;
                }
            }
        }
        let mut height = 0;
        for (at, item) in items.iter().enumerate() {
            self.heights.push(height);
            match item {
                Item::Label(_) | Item::Fetch { .. } | Item::Save(_) => height += 1,
                Item::Exec(_) => {
                    let dies = |slot: &&Slot| match slot.kind() {
                        SlotKind::Value(value) => last_use.get(&value) == Some(&(at as u32)),
                        SlotKind::Label(_) => true,
                        SlotKind::Const(_) | SlotKind::ReturnAddress | SlotKind::Junk => false,
                    };
                    height -= lists[at].iter().filter(dies).count() as i32;
                    height += results(item);
                }
            }
        }
        self.heights.push(height);
    }

    /// The search stands before this item.
    pub(crate) fn set_now(&mut self, item: usize) {
        self.now = item as u32;
    }

    fn next(&self, value: Value) -> Option<Use> {
        let mut at = self.first.get(value).copied().unwrap_or(u32::MAX);
        while let Some(found) = self.uses.get(at as usize) {
            if found.item >= self.now {
                return Some(*found);
            }
            at = found.next;
        }
        None
    }

    /// The item at which a word is used next, if it is needed at all.
    pub(crate) fn next_use(&self, slot: Slot) -> u32 {
        let after = self.heights.len() as u32 + AFTER_END;
        match slot.kind() {
            SlotKind::Value(value) => self.next(value).map_or(after, |found| found.item),
            SlotKind::ReturnAddress => AT_RETURN,
            SlotKind::Const(_) | SlotKind::Label(_) | SlotKind::Junk => after,
        }
    }

    /// By how much the stack is going to be higher when a word is used next.
    pub(crate) fn growth_until_use(&self, slot: Slot) -> i32 {
        let found = slot.as_value().and_then(|value| self.next(value));
        match found {
            Some(found) => self.growth(found.item) + found.pushed_before as i32,
            None => self.growth(u32::MAX),
        }
    }

    /// By how much the stack is higher at an item than now.
    fn growth(&self, item: u32) -> i32 {
        let last = self.heights.len() - 1;
        let at = |item: u32| self.heights[(item as usize).min(last)];
        at(item) - at(self.now)
    }

    /// Items from now to another one.
    pub(crate) fn distance(&self, item: u32) -> u32 {
        item.saturating_sub(self.now)
    }
}
