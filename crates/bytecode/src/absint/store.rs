//! What the abstract interpreter remembers: stacks, states, procedures, callers, exits.
//!
//! Definitions. A *procedure* is code entered at one block with a stack of which nothing is known:
//! its words are inputs. A *state* is a block within a procedure with a stack relative to the
//! procedure's entry: `base` inputs are gone, `count` words lie on what is left. A *caller* is an
//! entry into a procedure from a state of another; an *exit* is a jump to an input, that is, to
//! where the caller said. Lists are threaded through dense tables, so nothing is allocated a state.

use super::summary::MAX_FLAG;
use super::value::Value;
use crate::blocks::BlockId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub(crate) type ProcId = u32;
pub(crate) type StateId = u32;
pub(crate) type CallerId = u32;
pub(crate) type ExitId = u32;

/// End of a list.
pub(crate) const NONE: u32 = u32::MAX;

/// The procedure in which execution begins, with an empty stack.
pub(crate) const MAIN: ProcId = 0;

/// A stack relative to the entry of its procedure; values lie in the arena, the topmost last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stack {
    pub(crate) base: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl Stack {
    /// Height above the entry of the procedure.
    pub(crate) fn delta(self) -> i32 {
        self.count as i32 - self.base as i32
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) proc: ProcId,
    pub(crate) block: BlockId,
    pub(crate) stack: Stack,
    pub(crate) next: StateId,
    /// Heights above the procedure's entry; they differ only where the frame halts.
    pub(crate) low: i32,
    pub(crate) high: i32,
    pub(crate) is_queued: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Proc {
    pub(crate) entry: BlockId,
    pub(crate) first_caller: CallerId,
    pub(crate) first_exit: ExitId,
    pub(crate) num_exits: u32,
    pub(crate) num_callers: u32,
    pub(crate) callers: CallerSet,
}

/// Which callers a procedure has, about: it may tell of one that there is not. Where open jumps lead everywhere,
/// a procedure has callers from all others, and most that are looked for are new.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallerSet {
    /// A bit for each procedure and way, several of which share one.
    bits: [u64; 4],
    /// How many were added.
    pub(crate) count: u32,
}

impl CallerSet {
    pub(crate) fn insert(&mut self, proc: ProcId, way: Entered) {
        let bit = CallerSet::bit(proc, way);
        self.bits[bit / 64] |= 1 << (bit % 64);
        self.count += 1;
    }

    /// False if no caller of a procedure was added that enters in this way.
    pub(crate) fn may_have(&self, proc: ProcId, way: Entered) -> bool {
        let bit = CallerSet::bit(proc, way);
        self.bits[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn bit(proc: ProcId, way: Entered) -> usize {
        let number = proc << 1 | u32::from(way == Entered::ByCall);
        (number.wrapping_mul(0x9e37_79b9) >> 24) as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    /// Procedure of the calling state.
    pub(crate) proc: ProcId,
    /// Procedure that is entered.
    pub(crate) callee: ProcId,
    pub(crate) stack: Stack,
    pub(crate) next: CallerId,
    pub(crate) entered: Entered,
    /// Its exits have been applied; new exits come by themselves.
    pub(crate) is_ready: bool,
    pub(crate) is_queued: bool,
}

/// How a procedure is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// With a return address on the stack.
    ByCall,
    /// As any block is.
    Plainly,
}

/// Who jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The last instruction of a block.
    Block(BlockId),
    /// Whatever leads to an exit of a callee.
    Exit(ExitId),
}

/// Blocks that an exit goes to.
pub(crate) type Targets = SmallVec<[BlockId; 4]>;

#[derive(Clone, Debug)]
pub(crate) struct Exit {
    pub(crate) proc: ProcId,
    /// The input that is jumped to.
    pub(crate) via: u32,
    pub(crate) is_masked: bool,
    pub(crate) stack: Stack,
    pub(crate) next: ExitId,
    pub(crate) origins: SmallVec<[Origin; 2]>,
    pub(crate) targets: Targets,
    pub(crate) is_unresolved: bool,
    pub(crate) is_invalid: bool,
    pub(crate) is_ready: bool,
    pub(crate) is_queued: bool,
}

/// The first state of each block in each procedure. Nearly all blocks are in one procedure; what another one has
/// there is looked up in a table.
pub(crate) struct FirstStates {
    /// By block: the procedure that was there last, and its state.
    last: Vec<(ProcId, StateId)>,
    others: FxHashMap<(ProcId, BlockId), StateId>,
}

impl FirstStates {
    pub(crate) fn new(blocks: usize) -> FirstStates {
        FirstStates { last: vec![(NONE, NONE); blocks], others: FxHashMap::default() }
    }

    /// The first of the list of states; [`NONE`] where there is no state.
    pub(crate) fn of(&self, proc: ProcId, block: BlockId) -> StateId {
        match self.last[block as usize] {
            (_, NONE) => NONE,
            (last, state) if last == proc => state,
            _ => self.others.get(&(proc, block)).copied().unwrap_or(NONE),
        }
    }

    pub(crate) fn set(&mut self, proc: ProcId, block: BlockId, state: StateId) {
        let (before, of_before) = std::mem::replace(&mut self.last[block as usize], (proc, state));
        if before != proc && before != NONE {
            self.others.insert((before, block), of_before);
        }
    }
}

/// How a new stack relates to one that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Nothing new.
    Covered,
    /// Covered once some words of the known stack are forgotten.
    Widens,
    /// Neither.
    Different,
}

/// Compares stacks of equal shape word by word.
pub(crate) fn relation(known: &[Value], new: &[Value]) -> Relation {
    let mut relation = Relation::Covered;
    // Stacks of one place differ near the top, if they do: what lies below is that of the same callers.
    for (known, new) in known.iter().zip(new).rev() {
        if known == new || known.is_unknown() {
            continue;
        }
        if !new.is_unknown() && !is_flag(*known) && !is_flag(*new) {
            return Relation::Different;
        }
        relation = Relation::Widens;
    }
    relation
}

/// Forgets the words of `known` that `new` does not know, and flags that differ.
pub(crate) fn widen(known: &mut [Value], new: &[Value]) {
    for (known, new) in known.iter_mut().zip(new) {
        if known != new {
            *known = Value::UNKNOWN;
        }
    }
}

fn is_flag(value: Value) -> bool {
    value.as_const().is_some_and(|small| small <= MAX_FLAG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_states_are_those_of_a_table() {
        let (mut first, mut table) = (FirstStates::new(4), FxHashMap::default());
        for step in 0..500u32 {
            let random = step.wrapping_mul(0x9e37_79b9) >> 16;
            let (proc, block) = (random % 5, random / 5 % 4);
            let known = table.get(&(proc, block)).copied().unwrap_or(NONE);
            assert_eq!(first.of(proc, block), known, "{step}");
            if random & 64 == 0 {
                first.set(proc, block, step);
                table.insert((proc, block), step);
            }
        }
    }
}
