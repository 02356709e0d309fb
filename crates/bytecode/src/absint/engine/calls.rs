//! Procedures: their callers, their exits, and what follows in callers after an exit.

use super::{Engine, STACK_LIMIT, WORDS_A_STEP, Work};
use crate::absint::store::{Caller, CallerId, Entered, Exit, ExitId, NONE, Origin, Proc, ProcId, Relation};
use crate::absint::summary::Precision;
use crate::absint::value::Value;
use crate::blocks::BlockId;
use smallvec::{SmallVec, smallvec};

/// Callers of a procedure.
const MAX_CALLERS: u32 = 1 << 20;
/// Callers of a procedure from one other before their words are joined.
const MAX_CALLERS_OF_WORDS: u32 = 32;
/// Callers that a new one is compared with: the last ones.
const MAX_COMPARED: u32 = 256;
/// Exits of a procedure before those of one shape are joined.
const MAX_DISTINCT_EXITS: u32 = 8;
/// Exits of a procedure.
const MAX_EXITS: u32 = 24;

impl Engine<'_> {
    /// Enters the procedure at `block`.
    pub(super) fn call(&mut self, proc: ProcId, block: BlockId, base: u32, words: &[Value], way: Entered) {
        self.reached[block as usize] = true;
        let callee = self.proc_at(block);
        let (mut id, mut count) = (self.procs[callee as usize].first_caller, 0);
        let mut left = MAX_COMPARED;
        let callers = self.procs[callee as usize].callers;
        if !callers.may_have(proc, way) {
            // As much as it takes to look at each.
            self.spend(u64::from(callers.count.min(MAX_COMPARED)));
            id = NONE;
        }
        while let Some(known) = self.caller_from(id, (proc, way), &mut left) {
            let Caller { stack, next, .. } = self.callers[known as usize];
            count += 1;
            match self.absorb(stack, base, words) {
                Relation::Covered => return,
                Relation::Widens => return self.queue_caller(known),
                Relation::Different => {}
            }
            if count > MAX_CALLERS_OF_WORDS
                && self.precision() == Precision::Words
                && self.is_joinable(stack, base, words)
            {
                self.join(stack, words);
                return self.queue_caller(known);
            }
            id = next;
        }
        let entered = &mut self.procs[callee as usize];
        entered.num_callers += 1;
        let next = entered.first_caller;
        if entered.num_callers > MAX_CALLERS || words.len() as u32 > STACK_LIMIT {
            self.gave_up |= words.len() as u32 <= STACK_LIMIT;
            return;
        }
        let id = self.callers.len() as CallerId;
        entered.first_caller = id;
        entered.callers.insert(proc, way);
        let stack = self.store(base, words);
        let (entered, is_ready, is_queued) = (way, false, true);
        self.callers.push(Caller { proc, callee, stack, next, entered, is_ready, is_queued });
        self.work.push(Work::Caller(id));
    }

    /// The first of the list of callers that is of a procedure and enters in a way, among so many as are left to be
    /// looked at.
    fn caller_from(&mut self, first: CallerId, of: (ProcId, Entered), left: &mut u32) -> Option<CallerId> {
        let (mut id, before) = (first, *left);
        let found = loop {
            if id == NONE || *left == 0 {
                break None;
            }
            *left -= 1;
            let caller = &self.callers[id as usize];
            if (caller.proc, caller.entered) == of {
                break Some(id);
            }
            id = caller.next;
        };
        self.spend(u64::from(before - *left));
        found
    }

    pub(super) fn proc_at(&mut self, block: BlockId) -> ProcId {
        let known = self.proc_of[block as usize];
        if known != NONE {
            return known;
        }
        let proc = self.add_proc(block);
        self.proc_of[block as usize] = proc;
        self.flow(proc, block, 0, &[]);
        proc
    }

    pub(super) fn add_exit(
        &mut self,
        proc: ProcId,
        via: (u32, bool),
        base: u32,
        words: &[Value],
        origin: Origin,
    ) {
        let Proc { first_exit: first, num_exits, .. } = self.procs[proc as usize];
        let mut id = first;
        while id != NONE {
            let exit = &self.exits[id as usize];
            let (stack, next, same) = (exit.stack, exit.next, (exit.via, exit.is_masked) == via);
            let mut relation = if same { self.absorb(stack, base, words) } else { Relation::Different };
            if same
                && num_exits >= MAX_DISTINCT_EXITS
                && relation == Relation::Different
                && stack.base == base
                && stack.count as usize == words.len()
            {
                self.join(stack, words);
                relation = Relation::Widens;
            }
            if relation != Relation::Different {
                let origins = &mut self.exits[id as usize].origins;
                let known = origins.len() as u64;
                if !origins.contains(&origin) {
                    origins.push(origin);
                }
                self.spend(known);
                if relation == Relation::Widens {
                    self.queue_exit(id);
                }
                return;
            }
            id = next;
        }
        let entered = &mut self.procs[proc as usize];
        entered.num_exits += 1;
        if entered.num_exits > MAX_EXITS {
            self.gave_up = true;
            return;
        }
        let id = self.exits.len() as ExitId;
        entered.first_exit = id;
        let stack = self.store(base, words);
        self.exits.push(Exit {
            proc,
            via: via.0,
            is_masked: via.1,
            stack,
            next: first,
            origins: smallvec![origin],
            targets: SmallVec::new(),
            is_unresolved: false,
            is_invalid: false,
            is_ready: false,
            is_queued: true,
        });
        self.work.push(Work::Exit(id));
    }

    /// Continues after each known exit of a caller's callee.
    pub(super) fn apply_exits(&mut self, caller: CallerId) {
        let data = &mut self.callers[caller as usize];
        data.is_ready = true;
        data.is_queued = false;
        let mut exit = self.procs[data.callee as usize].first_exit;
        while exit != NONE && !self.gave_up {
            let next = self.exits[exit as usize].next;
            if self.exits[exit as usize].is_ready {
                self.apply(caller, exit);
            }
            exit = next;
        }
    }

    /// Continues in each known caller after a new exit.
    pub(super) fn apply_to_callers(&mut self, exit: ExitId) {
        let data = &mut self.exits[exit as usize];
        data.is_ready = true;
        data.is_queued = false;
        let mut caller = self.procs[data.proc as usize].first_caller;
        while caller != NONE && !self.gave_up {
            let next = self.callers[caller as usize].next;
            if self.callers[caller as usize].is_ready {
                self.apply(caller, exit);
            }
            caller = next;
        }
    }

    pub(super) fn apply(&mut self, caller: CallerId, exit: ExitId) {
        self.spend(WORDS_A_STEP);
        let Caller { proc, stack, .. } = self.callers[caller as usize];
        let Exit { via, is_masked, stack: after, .. } = self.exits[exit as usize];
        let Some(target) = self.word_at(proc, stack, via) else { return };
        let target = if is_masked { target.masked() } else { target };
        let pushes = after.first..after.first + after.count;
        let Some(base) = self.replace_top(proc, stack, after.base, pushes, 0) else { return };
        let scratch = std::mem::take(&mut self.scratch);
        self.go_to(proc, target, base, &scratch, Origin::Exit(exit));
        self.scratch = scratch;
    }
}
