//! What blocks need on their entry stacks, and what an edge makes of a stack.

use super::func::FuncFacts;
use super::homes::Home;
use super::live::edge_args;
use crate::global::stack::slot::{Slot, Stack};
use cairn_ir::{Block, Value, ValueDef};

/// What becomes of dead words below the highest needed one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeadWords {
    /// They stay, as junk.
    Stay,
    Go,
}

impl FuncFacts<'_> {
    /// What a block needs on its entry stack: words that live in, then parameters that stay on the
    /// stack, then those to be stored.
    pub(crate) fn needs(&self, block: Block) -> Vec<Slot> {
        let mut needs = Vec::new();
        if self.graph.returning.contains(block) && self.cx.conventions[self.cx.own].returns {
            needs.push(Slot::RETURN_ADDRESS);
        }
        let live = self.live.live_in[block].iter().filter(|value| self.homes.is_on_stack(**value));
        needs.extend(live.map(|value| Slot::value(*value)));
        let params = self.func.dfg.params(block).iter().filter(|value| self.live.needed.contains(**value));
        needs.extend(params.clone().filter(|value| self.homes.is_on_stack(**value)).map(|v| Slot::value(*v)));
        needs.extend(self.stored_params(block));
        needs
    }

    /// The block's parameters that are stored on entry.
    pub(crate) fn stored_params(&self, block: Block) -> Vec<Slot> {
        let is_stored = |value: &&Value| {
            matches!(self.homes.home(**value), Home::Memory(_)) && self.live.needed.contains(**value)
        };
        self.func.dfg.params(block).iter().filter(is_stored).map(|value| Slot::value(*value)).collect()
    }

    /// What a predecessor must leave so that `block` finds `layout`.
    pub(crate) fn edge_target(&self, pred: Block, block: Block, layout: &Stack) -> Stack {
        let last = self.graph.last[pred].expect("invariant: a predecessor has a terminator");
        let args: Vec<(Value, Value)> = edge_args(self.func, last).collect();
        let translate = |slot: &Slot| {
            let index = slot.as_value().and_then(|value| match self.func.dfg.def(value) {
                ValueDef::Param(owner, index) if owner == block => Some(index as usize),
                ValueDef::Param(..) | ValueDef::Result(..) => None,
            });
            index.and_then(|index| args.get(index)).map_or(*slot, |(_, arg)| self.homes.slot(*arg))
        };
        layout.iter().map(translate).collect()
    }

    /// The stack of a predecessor in the words of `block`, words that it lacks on top.
    pub(crate) fn project(&self, pred: Block, block: Block, stack: &Stack, dead: DeadWords) -> Stack {
        let last = self.graph.last[pred].expect("invariant: a predecessor has a terminator");
        let mut missing = self.needs(block);
        let stored = self.stored_params(block);
        missing.retain(|slot| !stored.contains(slot));
        let args: Vec<(Slot, Slot)> = edge_args(self.func, last)
            .map(|(param, arg)| (Slot::value(param), self.homes.slot(arg)))
            .collect();
        let mut layout = Stack::new();
        for word in stack {
            let found = missing
                .iter()
                .position(|need| need == word)
                .or_else(|| missing.iter().position(|need| args.contains(&(*need, *word))));
            match found {
                Some(at) => layout.push(missing.remove(at)),
                None if dead == DeadWords::Stay => layout.push(Slot::JUNK),
                None => {}
            }
        }
        while layout.last() == Some(&Slot::JUNK) {
            layout.pop();
        }
        layout.extend(missing);
        layout.extend(stored);
        layout
    }
}
