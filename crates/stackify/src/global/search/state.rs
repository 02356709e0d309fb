//! The search of one block: its states and what does not change.

use super::future::Future;
use crate::code::Convention;
use crate::effort::Effort;
use crate::global::facts::prices::BlockPrices;
use crate::global::stack::slot::{Slot, Stack};
use crate::global::stack::trail::{TRAIL_START, Trail};
use cairn_evm::Opcode;
use cairn_ir::{Func, Function, Inst, SecondaryMap};
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
    pub(crate) max_height: usize,
    /// States kept side by side.
    pub(crate) width: usize,
    /// Words have been out of reach: looks ahead for those that will be.
    pub(crate) is_crowded: bool,
    /// States that cost more than the best by so many halves of an exchange are dropped.
    pub(crate) margin_halves: Option<u64>,
    /// How much is tried.
    pub(crate) effort: &'a Effort,
    /// States that cost as much are of no use.
    pub(crate) limit: Option<u64>,
    /// When all states cost as much, the search is given up.
    pub(crate) least: u64,
}

/// An instruction to be carried out on each state.
#[derive(Clone)]
pub(super) struct Exec {
    pub(super) inst: Inst,
    /// The opcode if the operands are exchanged.
    pub(super) opcode: Option<Opcode>,
    pub(super) inputs: usize,
    /// The last of them, if it is made right before.
    pub(super) late: Option<Slot>,
    /// What it leaves, bottom first.
    pub(super) results: SmallVec<[Slot; 4]>,
    /// What was saved on the stack around it.
    pub(super) saved: SmallVec<[Slot; 4]>,
    /// Nothing comes after it: a terminator, or a call that never comes back.
    pub(super) is_last: bool,
    /// Some result goes to memory.
    pub(super) is_stored: bool,
}

/// The search of one block.
pub(crate) struct Search<'a> {
    /// What does not change.
    pub(crate) cx: BlockCx<'a>,
    /// Actions of all states.
    pub(crate) trail: &'a mut Trail,
    pub(super) future: &'a mut Future,
    /// The best states, the first the best.
    pub(crate) states: Vec<State>,
    pub(super) next: Vec<State>,
}
