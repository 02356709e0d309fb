//! Runs a function on what is known of its words, each place once for each way of being called.
//!
//! Both sides of a branch are gone, and a loop once round. A way ends where nothing of calldata is left
//! on the stack and all arguments were read. Cost: instructions are counted.

use super::effects::Scene;
use super::value::Value;
use crate::optable::{OpKind, OpTable};
use crate::target_bits::TargetBits;
use cairn_evm::Opcode;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Instructions of a function at most.
const MAX_INSTRUCTIONS: u32 = 6_000;
/// Instructions after which a function that read no calldata has no arguments.
const MAX_BEFORE_READING: u32 = 500;
/// Instructions after all arguments were read: what follows tells items of arrays.
const MAX_AFTER_READING: u32 = 600;
/// The stack limit of the EVM.
const STACK_LIMIT: usize = 1024;

pub(super) type Stack = Vec<Value>;

/// Memory that functions use one after the other.
#[derive(Default)]
pub(super) struct Buffers {
    /// How often a place was entered, by offset and by what is to be returned to.
    seen: FxHashMap<(u32, u64), u8>,
    /// Stacks that are not in use.
    free: Vec<Stack>,
    /// Places where a walk has to go on.
    work: Vec<State>,
}

/// A place of the walk.
struct State {
    pc: u32,
    stack: Stack,
}

pub(super) struct Walk<'a> {
    pub(super) code: &'a [u8],
    pub(super) table: &'a OpTable,
    pub(super) targets: &'a TargetBits,
}

/// A function that is walked.
struct Run<'w, 'a> {
    walk: &'w Walk<'a>,
    scene: Scene<'a>,
    buffers: &'w mut Buffers,
    /// Instructions that were run, and how many may be.
    spent: u32,
    most: u32,
    /// All arguments were read.
    is_whole: bool,
}

impl<'a> Walk<'a> {
    /// Walks a function from its entry; gives what was seen and the number of instructions.
    pub(super) fn run(&self, pc: u32, stack: &Stack, budget: u32, buffers: &mut Buffers) -> (Scene<'a>, u32) {
        buffers.seen.clear();
        let (scene, most) = (Scene::new(self.code), budget.min(MAX_INSTRUCTIONS));
        let mut run = Run { walk: self, scene, buffers, spent: 0, most, is_whole: false };
        run.enter(pc, stack, 0);
        while let Some(state) = run.buffers.work.pop() {
            let is_empty = !run.scene.has_read && run.spent > MAX_BEFORE_READING;
            let State { pc, mut stack } = state;
            if run.spent == run.most || is_empty {
                run.buffers.free.push(stack);
                continue;
            }
            run.step(pc, &mut stack);
            run.buffers.free.push(stack);
        }
        (run.scene, run.spent)
    }
}

impl Run<'_, '_> {
    /// Goes on at a place, unless that was done before; `from` is where the jump is.
    fn enter(&mut self, pc: u32, stack: &[Value], from: u32) {
        let context = self.context(stack);
        let times = self.buffers.seen.entry((pc, context)).or_insert(0);
        let most = if pc <= from { 2 } else { 1 };
        if *times < most && (pc as usize) < self.walk.code.len() {
            *times += 1;
            let mut copy = self.buffers.free.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(stack);
            self.buffers.work.push(State { pc, stack: copy });
        }
    }

    fn was_at(&self, pc: u32, stack: &[Value]) -> bool {
        self.buffers.seen.contains_key(&(pc, self.context(stack)))
    }

    /// A number for what is to be returned to.
    fn context(&self, stack: &[Value]) -> u64 {
        let mut hasher = FxHasher::default();
        for (place, value) in stack.iter().enumerate() {
            if let Some(target) = self.target(*value) {
                hasher.write_u64((place as u64) << 32 | u64::from(target));
            }
        }
        hasher.finish()
    }

    /// Where a jump to the word goes.
    fn target(&self, value: Value) -> Option<u32> {
        match value {
            Value::Small(pc) if self.walk.targets.contains(pc as usize) => Some(pc),
            _ => None,
        }
    }

    /// True when a way can tell nothing more.
    fn is_spent(&self, stack: &[Value]) -> bool {
        let is_plain = |value: &Value| {
            matches!(
                value,
                Value::Unknown | Value::Small(_) | Value::Big(_) | Value::Pushed(_) | Value::Size(_)
            )
        };
        self.is_whole && stack.iter().all(is_plain)
    }

    fn step(&mut self, pc: u32, stack: &mut Stack) {
        if !self.is_whole && self.scene.facts.is_whole() {
            self.is_whole = true;
            self.most = self.most.min(self.spent + MAX_AFTER_READING);
        }
        if self.is_spent(stack) {
            return;
        }
        self.scene.block += 1;
        let Walk { code, table, .. } = *self.walk;
        let mut at = pc as usize;
        while let Some(byte) = code.get(at) {
            if self.spent == self.most {
                return;
            }
            self.spent += 1;
            let (here, opcode) = (at as u32, Opcode(*byte));
            let facts = table[usize::from(*byte)];
            at += 1;
            let Some(below) = stack.len().checked_sub(usize::from(facts.inputs)) else { return };
            if stack.len() > STACK_LIMIT {
                return;
            }
            match facts.kind {
                OpKind::Push => {
                    at += usize::from(facts.immediate);
                    stack.push(pushed(code, here as usize, at));
                }
                OpKind::Dup => stack.push(stack[below]),
                OpKind::Swap => {
                    let top = stack.len() - 1;
                    stack.swap(top, below);
                }
                OpKind::JumpDest if here == pc => {}
                OpKind::JumpDest => return self.enter(here, stack, 0),
                OpKind::Jump => {
                    let target = stack.pop().and_then(|value| self.target(value));
                    return target.into_iter().for_each(|target| self.enter(target, stack, here));
                }
                OpKind::JumpI => return self.branch(here, stack),
                OpKind::Halt | OpKind::Undefined => return,
                OpKind::Plain | OpKind::And | OpKind::Arithmetic | OpKind::Pc | OpKind::CodeSize => {
                    let operands = &stack[below..];
                    let operand = |index: usize| match operands.len().checked_sub(1 + index) {
                        Some(place) => operands[place],
                        None => Value::Unknown,
                    };
                    if opcode == Opcode::CALLDATACOPY {
                        self.scene.copy(operand(1), operand(2));
                    }
                    let result = self.scene.apply(opcode, operand(0), operand(1));
                    stack.truncate(below);
                    if facts.outputs > 0 {
                        stack.push(result);
                    }
                }
            }
        }
    }

    fn branch(&mut self, pc: u32, stack: &mut Stack) {
        let target = stack.pop().and_then(|value| self.target(value));
        let condition = stack.pop().unwrap_or(Value::Unknown);
        self.scene.branch_on(condition);
        let next = pc + 1;
        let known = self.scene.word_of(condition).map(|word| !word.is_zero());
        let (goes, falls) = match known {
            None => (true, true),
            // A loop whose end is known is left after a round.
            Some(true) => (true, target.is_some_and(|target| self.was_at(target, stack))),
            Some(false) => (self.was_at(next, stack), true),
        };
        if falls {
            self.enter(next, stack, pc);
        }
        if let Some(target) = target.filter(|_| goes) {
            self.enter(target, stack, pc);
        }
    }
}

/// What the push at `pc` pushes, whose data ends before `end`.
fn pushed(code: &[u8], pc: usize, end: usize) -> Value {
    let small = |data: &[u8]| data.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    let Some(data) = code.get(pc + 1..end) else { return Value::Pushed(pc as u32) };
    match data.split_last_chunk::<4>() {
        None => Value::Small(small(data)),
        Some((high, low)) if high.iter().all(|byte| *byte == 0) => Value::Small(u32::from_be_bytes(*low)),
        Some(_) => Value::Pushed(pc as u32),
    }
}
