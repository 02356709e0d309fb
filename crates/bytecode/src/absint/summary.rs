//! Symbolic execution of one block: what it does to any stack.
//!
//! A [`Summary`] says how many words it takes off the entry stack and which it puts in their
//! stead, in terms of inputs of the block. Made once a block, when the block is first reached. What
//! the block loads from tables in the code is a set of words, however little is followed otherwise,
//! and so is a destination that it computes.

use super::subject::Subject;
use super::value::{Kind, SMALL_LIMIT, SetPool, Value, is_low_mask, is_low_mask_of};
use crate::block_stack::BlockStack;
use crate::blocks::{Block, BlockEnd};
use crate::decode::instructions;
use crate::optable::{OpFacts, OpKind};
use crate::tables::{Fuel, read_tables};
use crate::traits::Traits;
use cairn_evm::{Opcode, Word};

/// How much of the values is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Only jump destinations and the flags 0 and 1; arithmetic gives the unknown, but where a
    /// destination is computed from it.
    Labels,
    /// Sets of words through arithmetic.
    Words,
}

/// The effect of a block on the stack.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    /// Words taken off.
    pub(crate) pops: u32,
    /// Range in the engine's arena of the words put in their stead, the topmost last.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Range of expressions.
    pub(crate) first_expr: u32,
    pub(crate) expr_count: u32,
    /// Where `JUMP` or `JUMPI` goes.
    pub(crate) target: Option<Value>,
    /// The condition of `JUMPI`.
    pub(crate) condition: Option<Value>,
    /// Range of places, counted from the top after the block, whose words are zero on one way.
    pub(crate) first_zero: u32,
    pub(crate) zero_count: u32,
    /// That way is the jump; otherwise it is the fall through.
    pub(crate) zero_on_jump: bool,
}

/// A way out of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Jump,
    Fallthrough,
}

/// An operation on values; operands are inputs of the block, constants or earlier expressions.
/// What no operation here computes is an expression of [`OPAQUE`]: unknown, but equal to itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expr {
    pub(crate) op: Opcode,
    pub(crate) a: Value,
    pub(crate) b: Option<Value>,
}

/// Stands for operations that give something unknown.
const OPAQUE: Opcode = Opcode::INVALID;

/// What summaries are made with.
pub(crate) struct Summarizer<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) precision: Precision,
    pub(crate) exprs: Vec<Expr>,
    /// Places of words that are zero; see [`Summary`].
    pub(crate) zeros: Vec<u32>,
    /// A block asks for the size of the code, or ends with a push that the end cuts short.
    pub(crate) asks_for_end: bool,
    /// Symbolic stack; the entry stack's words lie at the bottom.
    stack: BlockStack<Value>,
    /// What the block loads from tables in the code, by the offset of the load.
    loads: Vec<(u32, Value)>,
    fuel_of_tables: Fuel,
    /// Entry words laid out below.
    window: u32,
}

/// Constants up to this are followed as flags that later branches test.
pub(crate) const MAX_FLAG: u32 = 1;

/// A word of ones that masks function pointers, kept apart from constants.
const MASK: Value = Value::UNKNOWN;

impl<'a> Summarizer<'a> {
    pub(crate) fn new(subject: Subject<'a>, precision: Precision) -> Summarizer<'a> {
        Summarizer {
            subject,
            precision,
            exprs: Vec::new(),
            zeros: Vec::new(),
            asks_for_end: false,
            stack: BlockStack::default(),
            loads: Vec::new(),
            fuel_of_tables: Fuel::for_code(subject.code.len()),
            window: 0,
        }
    }

    /// The summary of `block`, its values appended to `arena`.
    pub(crate) fn summarize(&mut self, block: &Block, pool: &mut SetPool, arena: &mut Vec<Value>) -> Summary {
        let first_expr = self.exprs.len() as u32;
        self.window = block.needs;
        self.find_tables(block, pool);
        let mut precision = self.precision;
        let (mut target, mut condition) = self.run(block, precision, pool);
        if target.is_some_and(is_expr) && precision == Precision::Labels {
            precision = Precision::Words;
            self.exprs.truncate(first_expr as usize);
            (target, condition) = self.run(block, precision, pool);
        }
        let first_zero = self.zeros.len() as u32;
        let zero_on_jump = condition.is_some_and(|condition| self.find_zeros(condition));
        let unchanged = self.unchanged_prefix();
        let first = arena.len() as u32;
        let kept = &self.stack.words()[unchanged..];
        match self.precision {
            Precision::Labels => arena.extend(kept.iter().map(|value| self.label_or_unknown(*value))),
            Precision::Words => arena.extend_from_slice(kept),
        }
        if precision == Precision::Labels {
            self.exprs.truncate(first_expr as usize);
            target = target.map(without_expr);
            condition = condition.map(without_expr);
        }
        Summary {
            pops: self.window - unchanged as u32,
            first,
            count: arena.len() as u32 - first,
            first_expr,
            expr_count: self.exprs.len() as u32 - first_expr,
            target,
            condition,
            first_zero,
            zero_count: self.zeros.len() as u32 - first_zero,
            zero_on_jump,
        }
    }

    /// Executes the block from its inputs; where it jumps to, and on what condition.
    fn run(
        &mut self,
        block: &Block,
        precision: Precision,
        pool: &mut SetPool,
    ) -> (Option<Value>, Option<Value>) {
        self.stack.begin(block, Value::input);
        match precision {
            Precision::Labels => self.run_labels(block),
            Precision::Words => self.run_words(block, pool),
        }
        match block.ends {
            BlockEnd::Jump => (self.stack.pop(), None),
            BlockEnd::JumpI => (self.stack.pop(), self.stack.pop()),
            BlockEnd::Fallthrough | BlockEnd::Halt | BlockEnd::CodeEnd => (None, None),
        }
    }

    fn find_tables(&mut self, block: &Block, pool: &mut SetPool) {
        self.loads.clear();
        if block.traits.contains(Traits::COPIES_CODE) {
            let place = (block.start, block.end);
            let found = read_tables(self.subject.source(), place, block.needs, &mut self.fuel_of_tables);
            self.loads.extend(found.loads.iter().map(|load| (load.pc, pool.value_of_table(&load.words))));
        }
    }

    /// An opcode that no operation on values stands for; it may load from a table in the code.
    fn run_plain(&mut self, facts: OpFacts, pc: u32) {
        self.replace_by_unknown(facts.inputs, facts.outputs);
        if let (Some(value), Some(top)) = (self.loaded(pc), self.stack.last_mut()) {
            *top = value;
        }
    }

    /// What the opcode at an offset has loaded from a table in the code.
    fn loaded(&self, pc: u32) -> Option<Value> {
        self.loads.iter().find(|(at, _)| *at == pc).map(|(_, value)| *value)
    }

    /// Records the places of the word that the condition tests; true when it is zero on the jump.
    fn find_zeros(&mut self, condition: Value) -> bool {
        let mut tested = condition;
        let mut zero_on_jump = false;
        while let Kind::Expr(id) = tested.kind() {
            let Some(expr) = self.exprs.get(id as usize).filter(|expr| expr.op == Opcode::ISZERO) else {
                break;
            };
            tested = expr.a;
            zero_on_jump = !zero_on_jump;
        }
        let places = self.stack.words().iter().rev().enumerate().filter(|(_, value)| **value == tested);
        self.zeros.extend(places.map(|(place, _)| place as u32));
        zero_on_jump
    }

    fn opaque(&mut self) -> Value {
        self.exprs.push(Expr { op: OPAQUE, a: Value::UNKNOWN, b: None });
        Value::expr(self.exprs.len() as u32 - 1)
    }

    /// Number of words at the bottom that stand where they stood at the entry.
    fn unchanged_prefix(&self) -> usize {
        let window = self.window;
        let same = |(index, value): &(usize, &Value)| {
            (*index as u32) < window && **value == Value::input(window - 1 - *index as u32)
        };
        self.stack.words().iter().enumerate().take_while(same).count()
    }

    fn label_or_unknown(&self, value: Value) -> Value {
        match value.as_const() {
            Some(pc) if pc > MAX_FLAG && !self.subject.blocks.is_jump_target(pc) => Value::UNKNOWN,
            None if is_expr(value) => Value::UNKNOWN,
            _ => value,
        }
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().expect("invariant: the window holds all that the block needs")
    }

    /// Executes the block as far as labels go. A call of its own, as are those for what is rare: so the loop keeps to
    /// registers.
    #[inline(never)]
    fn run_labels(&mut self, block: &Block) {
        let Subject { code, table, placeholders, role, .. } = self.subject;
        let knows_all = placeholders.is_empty() && !role.is_open();
        // Here it is nobody else's, which spares looking up where it lies at each instruction.
        let mut stack = std::mem::take(&mut self.stack);
        // Numbers of words that are unknown, but equal to themselves: they are no expressions.
        let mut opaque = 0;
        // Behind the last push of a mask.
        let mut mask_end = usize::MAX;
        let (mut at, end) = (block.start as usize, block.end as usize);
        while at < end {
            let pc = at;
            let byte = code[pc];
            let facts = table[usize::from(byte)];
            at += 1;
            let below = stack.height() - usize::from(facts.inputs);
            match facts.kind {
                OpKind::Push => {
                    at += usize::from(facts.immediate);
                    let value = match code.get(pc + 1..at) {
                        Some(&[]) if knows_all => Value::constant(0),
                        Some(&[byte]) if knows_all => Value::constant(u32::from(byte)),
                        Some(&[high, low]) if knows_all => {
                            Value::constant(u32::from(high) << 8 | u32::from(low))
                        }
                        _ if !knows_all && !self.subject.is_known_at(pc as u32, at) => {
                            opaque += 1;
                            Value::opaque(opaque)
                        }
                        _ => wide_push(code, pc + 1, at).unwrap_or_else(|is_mask| {
                            mask_end = if is_mask { at } else { mask_end };
                            MASK
                        }),
                    };
                    stack.push(value);
                }
                OpKind::Dup => stack.duplicate(below),
                OpKind::Swap => stack.swap(below),
                OpKind::And => {
                    let (a, b) = (stack.at(below + 1), stack.at(below));
                    let result = if mask_end == pc { b.masked() } else { masked_label(a, b) };
                    stack.truncate(below);
                    stack.push(result);
                }
                OpKind::Arithmetic if byte == Opcode::ISZERO.0 => {
                    let result = self.tested_label(stack.at(below));
                    stack.truncate(below);
                    stack.push(result);
                }
                OpKind::Plain | OpKind::Arithmetic | OpKind::CodeSize | OpKind::Halt => {
                    stack.truncate(below);
                    if facts.outputs > 0 {
                        opaque += 1;
                        stack.push(Value::opaque(opaque));
                    }
                    if !self.loads.is_empty()
                        && let (Some(value), Some(top)) = (self.loaded(pc as u32), stack.last_mut())
                    {
                        *top = value;
                    }
                }
                OpKind::Pc => stack.push(Value::constant(pc as u32)),
                OpKind::JumpDest | OpKind::Jump | OpKind::JumpI | OpKind::Undefined => {}
            }
        }
        self.asks_for_end |= at > code.len();
        self.stack = stack;
    }

    /// What `ISZERO` makes of a value.
    #[inline(never)]
    fn tested_label(&mut self, value: Value) -> Value {
        match value.as_const() {
            Some(small) => Value::constant(u32::from(small == 0)),
            None => {
                self.exprs.push(Expr { op: Opcode::ISZERO, a: value, b: None });
                Value::expr(self.exprs.len() as u32 - 1)
            }
        }
    }

    fn run_words(&mut self, block: &Block, pool: &mut SetPool) {
        for inst in instructions(self.subject.code, block.start, block.end) {
            let facts = self.subject.table[usize::from(inst.opcode.0)];
            self.asks_for_end |= inst.next_pc() as usize > self.subject.code.len();
            match facts.kind {
                OpKind::Push => match self.subject.pushed_word(&inst) {
                    Some(word) => self.stack.push(pool.word(word)),
                    None => self.replace_by_unknown(0, 1),
                },
                OpKind::CodeSize => {
                    self.asks_for_end = true;
                    match self.subject.role.is_open() {
                        true => self.replace_by_unknown(0, 1),
                        false => self.stack.push(pool.word(Word::from(self.subject.code.len()))),
                    }
                }
                OpKind::And | OpKind::Arithmetic => {
                    let a = self.pop();
                    let b = (facts.inputs == 2).then(|| self.pop());
                    let value = self.expression(inst.opcode, a, b, pool);
                    self.stack.push(value);
                }
                OpKind::Plain => self.run_plain(facts, inst.pc),
                OpKind::Halt => self.replace_by_unknown(facts.inputs, facts.outputs),
                kind => self.arrange(kind, facts.inputs, inst.pc),
            }
        }
    }

    fn expression(&mut self, op: Opcode, a: Value, b: Option<Value>, pool: &mut SetPool) -> Value {
        let is_input = |value: Value| matches!(value.kind(), Kind::Input { .. } | Kind::Expr(_));
        if !is_input(a) && !b.is_some_and(is_input) {
            return pool.apply(op, a, b);
        }
        self.exprs.push(Expr { op, a, b });
        Value::expr(self.exprs.len() as u32 - 1)
    }

    fn replace_by_unknown(&mut self, inputs: u8, outputs: u8) {
        let kept = self.stack.height() - usize::from(inputs);
        self.stack.truncate(kept);
        for _ in 0..outputs {
            let value = self.opaque();
            self.stack.push(value);
        }
    }

    /// Opcodes that only arrange the stack, and `PC`. Jumps leave their operands.
    fn arrange(&mut self, kind: OpKind, inputs: u8, pc: u32) {
        let height = self.stack.height();
        match kind {
            OpKind::Dup => self.stack.duplicate(height - usize::from(inputs)),
            OpKind::Swap => self.stack.swap(height - usize::from(inputs)),
            OpKind::Pc => self.stack.push(Value::constant(pc)),
            OpKind::JumpDest
            | OpKind::Jump
            | OpKind::JumpI
            | OpKind::Undefined
            | OpKind::Plain
            | OpKind::Push
            | OpKind::And
            | OpKind::Arithmetic
            | OpKind::CodeSize
            | OpKind::Halt => {}
        }
    }
}

fn is_expr(value: Value) -> bool {
    matches!(value.kind(), Kind::Expr(_))
}

fn without_expr(value: Value) -> Value {
    if is_expr(value) { Value::UNKNOWN } else { value }
}

/// What `AND` makes of two values, where one may be a small constant that is a mask.
#[inline(never)]
fn masked_label(a: Value, b: Value) -> Value {
    let is_mask = |value: Value| value.as_const().is_some_and(|small| is_low_mask(Word::from(small)));
    match (is_mask(a), is_mask(b)) {
        (true, _) => b.masked(),
        (false, true) => a.masked(),
        (false, false) => Value::UNKNOWN,
    }
}

/// The constant that is pushed by data between two offsets, when it is small; otherwise whether it is a mask.
#[inline(never)]
fn wide_push(code: &[u8], start: usize, end: usize) -> Result<Value, bool> {
    let data = &code[start..end.min(code.len())];
    small_push(data, end - start).ok_or_else(|| end <= code.len() && is_low_mask_of(data))
}

/// The constant that a push pushes when it is small.
fn small_push(data: &[u8], width: usize) -> Option<Value> {
    if data.len() == width && width <= 3 {
        return Some(Value::constant(data.iter().fold(0, |word, byte| word << 8 | u32::from(*byte))));
    }
    let missing = width - data.len();
    let significant = data.iter().position(|byte| *byte != 0).map_or(&data[..0], |first| &data[first..]);
    if significant.is_empty() {
        return Some(Value::constant(0));
    }
    if significant.len() + missing > 4 {
        return None;
    }
    let word = significant.iter().fold(0u64, |word, byte| word << 8 | u64::from(*byte)) << (8 * missing);
    u32::try_from(word).ok().filter(|small| *small < SMALL_LIMIT).map(Value::constant)
}
