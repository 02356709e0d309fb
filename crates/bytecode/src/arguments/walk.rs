//! Runs a function on what is known of its words, each place once for each way of being called.
//!
//! Both sides of a branch are gone, and a loop once round. A way ends where all arguments were read and
//! nothing of calldata is left on the stack but words whose types nothing changes any more. Cost:
//! instructions are counted.

use super::copies::FREE_POINTER;
use super::effects::Scene;
use super::stack::Stack;
use super::value::Value;
use crate::decode::instructions;
use crate::metadata::find_metadata;
use crate::optable::{OpKind, OpTable};
use crate::pc_set::PcSet;
use crate::seen::Seen;
use cairn_evm::{Opcode, STACK_LIMIT, Word};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Instructions of a function at most.
const MAX_INSTRUCTIONS: u32 = 6_000;
/// Instructions after which a function that read no calldata has no arguments.
const MAX_BEFORE_READING: u32 = 200;
/// Instructions after all arguments were read: what follows tells items of arrays.
const MAX_AFTER_READING: u32 = 600;
/// Ways at items of arrays that are gone then, and instructions of each.
const MAX_FINISHED: u32 = 8;
const MAX_TO_FINISH: u32 = 200;
/// Memory that functions use one after the other.
pub(super) struct Buffers<'a> {
    /// The function that is walked, or was last.
    pub(super) scene: Scene<'a>,
    seen: Seen<Entrance>,
    /// Stacks that are not in use.
    free: Vec<Vec<Value>>,
    /// Places where a walk has to go on.
    work: Vec<State>,
    /// The stack of the way that is gone.
    stack: Stack,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(code: &'a [u8]) -> Buffers<'a> {
        Buffers {
            scene: Scene::new(code),
            seen: Seen::new(),
            free: Vec::new(),
            work: Vec::new(),
            stack: Stack::new(),
        }
    }
}

/// A place that was entered.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Entrance {
    pc: u32,
    /// The second time, where a loop leads back to it.
    again: bool,
    /// What is to be returned to.
    context: u64,
}

/// A place of the walk.
struct State {
    pc: u32,
    stack: Vec<Value>,
}

/// How a block ends, with the offset of its last instruction.
enum End {
    /// Nothing more is known, or looked at.
    Stop,
    /// Before the `JUMPDEST` of the next one.
    Fall(u32),
    Jump(u32),
    Branch(u32),
}

pub(super) struct Walk<'a> {
    pub(super) code: &'a [u8],
    pub(super) table: &'a OpTable,
    pub(super) targets: &'a PcSet,
    /// A word that must be below a small number may be one of an enumeration.
    has_enumerations: bool,
}

/// A function that is walked.
struct Run<'w, 'a> {
    walk: &'w Walk<'a>,
    buffers: &'w mut Buffers<'a>,
    /// Instructions that were run, and how many may be.
    spent: u32,
    most: u32,
    /// The same for all that is looked at after that.
    limit: u32,
    /// All arguments were read.
    is_whole: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(code: &'a [u8], table: &'a OpTable, targets: &'a PcSet) -> Walk<'a> {
        Walk { code, table, targets, has_enumerations: is_solidity(code) }
    }

    /// Walks a function from its entry, which is only got to with so many bytes of calldata at least, where that is
    /// known; gives the number of instructions. What was seen is in the buffers.
    pub(super) fn run(
        &self,
        (pc, least_size): (u32, Option<u32>),
        stack: &[Value],
        budget: u32,
        buffers: &mut Buffers<'a>,
    ) -> u32 {
        buffers.seen.clear();
        buffers.scene.clear();
        least_size.into_iter().for_each(|bytes| buffers.scene.need(0, bytes));
        let most = budget.min(MAX_INSTRUCTIONS);
        let mut run = Run { walk: self, buffers, spent: 0, most, limit: most, is_whole: false };
        if let Some(pc) = run.entered(pc, run.context(stack), 0) {
            run.go(pc, stack);
        }
        while run.goes_on()
            && let Some(State { pc, stack }) = run.buffers.work.pop()
        {
            run.go(pc, &stack);
            run.buffers.free.push(stack);
        }
        run.finish();
        run.spent
    }
}

impl Run<'_, '_> {
    /// False when no more of the function is looked at.
    fn goes_on(&self) -> bool {
        let is_empty = !self.buffers.scene.has_read && self.spent > MAX_BEFORE_READING;
        self.spent < self.most && !is_empty
    }

    /// Goes a way until nothing more of it is looked at.
    fn go(&mut self, pc: u32, entry: &[Value]) {
        self.buffers.stack.begin_with(entry);
        let mut next = Some(pc);
        while let Some(pc) = next.filter(|_| self.goes_on()) {
            next = self.step(pc);
        }
    }

    /// Goes some instructions of the first ways that were put off and are at the items of an array: a function that
    /// is long leaves loops alone that read its arguments.
    fn finish(&mut self) {
        let mut left = if self.is_whole { MAX_FINISHED } else { 0 };
        for place in 0..self.buffers.work.len() {
            let State { pc, stack } = &mut self.buffers.work[place];
            let (pc, stack) = (*pc, std::mem::take(stack));
            let is_at_items = |value: &Value| match value {
                Value::Place(..) => true,
                Value::Free(pointer, _) => self.buffers.scene.has_copy(*pointer),
                _ => false,
            };
            if left > 0 && stack.iter().any(is_at_items) {
                left -= 1;
                self.most = self.limit.min(self.spent + MAX_TO_FINISH);
                self.go(pc, &stack);
            }
            self.buffers.free.push(stack);
        }
        let rest = self.buffers.work.drain(..).map(|state| state.stack);
        self.buffers.free.extend(rest.filter(|stack| stack.capacity() > 0));
    }

    /// Remembers to go on at a place.
    fn put_off(&mut self, pc: u32) {
        let mut copy = self.buffers.free.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(self.buffers.stack.words());
        self.buffers.work.push(State { pc, stack: copy });
    }

    /// The place, unless control was there before; `from` is where the jump is.
    fn entered(&mut self, pc: u32, context: u64, from: u32) -> Option<u32> {
        let seen = &mut self.buffers.seen;
        let is_new = seen.insert(Entrance { pc, again: false, context })
            || (pc <= from && seen.insert(Entrance { pc, again: true, context }));
        (is_new && (pc as usize) < self.walk.code.len()).then_some(pc)
    }

    fn was_at(&self, pc: u32, context: u64) -> bool {
        self.buffers.seen.contains(&Entrance { pc, again: false, context })
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
    fn is_spent(&self) -> bool {
        let facts = &self.buffers.scene.facts;
        let is_plain = |value: &Value| match value {
            Value::Unknown
            | Value::Truth
            | Value::Below(..)
            | Value::Small(_)
            | Value::Big(_)
            | Value::Pushed(_)
            | Value::Size(_) => true,
            Value::Load(slot) | Value::Not(slot) | Value::Left(slot, _) | Value::High(slot, _) => {
                facts.is_settled(*slot)
            }
            Value::Clean(slot, class) => !class.may_be_offset() || facts.is_settled(*slot),
            Value::Free(pointer, _) => !self.buffers.scene.has_copy(*pointer),
            Value::Rest(..) | Value::Place(..) | Value::Times(_) | Value::Joined(_) => false,
        };
        self.is_whole && self.buffers.stack.words().iter().all(is_plain)
    }

    /// Runs the block at a place; where control goes on with the stack.
    fn step(&mut self, pc: u32) -> Option<u32> {
        if !self.is_whole && self.buffers.scene.facts.is_whole() {
            self.is_whole = true;
            self.most = self.most.min(self.spent + MAX_AFTER_READING);
        }
        if self.is_spent() {
            return None;
        }
        self.buffers.scene.block += 1;
        let (end, spent) = self.run_block(pc, self.most - self.spent);
        self.spent += spent;
        match end {
            End::Stop => None,
            End::Fall(to) => self.entered(to, self.context(self.buffers.stack.words()), 0),
            End::Jump(from) => {
                let target = self.buffers.stack.pop().and_then(|value| self.target(value))?;
                self.entered(target, self.context(self.buffers.stack.words()), from)
            }
            End::Branch(from) => self.branch(from),
        }
    }

    /// Runs so many instructions of a block at most; how it ends, and how many they were. A call of its own, so that
    /// the loop keeps to registers.
    #[inline(never)]
    fn run_block(&mut self, pc: u32, most: u32) -> (End, u32) {
        let Walk { code, table, .. } = *self.walk;
        let Buffers { scene, stack: Stack { room: words, height: top }, .. } = &mut *self.buffers;
        let (words, mut height) = (&mut **words, *top);
        let mut at = pc as usize;
        let mut left = most;
        let end = loop {
            let Some(byte) = code.get(at) else { break End::Stop };
            let Some(rest) = left.checked_sub(1) else { break End::Stop };
            left = rest;
            let facts = table[usize::from(*byte)];
            at += 1;
            let Some(below) = height.checked_sub(usize::from(facts.inputs)) else { break End::Stop };
            if height > STACK_LIMIT {
                break End::Stop;
            }
            match facts.kind {
                OpKind::Push => {
                    let here = at - 1;
                    at += usize::from(facts.immediate);
                    words[height] = pushed(code, here, at);
                }
                OpKind::Dup => words[height] = words[below],
                OpKind::Swap => words.swap(height - 1, below),
                OpKind::JumpDest if at - 1 == pc as usize => {}
                OpKind::JumpDest => break End::Fall(at as u32 - 1),
                OpKind::Jump => break End::Jump(at as u32 - 1),
                OpKind::JumpI => break End::Branch(at as u32 - 1),
                OpKind::Halt | OpKind::Undefined => break End::Stop,
                // What gives nothing tells nothing, but for copies.
                OpKind::Plain if facts.outputs == 0 => {
                    if let (Opcode::CALLDATACOPY, [bytes, from, to]) = (Opcode(*byte), &words[below..height])
                    {
                        scene.copy(*to, *from, *bytes);
                    }
                }
                OpKind::Plain | OpKind::And | OpKind::Arithmetic | OpKind::Pc | OpKind::CodeSize => {
                    let (a, b) = match words[below..height] {
                        [.., b, a] => (a, b),
                        [a] => (a, Value::Unknown),
                        [] => (Value::Unknown, Value::Unknown),
                    };
                    words[below] = scene.apply(Opcode(*byte), a, b);
                }
            }
            height = below + usize::from(facts.outputs);
        };
        *top = height;
        (end, most - left)
    }

    /// A branch to a failure without data on a word that is not below a small number.
    fn check_below(&mut self, condition: Value, target: Option<u32>, next: u32) {
        if let Value::Below(slot, is_below) = condition
            && self.walk.has_enumerations
        {
            let failure = if is_below { Some(next) } else { target };
            if failure.is_some_and(|pc| reverts_at_once(self.walk.code, pc)) {
                self.buffers.scene.require_below(slot);
            }
        }
    }

    /// Goes where it jumps to first, if it goes both ways.
    fn branch(&mut self, pc: u32) -> Option<u32> {
        let stack = &mut self.buffers.stack;
        let (target, condition) = (stack.pop(), stack.pop().unwrap_or(Value::Unknown));
        let target = target.and_then(|value| self.target(value));
        self.buffers.scene.branch_on(condition);
        self.check_below(condition, target, pc + 1);
        let (next, context) = (pc + 1, self.context(self.buffers.stack.words()));
        let known = self.buffers.scene.word_of(condition).map(|word| !word.is_zero());
        let (goes, falls) = match known {
            None => (true, true),
            // A loop whose end is known is left after a round.
            Some(true) => (true, target.is_some_and(|target| self.was_at(target, context))),
            Some(false) => (self.was_at(next, context), true),
        };
        let fallen = if falls { self.entered(next, context, pc) } else { None };
        let target = target.filter(|_| goes).and_then(|target| self.entered(target, context, pc));
        if let (Some(next), Some(_)) = (fallen, target) {
            self.put_off(next);
        }
        target.or(fallen)
    }
}

/// True for a program whose first block sets Solidity's free pointer, and for one that solc's trailer ends.
fn is_solidity(code: &[u8]) -> bool {
    let mut has_address = false;
    for inst in instructions(code, 0, u32::MAX) {
        match inst.opcode {
            Opcode::MSTORE if has_address => return true,
            Opcode::JUMPDEST | Opcode::JUMP | Opcode::JUMPI | Opcode::STOP | Opcode::RETURN => break,
            _ => has_address |= inst.pushed_word() == Some(Word::from(FREE_POINTER)),
        }
    }
    find_metadata(code).is_some_and(|metadata| metadata.compiler.as_deref() == Some("solc"))
}

/// True for code that reverts without data and does nothing else.
fn reverts_at_once(code: &[u8], pc: u32) -> bool {
    const PUSH0: u8 = Opcode::PUSH0.0;
    let mut rest = code.get(pc as usize..).unwrap_or_default();
    rest = rest.strip_prefix(&[Opcode::JUMPDEST.0]).unwrap_or(rest);
    for _ in 0..2 {
        rest = match rest {
            [PUSH0 | 0x80..=0x8f, rest @ ..] | [0x60, 0, rest @ ..] => rest,
            _ => return false,
        };
    }
    rest.first() == Some(&Opcode::REVERT.0)
}

/// What the push at `pc` pushes, whose data ends before `end`.
fn pushed(code: &[u8], pc: usize, end: usize) -> Value {
    let small = |data: &[u8]| data.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    match code.get(pc + 1..end) {
        None => Value::Pushed(pc as u32),
        // Most pushes by far.
        Some([byte]) => Value::Small(u32::from(*byte)),
        Some([high, low]) => Value::Small(u32::from(*high) << 8 | u32::from(*low)),
        Some(data) => match data.split_last_chunk::<4>() {
            None => Value::Small(small(data)),
            Some((high, low)) if high.iter().all(|byte| *byte == 0) => Value::Small(u32::from_be_bytes(*low)),
            Some(_) => Value::Pushed(pc as u32),
        },
    }
}
