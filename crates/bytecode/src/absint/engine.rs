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

use super::store::*;
use super::subject::Subject;
use super::summary::{Precision, Summarizer, Summary};
use super::value::{Kind, SMALL_LIMIT, SetPool, Value};
use crate::blocks::{BlockEnd, BlockId, Blocks, NO_BLOCK};
use cairn_evm::Word;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// The stack limit of the EVM.
pub(crate) const STACK_LIMIT: u32 = 1024;

/// Stacks of one block in one procedure before it becomes a procedure.
const MAX_STATES: u32 = 2;
/// Copies of a block in one function where functions are given.
const MAX_COPIES: u32 = 64;
/// The same while sets of words are followed.
const MAX_STATES_OF_WORDS: u32 = 12;
/// Exits of a procedure before those of one shape are joined.
const MAX_DISTINCT_EXITS: u32 = 8;
const MAX_EXITS: u32 = 24;
/// Callers of a procedure from one other before their words are joined.
const MAX_CALLERS_OF_WORDS: u32 = 32;
/// Callers that a new one is compared with: the last ones.
const MAX_COMPARED: u32 = 256;
const MAX_CALLERS: u32 = 1 << 20;

/// Words that one unit of fuel copies or compares: a step of a program with a low stack costs
/// little more than one unit, one with a stack of a thousand words as much as it takes.
pub(crate) const WORDS_A_STEP: u64 = 64;
/// Words that one operation on words counts as.
const WORDS_AN_OPERATION: u64 = 16;

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
    pub(crate) first_state: FxHashMap<(ProcId, BlockId), StateId>,
    pub(crate) procs: Vec<Proc>,
    pub(crate) proc_of: Vec<ProcId>,
    pub(crate) callers: Vec<Caller>,
    pub(crate) exits: Vec<Exit>,
    /// Targets of exits.
    exit_targets: FxHashSet<(ExitId, BlockId)>,
    pub(crate) edges: Vec<FoundEdge>,
    last_edge: Vec<BlockId>,
    pub(crate) jumps: Vec<JumpFacts>,
    pub(crate) reached: Vec<bool>,
    /// Blocks that may find fewer words than they need.
    pub(crate) underflows: Vec<BlockId>,
    /// Blocks that may grow the stack past its limit.
    pub(crate) overflows: Vec<BlockId>,
    pub(crate) gave_up: bool,
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
            first_state: FxHashMap::with_capacity_and_hasher(2 * count, Default::default()),
            procs: Vec::new(),
            proc_of: vec![NONE; count],
            callers: Vec::new(),
            exits: Vec::new(),
            exit_targets: FxHashSet::default(),
            edges: Vec::with_capacity(count),
            last_edge: vec![NO_BLOCK; count],
            jumps: vec![JumpFacts::default(); count],
            reached: vec![false; count],
            underflows: Vec::new(),
            overflows: Vec::new(),
            gave_up: false,
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
        let proc = Proc { entry, first_caller: NONE, first_exit: NONE, num_exits: 0, num_callers: 0 };
        self.procs.push(proc);
        self.procs.len() as ProcId - 1
    }

    pub(crate) fn summary(&mut self, block: BlockId) -> Summary {
        if let Some(summary) = self.summaries[block as usize] {
            return summary;
        }
        let data = self.blocks.get(block);
        let summary = self.summarizer.summarize(data, &mut self.pool, &mut self.arena);
        self.summaries[block as usize] = Some(summary);
        summary
    }

    /// The word `index` places below the top; `None` below the bottom of the EVM's stack.
    pub(crate) fn word_at(&self, proc: ProcId, stack: Stack, index: u32) -> Option<Value> {
        if index < stack.count {
            return Some(self.arena[(stack.first + stack.count - 1 - index) as usize]);
        }
        (proc != MAIN).then(|| Value::input(stack.base + index - stack.count))
    }

    pub(crate) fn substitute(
        &self,
        proc: ProcId,
        stack: Stack,
        first_expr: u32,
        value: Value,
    ) -> Option<Value> {
        match value.kind() {
            Kind::Input { index, is_masked } => {
                let word = self.word_at(proc, stack, index)?;
                Some(if is_masked { word.masked() } else { word })
            }
            Kind::Expr(id) => Some(self.expr_values[(id - first_expr) as usize]),
            Kind::Unknown | Kind::Const(_) | Kind::Set(_) => Some(value),
        }
    }

    /// Leaves in `scratch` the stack after popping and pushing; its base. `None`: underflow.
    pub(crate) fn replace_top(
        &mut self,
        proc: ProcId,
        stack: Stack,
        pops: u32,
        pushes: std::ops::Range<u32>,
        first_expr: u32,
    ) -> Option<u32> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let kept = stack.count.saturating_sub(pops);
        self.spend(u64::from(kept) + pushes.len() as u64);
        let mut base = stack.base + pops.saturating_sub(stack.count);
        scratch.extend_from_slice(&self.arena[stack.first as usize..(stack.first + kept) as usize]);
        let mut is_whole = proc != MAIN || pops <= stack.count;
        for index in pushes {
            let value = self.substitute(proc, stack, first_expr, self.arena[index as usize]);
            is_whole &= value.is_some();
            scratch.push(value.unwrap_or(Value::UNKNOWN));
        }
        if kept == 0 && base > 0 {
            let unchanged = |(index, value): &(usize, &Value)| {
                (*index as u32) < base && **value == Value::input(base - 1 - *index as u32)
            };
            let same = scratch.iter().enumerate().take_while(unchanged).count();
            scratch.drain(..same);
            base -= same as u32;
        }
        self.scratch = scratch;
        is_whole.then_some(base)
    }

    fn execute(&mut self, id: StateId) {
        self.states[id as usize].is_queued = false;
        let State { proc, block, stack, .. } = self.states[id as usize];
        let data = *self.blocks.get(block);
        if data.ends == BlockEnd::Halt {
            return;
        }
        if proc == MAIN && stack.count < data.needs {
            self.underflows.push(block);
            return;
        }
        // The words below those that the procedure keeps make the stack only higher.
        if stack.count + data.peak > STACK_LIMIT {
            self.overflows.push(block);
            return;
        }
        let summary = self.summary(block);
        self.evaluate_exprs(proc, stack, summary);
        let pushes = summary.first..summary.first + summary.count;
        let first_expr = summary.first_expr;
        let Some(base) = self.replace_top(proc, stack, summary.pops, pushes, first_expr) else { return };
        let known =
            |value: Option<Value>| value.and_then(|value| self.substitute(proc, stack, first_expr, value));
        let (target, condition) = (known(summary.target), known(summary.condition));
        let (can_jump, can_fall) = self.directions(condition);
        let scratch = std::mem::take(&mut self.scratch);
        let mut before = std::mem::take(&mut self.refined);
        if let Some(target) = target.filter(|_| can_jump) {
            let words = self.refine(&mut before, &scratch, summary, true);
            self.go_to(proc, target, base, words, Origin::Block(block));
        }
        if can_fall
            && matches!(data.ends, BlockEnd::Fallthrough | BlockEnd::JumpI)
            && (block as usize) + 1 < self.blocks.len()
        {
            let words = self.refine(&mut before, &scratch, summary, false);
            if self.falls_into_function(block, words) {
                self.call(proc, block + 1, base, words, true);
            } else {
                self.flow(proc, block + 1, base, words);
            }
        }
        self.refined = before;
        self.scratch = scratch;
    }

    /// The stack on one way out of a block, with the words that are zero there.
    pub(crate) fn refine<'b>(
        &self,
        refined: &'b mut Vec<Value>,
        words: &'b [Value],
        summary: Summary,
        jumps: bool,
    ) -> &'b [Value] {
        if summary.zero_count == 0 || summary.zero_on_jump != jumps {
            return words;
        }
        refined.clear();
        refined.extend_from_slice(words);
        let zeros = summary.first_zero as usize..(summary.first_zero + summary.zero_count) as usize;
        for place in &self.summarizer.zeros[zeros] {
            if let Some(word) = words.len().checked_sub(1 + *place as usize).map(|index| &mut refined[index])
            {
                *word = Value::constant(0);
            }
        }
        refined
    }

    /// Whether a branch on this condition can jump, and whether it can fall through.
    pub(crate) fn directions(&self, condition: Option<Value>) -> (bool, bool) {
        match condition.and_then(|condition| self.pool.words(condition)) {
            Some(words) => {
                (words.iter().any(|word| !word.is_zero()), words.iter().any(|word| word.is_zero()))
            }
            None => (true, true),
        }
    }

    pub(crate) fn evaluate_exprs(&mut self, proc: ProcId, stack: Stack, summary: Summary) {
        self.expr_values.clear();
        for index in summary.first_expr..summary.first_expr + summary.expr_count {
            let expr = self.summarizer.exprs[index as usize];
            let known =
                |value| self.substitute(proc, stack, summary.first_expr, value).unwrap_or(Value::UNKNOWN);
            let (a, b) = (known(expr.a), expr.b.map(known));
            let value = self.pool.apply(expr.op, a, b);
            self.expr_values.push(value);
        }
        let operations = std::mem::take(&mut self.pool.operations) + u64::from(summary.expr_count);
        self.spend(operations * WORDS_AN_OPERATION);
    }

    /// Follows a jump to `target` with the stack `words`.
    fn go_to(&mut self, proc: ProcId, target: Value, base: u32, words: &[Value], origin: Origin) {
        match target.kind() {
            Kind::Const(pc) => self.go_to_pc(proc, Some(pc), base, words, origin),
            Kind::Input { index, is_masked } => self.add_exit(proc, (index, is_masked), base, words, origin),
            Kind::Set(_) => {
                for word in self.pool.words(target).expect("invariant: a set has words") {
                    let pc = (word < Word::from(SMALL_LIMIT)).then(|| word.to::<u32>());
                    self.go_to_pc(proc, pc, base, words, origin);
                }
            }
            Kind::Unknown | Kind::Expr(_) => self.go_anywhere(proc, base, words, origin),
        }
    }

    fn go_to_pc(&mut self, proc: ProcId, pc: Option<u32>, base: u32, words: &[Value], origin: Origin) {
        let Some(to) = pc.and_then(|pc| self.blocks.jump_target(pc)) else {
            if pc.is_some_and(|pc| self.summarizer.subject.is_behind(pc)) {
                return self.go_anywhere(proc, base, words, origin);
            }
            match origin {
                Origin::Block(block) => self.jumps[block as usize].is_invalid = true,
                Origin::Exit(exit) => self.exits[exit as usize].is_invalid = true,
            }
            return;
        };
        let is_call = self.is_call(to, words, origin);
        self.record_edge(origin, to, is_call, words);
        if is_call && self.blocks.get(to).ends != BlockEnd::Halt {
            self.call(proc, to, base, words, true);
        } else {
            self.flow(proc, to, base, words);
        }
    }

    /// A `JUMP` that leaves an address of the code on the stack may be a call.
    pub(crate) fn is_call(&self, to: BlockId, words: &[Value], origin: Origin) -> bool {
        let Origin::Block(block) = origin else { return false };
        if self.blocks.get(block).ends != BlockEnd::Jump {
            return false;
        }
        match &self.policy {
            CallPolicy::Discover => words.iter().any(|word| self.is_label(*word)),
            CallPolicy::Only(places) => self.has_address_at(places.get(&to), words),
        }
    }

    /// True when the block falls into a function that is given, with an address to return to: the
    /// code of a call can stand right before the function.
    pub(crate) fn falls_into_function(&self, block: BlockId, words: &[Value]) -> bool {
        match &self.policy {
            CallPolicy::Discover => false,
            CallPolicy::Only(places) => {
                self.blocks.get(block).ends == BlockEnd::Fallthrough
                    && self.has_address_at(places.get(&(block + 1)), words)
            }
        }
    }

    /// True when the word so many places below the top is an address of the code.
    fn has_address_at(&self, place: Option<&u32>, words: &[Value]) -> bool {
        let index = place.and_then(|place| words.len().checked_sub(1 + *place as usize));
        index.is_some_and(|index| self.is_label(words[index]))
    }

    fn is_label(&self, word: Value) -> bool {
        word.as_const().is_some_and(|pc| self.blocks.jump_target(pc).is_some())
    }

    fn record_edge(&mut self, origin: Origin, to: BlockId, is_call: bool, words: &[Value]) {
        match origin {
            Origin::Block(from) => {
                if self.last_edge[from as usize] != to || is_call {
                    self.last_edge[from as usize] = to;
                    let next = Value::constant(self.blocks.get(from).end);
                    let words_above_next = words.iter().rev().position(|word| *word == next);
                    let words_above_next = words_above_next.filter(|_| is_call).map(|words| words as u32);
                    let label = |word: &Value| self.blocks.jump_target(word.as_const()?);
                    let return_to = match words_above_next {
                        Some(_) => self.blocks.jump_target(self.blocks.get(from).end),
                        None => words.iter().rev().find_map(label),
                    };
                    let return_to = return_to.filter(|_| is_call);
                    self.edges.push(FoundEdge { from, to, is_call, words_above_next, return_to });
                }
            }
            Origin::Exit(exit) => {
                if self.exit_targets.insert((exit, to)) {
                    self.exits[exit as usize].targets.push(to);
                }
                self.spend(1);
            }
        }
    }

    /// A jump of which nothing is known: where words are followed it goes to every destination.
    fn go_anywhere(&mut self, proc: ProcId, base: u32, words: &[Value], origin: Origin) {
        match origin {
            Origin::Block(block) => self.jumps[block as usize].is_unresolved = true,
            Origin::Exit(exit) => self.exits[exit as usize].is_unresolved = true,
        }
        if self.precision() == Precision::Labels {
            return;
        }
        if let CallPolicy::Only(_) = self.policy {
            self.gave_up = true;
            return;
        }
        self.spend(self.blocks.len() as u64 * WORDS_A_STEP);
        for to in self.blocks.jump_targets() {
            if self.gave_up {
                return;
            }
            self.record_edge(origin, to, false, words);
            if self.blocks.get(to).ends == BlockEnd::Halt {
                self.flow(proc, to, base, words);
            } else {
                self.call(proc, to, base, words, false);
            }
        }
    }

    /// Control reaches `block` with the stack `words`.
    fn flow(&mut self, proc: ProcId, block: BlockId, base: u32, words: &[Value]) {
        self.reached[block as usize] = true;
        let ends = self.blocks.get(block).ends;
        if ends == BlockEnd::Halt && proc == MAIN && words.len() < self.blocks.get(block).needs as usize {
            self.underflows.push(block);
        }
        let first = self.first_state.get(&(proc, block)).copied().unwrap_or(NONE);
        let (mut id, mut count) = (first, 0);
        while id != NONE {
            let state = self.states[id as usize];
            match self.absorb(state.stack, base, words) {
                Relation::Covered => return,
                Relation::Widens => return self.queue_state(id),
                Relation::Different => {}
            }
            count += 1;
            id = state.next;
        }
        let delta = words.len() as i32 - base as i32;
        if ends == BlockEnd::Halt && count >= 1 && self.merge_heights(first, block, delta) {
            return;
        }
        if self.is_full(count) {
            if self.join_state(first, base, words) {
                return;
            }
            match self.policy {
                CallPolicy::Discover => self.call(proc, block, base, words, false),
                CallPolicy::Only(_) => self.gave_up = true,
            }
            return;
        }
        let stack = self.store(base, words);
        let id = self.states.len() as StateId;
        let (low, high) = (delta, delta);
        self.states.push(State { proc, block, stack, next: first, low, high, is_queued: true });
        self.first_state.insert((proc, block), id);
        self.work.push(Work::State(id));
    }

    /// Nothing follows a block that halts: another stack tells its height and nothing else. Where
    /// contexts are wanted, heights are kept apart if the block looks at the stack.
    fn merge_heights(&mut self, first: StateId, block: BlockId, delta: i32) -> bool {
        let keeps_apart = matches!(self.policy, CallPolicy::Only(_)) && self.blocks.get(block).needs > 0;
        let mut id = first;
        while id != NONE {
            let state = &mut self.states[id as usize];
            if !keeps_apart || state.low == delta {
                (state.low, state.high) = (state.low.min(delta), state.high.max(delta));
                return true;
            }
            id = state.next;
        }
        false
    }

    fn is_full(&self, count: u32) -> bool {
        match (&self.policy, self.precision()) {
            (CallPolicy::Only(_), Precision::Labels) => count >= MAX_COPIES,
            (CallPolicy::Discover, Precision::Labels) => count >= MAX_STATES,
            (_, Precision::Words) => count >= MAX_STATES_OF_WORDS,
        }
    }

    fn store(&mut self, base: u32, words: &[Value]) -> Stack {
        self.spend(words.len() as u64);
        let first = self.arena.len() as u32;
        self.arena.extend_from_slice(words);
        Stack { base, first, count: words.len() as u32 }
    }

    pub(crate) fn words_of(&self, stack: Stack) -> &[Value] {
        &self.arena[stack.first as usize..(stack.first + stack.count) as usize]
    }

    /// Compares a known stack with a new one; where forgetting makes it cover the new one, forgets.
    fn absorb(&mut self, known: Stack, base: u32, words: &[Value]) -> Relation {
        self.spend(1);
        if known.base != base || known.count as usize != words.len() {
            return Relation::Different;
        }
        self.spend(words.len() as u64);
        let relation = relation(self.words_of(known), words);
        if relation == Relation::Widens {
            let range = known.first as usize..(known.first + known.count) as usize;
            widen(&mut self.arena[range], words);
        }
        relation
    }

    fn queue_state(&mut self, id: StateId) {
        if !std::mem::replace(&mut self.states[id as usize].is_queued, true) {
            self.work.push(Work::State(id));
        }
    }

    fn queue_caller(&mut self, id: CallerId) {
        if !std::mem::replace(&mut self.callers[id as usize].is_queued, true) {
            self.work.push(Work::Caller(id));
        }
    }

    fn queue_exit(&mut self, id: ExitId) {
        if !std::mem::replace(&mut self.exits[id as usize].is_queued, true) {
            self.work.push(Work::Exit(id));
        }
    }

    /// Joins the new stack into a known one of the same shape where they differ in words that are
    /// no jump destinations.
    fn join_state(&mut self, first: StateId, base: u32, words: &[Value]) -> bool {
        if self.precision() == Precision::Labels {
            return false;
        }
        let mut id = first;
        while id != NONE {
            let State { stack, next, .. } = self.states[id as usize];
            if self.is_joinable(stack, base, words) {
                self.join(stack, words);
                self.queue_state(id);
                return true;
            }
            id = next;
        }
        false
    }

    fn is_joinable(&self, stack: Stack, base: u32, words: &[Value]) -> bool {
        stack.base == base && stack.count as usize == words.len() && !self.differ_in_labels(stack, words)
    }

    fn join(&mut self, stack: Stack, words: &[Value]) {
        self.spend(words.len() as u64 * WORDS_AN_OPERATION);
        for (offset, word) in words.iter().enumerate() {
            let place = stack.first as usize + offset;
            self.arena[place] = self.pool.join(self.arena[place], *word);
        }
    }

    fn differ_in_labels(&self, stack: Stack, words: &[Value]) -> bool {
        let is_label =
            |value: Value| value.as_const().is_some_and(|pc| self.blocks.jump_target(pc).is_some());
        let pairs = self.words_of(stack).iter().zip(words);
        pairs.into_iter().any(|(known, new)| known != new && is_label(*known) && is_label(*new))
    }

    /// Enters the procedure at `block`.
    fn call(&mut self, proc: ProcId, block: BlockId, base: u32, words: &[Value], is_call: bool) {
        self.reached[block as usize] = true;
        let callee = self.proc_at(block);
        let (mut id, mut count) = (self.procs[callee as usize].first_caller, 0);
        let mut compared = 0;
        while id != NONE && compared < MAX_COMPARED {
            self.spend(1);
            compared += 1;
            let caller = self.callers[id as usize];
            if caller.proc == proc && caller.is_call == is_call {
                count += 1;
                match self.absorb(caller.stack, base, words) {
                    Relation::Covered => return,
                    Relation::Widens => return self.queue_caller(id),
                    Relation::Different => {}
                }
                if count > MAX_CALLERS_OF_WORDS
                    && self.precision() == Precision::Words
                    && self.is_joinable(caller.stack, base, words)
                {
                    self.join(caller.stack, words);
                    return self.queue_caller(id);
                }
            }
            id = caller.next;
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
        let stack = self.store(base, words);
        self.callers.push(Caller { proc, callee, stack, next, is_call, is_ready: false, is_queued: true });
        self.work.push(Work::Caller(id));
    }

    fn proc_at(&mut self, block: BlockId) -> ProcId {
        let known = self.proc_of[block as usize];
        if known != NONE {
            return known;
        }
        let proc = self.add_proc(block);
        self.proc_of[block as usize] = proc;
        self.flow(proc, block, 0, &[]);
        proc
    }

    fn add_exit(&mut self, proc: ProcId, via: (u32, bool), base: u32, words: &[Value], origin: Origin) {
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
    fn apply_exits(&mut self, caller: CallerId) {
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
    fn apply_to_callers(&mut self, exit: ExitId) {
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

    fn apply(&mut self, caller: CallerId, exit: ExitId) {
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
