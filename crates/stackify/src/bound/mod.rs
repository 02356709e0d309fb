//! How far stack code is from a lower bound on its stack operations, weighted by frequency.
//!
//! *Spent* is the gas of what moves words: `PUSH` of words, `DUP`, `SWAP`, `POP`, spills with their
//! addresses, and operations made again. *Bound* is what no code of the block can do without, given
//! the stacks on its borders and which values it makes:
//!
//! * a copy (or making it again, if that is cheaper) for each use or word left behind beyond those
//!   that are there: on entry, or as a result;
//! * a `POP` for each word that is there beyond them, unless the block halts;
//! * pushes of return labels and of memory addresses that the program asks for;
//! * what puts the words of the entry into their places on the exit ([`order_bound`]).
//!
//! The orders of operands cost nothing in the bound: the `SWAP`s that some need are what the ratio
//! shows. Blocks are replayed once: linear.

mod order;

use self::order::{Traits, order_bound};
use crate::code::{BlockCode, Exit, ModuleCode, ScheduledFunc, StackWord, Step, StepKind};
use crate::context::ModuleCx;
use cairn_analysis::{CallGraph, Cfg, Frequency};
use cairn_evm::gas::static_gas;
use cairn_evm::{Cost, Fork, Opcode};
use cairn_ir::{Block, Func, Inst, Module, SecondaryMap, Value};
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

/// Gas of `DUP`, `SWAP`, `PUSH`.
const COPY: u64 = Cost::DUP.gas;
/// Gas of `POP` and `PUSH0`.
const CHEAP: u64 = Cost::POP.gas;

/// Gas of stack operations for one run of the entry, spent and at least needed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackGas {
    /// What the code spends.
    pub spent: f64,
    /// What no code for the same blocks can do without.
    pub bound: f64,
}

impl StackGas {
    /// Adds another's.
    pub fn add(&mut self, other: StackGas) {
        self.spent += other.spent;
        self.bound += other.bound;
    }

    /// Spent over bound; 1 for code that has nothing to move.
    pub fn ratio(self) -> f64 {
        if self.bound > 0.0 { self.spent / self.bound } else { 1.0 }
    }
}

/// The stack operations of a module's own functions.
pub(crate) fn measure_module(cx: &ModuleCx<'_>, code: &ModuleCode) -> StackGas {
    let mut sum = StackGas::default();
    let entries = entry_frequencies(cx.module);
    for id in &cx.funcs {
        if let Some(scheduled) = &code[*id] {
            let frequency = frequency_of(&scheduled.func);
            for block in &scheduled.code.blocks {
                let (spent, bound) = measure_block(code, scheduled, block, cx.options.fork);
                let runs = entries[*id] * frequency.of(block.block);
                sum.add(StackGas { spent: runs * spent as f64, bound: runs * bound as f64 });
            }
        }
    }
    sum
}

/// How often the blocks of a function run.
pub(crate) fn frequency_of(func: &cairn_ir::Function) -> Frequency {
    Frequency::compute(func, &Cfg::compute(func), None)
}

/// Runs of each function for one of the entry.
fn entry_frequencies(module: &Module) -> SecondaryMap<Func, f64> {
    let frequencies: Vec<Frequency> = module.funcs.values().map(frequency_of).collect();
    cairn_analysis::entry_frequencies(module, &CallGraph::compute(module), &frequencies)
}

/// Copies of a word that a block has and needs.
#[derive(Clone, Copy, Default)]
struct Count {
    have: u64,
    need: u64,
    /// Gas of making it again; 0 if it is a copy or nothing.
    make: u64,
}

struct Replay<'a> {
    code: &'a ModuleCode,
    scheduled: &'a ScheduledFunc,
    fork: Fork,
    block: Block,
    stack: Vec<StackWord>,
    places: FxHashMap<StackWord, usize>,
    counts: Vec<Count>,
    done: EntitySet<Inst>,
    spent: u64,
    bound: u64,
}

/// Gas of stack operations of one run of a block, and the least possible.
fn measure_block(code: &ModuleCode, scheduled: &ScheduledFunc, block: &BlockCode, fork: Fork) -> (u64, u64) {
    let mut replay = Replay {
        code,
        scheduled,
        fork,
        block: block.block,
        stack: block.entry.clone(),
        places: FxHashMap::default(),
        counts: Vec::new(),
        done: EntitySet::new(),
        spent: 0,
        bound: 0,
    };
    block.entry.iter().for_each(|word| replay.count(*word).have += 1);
    for (at, step) in block.steps.iter().enumerate() {
        let is_spill = block
            .steps
            .get(at + 1)
            .is_some_and(|next| matches!(next.kind, StepKind::Op(_)) && next.origin.is_none());
        let purpose = if is_spill { Purpose::Spill } else { Purpose::Program };
        replay.apply(*step, purpose);
    }
    match block.exit {
        Exit::Branch { .. } | Exit::Table(_) | Exit::Return => replay.take(1),
        Exit::Jump(_) | Exit::Halt | Exit::TailCall(_) => {}
    }
    let is_halting = block.exit == Exit::Halt;
    if !is_halting {
        replay.bound += order_bound(&block.entry, &replay.stack, |word| replay.traits(word));
        for at in 0..replay.stack.len() {
            let word = replay.stack[at];
            replay.count(word).need += 1;
        }
    }
    let of_word = |count: &Count| {
        let copy = if count.make == 0 { COPY } else { COPY.min(count.make) };
        let surplus = if is_halting { 0 } else { count.have.saturating_sub(count.need) };
        count.need.saturating_sub(count.have) * copy + CHEAP * surplus
    };
    (replay.spent, replay.bound + replay.counts.iter().map(of_word).sum::<u64>())
}

/// What a step is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// It stores a value of which the stack is too full.
    Spill,
    /// It does what the program says.
    Program,
}

impl Replay<'_> {
    fn count(&mut self, word: StackWord) -> &mut Count {
        let next = self.counts.len();
        let place = *self.places.entry(word).or_insert(next);
        if place == next {
            self.counts.push(Count::default());
        }
        &mut self.counts[place]
    }

    /// Uses of a word so far, and whether it may be made for the gas of a `POP`.
    fn traits(&self, word: StackWord) -> Traits {
        let uses = self.places.get(&word).map_or(0, |place| self.counts[*place].need);
        let is_cheap = match word {
            StackWord::Const(word) => word.is_zero(),
            StackWord::Value(value) => self.is_base_operation(value),
            StackWord::ReturnAddress | StackWord::CallReturn(_) => false,
            StackWord::Junk => true,
        };
        Traits { uses, is_cheap }
    }

    /// True for the result of an operation without operands, such as `CALLER`.
    fn is_base_operation(&self, value: Value) -> bool {
        let dfg = &self.scheduled.func.dfg;
        dfg.def_inst(value).is_some_and(|inst| dfg.args(inst).is_empty())
    }

    /// Pops operands: uses.
    fn take(&mut self, n_words: usize) {
        let base = self.stack.len().saturating_sub(n_words);
        for word in self.stack.split_off(base) {
            self.count(word).need += 1;
        }
    }

    /// Pushes a result of an operation that is carried out where it belongs, for the first time.
    fn give(&mut self, word: StackWord) {
        self.count(word).have += 1;
        self.stack.push(word);
    }

    /// Pushes a word that could have been a copy.
    fn make(&mut self, word: StackWord, gas: u64) {
        self.spent += gas;
        self.count(word).make = gas;
        self.stack.push(word);
    }

    fn apply(&mut self, step: Step, purpose: Purpose) {
        match step.kind {
            StepKind::Push(word) => {
                self.make(StackWord::Const(word), if word.is_zero() { CHEAP } else { COPY });
            }
            StepKind::PushFrame(..) | StepKind::PushHeapBase => {
                self.spent += COPY;
                self.bound += if purpose == Purpose::Spill { 0 } else { COPY };
                let word =
                    self.results(step).first().map_or(StackWord::Junk, |value| StackWord::Value(*value));
                self.give(word);
            }
            StepKind::PushReturnLabel(call) => {
                self.spent += COPY;
                self.bound += COPY;
                self.give(StackWord::CallReturn(call));
            }
            StepKind::Dup(depth) => {
                self.spent += COPY;
                let at = self.stack.len().checked_sub(usize::from(depth));
                let word = at.and_then(|at| self.stack.get(at)).copied();
                self.stack.push(word.unwrap_or(StackWord::Junk));
            }
            StepKind::Swap(depth) => {
                self.spent += COPY;
                let top = self.stack.len().saturating_sub(1);
                if let Some(at) = top.checked_sub(usize::from(depth)) {
                    self.stack.swap(at, top);
                }
            }
            StepKind::Pop => {
                self.spent += CHEAP;
                self.stack.pop();
            }
            StepKind::Op(opcode) => self.operation(step, opcode),
            StepKind::Symbolic => {
                let n_args = step.origin.map_or(0, |inst| self.scheduled.func.dfg.args(inst).len());
                let is_repeated = n_args == 0 && self.is_repeated(step.origin);
                self.take(n_args);
                for value in self.results(step).into_iter().rev() {
                    match is_repeated {
                        true => self.make(StackWord::Value(value), COPY),
                        false => self.give(StackWord::Value(value)),
                    }
                }
            }
            StepKind::Call(callee) => self.call(step, callee),
        }
    }

    fn results(&self, step: Step) -> Vec<Value> {
        step.origin.map_or_else(Vec::new, |inst| self.scheduled.func.dfg.results(inst).to_vec())
    }

    /// True for what is carried out again, or in another block than where it stands.
    fn is_repeated(&mut self, origin: Option<Inst>) -> bool {
        origin.is_some_and(|inst| {
            self.scheduled.func.layout.inst_block(inst) != Some(self.block) || !self.done.insert(inst)
        })
    }

    fn operation(&mut self, step: Step, opcode: Opcode) {
        let info = opcode.known();
        let gas = static_gas(opcode, self.fork);
        if step.origin.is_none() {
            // A spill: its address and itself are spent; a word that comes back is as good as a copy.
            self.spent += gas;
            self.take(usize::from(info.inputs));
            self.stack.extend((info.outputs > 0).then_some(StackWord::Junk));
            return;
        }
        let result = self.results(step).first().map_or(StackWord::Junk, |value| StackWord::Value(*value));
        if self.is_repeated(step.origin) {
            let base = self.stack.len().saturating_sub(usize::from(info.inputs));
            self.stack.truncate(base);
            self.make(result, gas);
            return;
        }
        self.take(usize::from(info.inputs));
        if info.outputs > 0 {
            self.give(result);
        }
    }

    fn call(&mut self, step: Step, callee: Func) {
        let label = step.origin.map(StackWord::CallReturn);
        let base = self.stack.iter().rposition(|word| Some(*word) == label).unwrap_or(0);
        self.take(self.stack.len() - base);
        let results = self.results(step);
        let convention = self.code[callee].as_ref().map(|callee| callee.code.convention.results.clone());
        for index in convention.unwrap_or_default() {
            if let Some(value) = results.get(usize::from(index)) {
                self.give(StackWord::Value(*value));
            }
        }
    }
}
