//! The abstract interpreter: which stacks reach which blocks.
//!
//! Every reachable block is executed abstractly for each stack that differs in more than what is
//! unknown anyway. A block that is entered with a second, different stack, or by a jump that
//! leaves the address after itself on the stack, becomes a procedure of its own: it is analysed
//! once, on inputs, and its exits are applied to the stacks of its callers. So callers of one
//! function are kept apart however deep calls nest, and a function costs its own size once.
//!
//! Invariants: an edge that can execute is found or its jump is marked unresolved; work is bounded
//! by fuel, and when that is spent `gave_up` is set and nothing found here may be relied on. What
//! is copied, compared or computed costs fuel too, so that fuel bounds the time: see
//! [`WORDS_A_STEP`].

mod calls;
mod execute;
mod flow;
mod jumps;
mod words;

use crate::absint::store::{
    Caller, CallerId, CallerSet, Exit, ExitId, FirstStates, MAIN, NONE, Proc, ProcId, State, StateId,
};
use crate::absint::subject::Subject;
use crate::absint::summary::{Precision, Summarizer, Summary};
use crate::absint::value::{SetPool, Value};
use crate::blocks::{BlockEnd, BlockId, Blocks, NO_BLOCK};
use rustc_hash::{FxHashMap, FxHashSet};

/// The stack limit of the EVM, as heights are counted here.
pub(crate) const STACK_LIMIT: u32 = cairn_evm::STACK_LIMIT as u32;

/// Words that one unit of fuel copies or compares: a step of a program with a low stack costs
/// little more than one unit, one with a stack of a thousand words as much as it takes.
pub(crate) const WORDS_A_STEP: u64 = 64;
/// Words that one operation on words counts as.
const WORDS_AN_OPERATION: u64 = 16;

/// Blocks for each procedure, and for each of its callers, about: there is room for so many at first.
const BLOCKS_A_PROC: usize = 8;
const BLOCKS_A_CALLER: usize = 2;

/// Which jumps enter procedures.
#[derive(Clone, Debug)]
pub(crate) enum CallPolicy {
    /// Every `JUMP` that leaves an address on the stack; blocks with many stacks besides.
    Discover,
    /// Jumps to these blocks with an address so many words below the top; nothing else.
    Only(FxHashMap<BlockId, u32>),
}

#[derive(Clone, Copy)]
enum Work {
    State(StateId),
    Caller(CallerId),
    Exit(ExitId),
}

/// A jump edge that was found at a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FoundEdge {
    pub(crate) from: BlockId,
    pub(crate) to: BlockId,
    pub(crate) is_call: bool,
    /// Words above the address after the jump, where that lies on the stack.
    pub(crate) words_above_next: Option<u32>,
    /// The block at the topmost address on the stack of a call.
    pub(crate) return_to: Option<BlockId>,
}

impl FoundEdge {
    /// The call that the edge is, if it is known where it returns to.
    pub(crate) fn call_site(&self) -> Option<CallSite> {
        let FoundEdge { from, to, return_to, .. } = *self;
        Some(CallSite { from, callee: to, return_to: return_to? })
    }
}

/// A call and the block that it returns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CallSite {
    pub(crate) from: BlockId,
    pub(crate) callee: BlockId,
    pub(crate) return_to: BlockId,
}

/// What is known of a block's jump besides its edges.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JumpFacts {
    pub(crate) is_unresolved: bool,
    pub(crate) is_invalid: bool,
}

pub(crate) struct Engine<'a> {
    pub(crate) blocks: &'a Blocks,
    pub(crate) summarizer: Summarizer<'a>,
    pub(crate) policy: CallPolicy,
    summaries: Vec<Option<Summary>>,
    pub(crate) pool: SetPool,
    pub(crate) arena: Vec<Value>,
    pub(crate) states: Vec<State>,
    pub(crate) first_state: FirstStates,
    pub(crate) procs: Vec<Proc>,
    pub(crate) proc_of: Vec<ProcId>,
    pub(crate) callers: Vec<Caller>,
    pub(crate) exits: Vec<Exit>,
    /// Targets of exits that have many: those behind the first.
    more_targets: FxHashSet<(ExitId, BlockId)>,
    pub(crate) edges: Vec<FoundEdge>,
    last_edge: Vec<BlockId>,
    pub(crate) jumps: Vec<JumpFacts>,
    pub(crate) reached: Vec<bool>,
    /// Blocks that may find fewer words than they need.
    pub(crate) underflows: Vec<BlockId>,
    /// Blocks that may grow the stack past its limit.
    pub(crate) overflows: Vec<BlockId>,
    /// Blocks that go on, and that ways within a procedure enter with different heights.
    pub(crate) disagreeing: Vec<BlockId>,
    pub(crate) gave_up: bool,
    /// A jump goes to where no code is: whether bytes follow it makes a difference.
    pub(crate) asks_for_end: bool,
    /// Words that may still be touched.
    pub(crate) left: u64,
    work: Vec<Work>,
    pub(crate) scratch: Vec<Value>,
    refined: Vec<Value>,
    expr_values: Vec<Value>,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(subject: Subject<'a>, precision: Precision) -> Engine<'a> {
        let count = subject.blocks.len();
        Engine {
            blocks: subject.blocks,
            summarizer: Summarizer::new(subject, precision),
            policy: CallPolicy::Discover,
            summaries: vec![None; count],
            pool: SetPool::default(),
            arena: Vec::with_capacity(16 * count),
            states: Vec::with_capacity(2 * count),
            first_state: FirstStates::new(count),
            procs: Vec::with_capacity(count / BLOCKS_A_PROC),
            proc_of: vec![NONE; count],
            callers: Vec::with_capacity(count / BLOCKS_A_CALLER),
            exits: Vec::with_capacity(count / BLOCKS_A_PROC),
            more_targets: FxHashSet::default(),
            edges: Vec::with_capacity(count),
            last_edge: vec![NO_BLOCK; count],
            jumps: vec![JumpFacts::default(); count],
            reached: vec![false; count],
            underflows: Vec::new(),
            overflows: Vec::new(),
            disagreeing: Vec::new(),
            gave_up: false,
            asks_for_end: false,
            left: 0,
            work: Vec::new(),
            scratch: Vec::new(),
            refined: Vec::new(),
            expr_values: Vec::new(),
        }
    }

    /// Runs to the fixed point, or until the fuel is spent.
    pub(crate) fn run(&mut self, fuel: u64) {
        if self.blocks.is_empty() {
            return;
        }
        self.left = fuel * WORDS_A_STEP;
        self.add_proc(NO_BLOCK);
        self.scratch.clear();
        self.flow(MAIN, 0, 0, &[]);
        self.work_off();
    }

    /// Enters what nothing enters or falls into as a function that an open jump may call.
    pub(crate) fn enter_unreached(&mut self, fuel: u64) {
        self.left = fuel * WORDS_A_STEP;
        for block in self.blocks.jump_targets().filter(|block| *block > 0) {
            let before = self.blocks.get(block - 1).ends;
            let falls = matches!(before, BlockEnd::Fallthrough | BlockEnd::JumpI);
            if !falls && !self.reached[block as usize] && !self.gave_up {
                self.proc_at(block);
                self.work_off();
            }
        }
    }

    fn work_off(&mut self) {
        while let Some(work) = self.work.pop() {
            self.spend(WORDS_A_STEP);
            if self.gave_up {
                return;
            }
            match work {
                Work::State(state) => self.execute(state),
                Work::Caller(caller) => self.apply_exits(caller),
                Work::Exit(exit) => self.apply_to_callers(exit),
            }
        }
    }

    /// Pays for touching so many words; gives up when they are not left.
    fn spend(&mut self, words: u64) {
        self.gave_up |= self.left < words;
        self.left = self.left.saturating_sub(words);
    }

    pub(crate) fn precision(&self) -> Precision {
        self.summarizer.precision
    }

    fn add_proc(&mut self, entry: BlockId) -> ProcId {
        self.procs.push(Proc {
            entry,
            first_caller: NONE,
            first_exit: NONE,
            num_exits: 0,
            num_callers: 0,
            callers: CallerSet::default(),
        });
        self.procs.len() as ProcId - 1
    }

    #[inline]
    pub(crate) fn summary(&mut self, block: BlockId) -> Summary {
        match self.summaries[block as usize] {
            Some(summary) => summary,
            None => self.summarize(block),
        }
    }

    #[inline(never)]
    fn summarize(&mut self, block: BlockId) -> Summary {
        let data = self.blocks.get(block);
        let summary = self.summarizer.summarize(data, &mut self.pool, &mut self.arena);
        self.summaries[block as usize] = Some(summary);
        summary
    }
}
