//! A function while it is planned, and what comes out.

use crate::code::Exit;
use crate::global::facts::func::FuncFacts;
use crate::global::search::future::Future;
use crate::global::search::state::State;
use crate::global::stack::shuffle::Unreachable;
use crate::global::stack::slot::Stack;
use crate::global::stack::trail::{Action, Trail};
use cairn_ir::{Block, Inst, SecondaryMap};
use cranelift_entity::EntitySet;

/// A planned block.
pub(crate) struct BlockPlan {
    pub(crate) block: Block,
    pub(crate) entry: Stack,
    pub(crate) actions: Vec<Action>,
    pub(crate) exit: Exit,
}

/// A planned function.
pub(crate) struct Plan {
    pub(crate) blocks: Vec<BlockPlan>,
    /// Sum of the costs of all blocks.
    pub(crate) cost: u64,
}

/// A word out of reach, and the stack it lies in.
#[derive(Clone, Debug)]
pub(crate) struct Stuck {
    /// The word.
    pub(crate) far: Unreachable,
    /// Words above it and it, deepest first, as far as known.
    pub(crate) above: Stack,
    /// The block that was planned.
    pub(crate) block: Block,
}

/// How a block ends.
pub(crate) enum End {
    Jump(Block),
    Branch {
        then: Block,
        otherwise: Block,
    },
    /// Through the table of a switch.
    Table(Inst),
    Halt,
    /// With exactly these words on the stack.
    Leave {
        target: Stack,
        exit: Exit,
    },
}

/// A function while it is planned.
pub(crate) struct Planner<'a> {
    pub(crate) facts: &'a FuncFacts<'a>,
    pub(crate) trail: Trail,
    pub(crate) future: Future,
    pub(crate) entry: SecondaryMap<Block, Option<Stack>>,
    /// States at the end of blocks whose successor's entry is not chosen yet.
    pub(crate) waiting: SecondaryMap<Block, Vec<State>>,
    pub(crate) plan: Plan,
    /// The trial that is running.
    pub(crate) trial: Option<Trial>,
    /// Instructions that trials may still plan.
    pub(crate) trial_budget: usize,
    /// Blocks that have a plan.
    pub(crate) planned: EntitySet<Block>,
}

/// How carefully a trial plans.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// Blocks are done in one order.
    Quick,
    /// Blocks are tried in other orders.
    Thorough,
}

/// What a trial changed, to be undone, and what it found.
pub(crate) struct Trial {
    /// The loop's header.
    pub(crate) header: Block,
    /// Blocks whose entry was chosen.
    pub(crate) entered: Vec<Block>,
    /// Blocks that were planned.
    pub(crate) planned: Vec<Block>,
    /// The blocks of the loop.
    pub(crate) members: EntitySet<Block>,
    /// Blocks whose states wait for their successor's entry.
    pub(crate) left: Vec<Block>,
    /// How carefully.
    pub(crate) care: Care,
    /// The stack that a latch would leave, in the header's words.
    pub(crate) offer: Option<Stack>,
}

impl<'a> Planner<'a> {
    /// Nothing planned yet.
    pub(crate) fn new(facts: &'a FuncFacts<'a>) -> Planner<'a> {
        Planner {
            facts,
            trail: Trail::default(),
            future: Future::new(),
            entry: SecondaryMap::new(),
            waiting: SecondaryMap::new(),
            plan: Plan { blocks: Vec::new(), cost: 0 },
            trial: None,
            trial_budget: facts.effort().trial_budget(facts.num_insts),
            planned: EntitySet::new(),
        }
    }
}
