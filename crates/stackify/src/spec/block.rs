//! Schedules one block in source order on a symbolic stack: stages 4 to 6 of the specification.
//!
//! Between instructions the stack holds the return address (if the function returns) and the
//! stack-resident values of this block, some of them dead. A value that a `DUP` or `SWAP` cannot
//! reach is reported in [`BlockScheduler::too_deep`]; the block is then scheduled again with that
//! value in memory, so the steps written after such a value do not matter.

use super::homes::{Home, Homes};
use super::live::Saves;
use crate::code::{BlockCode, Convention, Exit, FrameObject, MAX_HEIGHT, Reach, StackWord, Step, StepKind};
use crate::context::{ModuleCx, callee_of};
use cairn_evm::Opcode;
use cairn_ir::{Block, Func, Function, Inst, Op, Payload, SecondaryMap, Value};
use cranelift_entity::EntitySet;

/// What does not change while a function is scheduled.
#[derive(Clone, Copy)]
pub(super) struct FuncCx<'a> {
    pub(super) module: &'a ModuleCx<'a>,
    pub(super) conventions: &'a SecondaryMap<Func, Convention>,
    pub(super) id: Func,
    pub(super) func: &'a Function,
    pub(super) homes: &'a Homes,
    pub(super) saves: &'a Saves,
    pub(super) reach: Reach,
}

/// Dead words are removed when the stack grows past this height.
const TIDY_HEIGHT: usize = 10;

/// The state of scheduling one block.
pub(super) struct BlockScheduler<'a> {
    pub(super) cx: FuncCx<'a>,
    pub(super) steps: Vec<Step>,
    pub(super) stack: Vec<StackWord>,
    /// Uses not yet scheduled.
    remaining: SecondaryMap<Value, u32>,
    /// Words at the bottom that stay until the end.
    pub(super) base: usize,
    /// Values that could not be reached.
    pub(super) too_deep: EntitySet<Value>,
}

impl<'a> BlockScheduler<'a> {
    /// A scheduler for the blocks of one function.
    pub(super) fn new(cx: FuncCx<'a>) -> Self {
        let (steps, stack) = (Vec::new(), Vec::new());
        let remaining = cx.homes.uses.clone();
        BlockScheduler { cx, steps, stack, remaining, base: 0, too_deep: EntitySet::new() }
    }

    /// The code of a block.
    pub(super) fn schedule(&mut self, block: Block) -> BlockCode {
        let func = self.cx.func;
        self.stack.clear();
        if self.cx.conventions[self.cx.id].returns {
            self.stack.push(StackWord::ReturnAddress);
        }
        self.base = self.stack.len();
        if block == func.layout.entry() {
            let params = self.cx.conventions[self.cx.id].params.iter();
            self.stack.extend(params.map(|index| StackWord::Value(func.params()[*index as usize])));
        }
        let entry = self.stack.clone();
        if block == func.layout.entry() {
            self.place_params();
        }
        let exit = self.schedule_insts(block);
        BlockCode { block, entry, steps: std::mem::take(&mut self.steps), exit }
    }

    fn schedule_insts(&mut self, block: Block) -> Exit {
        let func = self.cx.func;
        for inst in func.layout.insts(block) {
            match func.dfg.op(inst) {
                Op::Icall => {
                    let callee = callee_of(func, inst).expect("invariant: a call has a callee");
                    self.schedule_call(inst, callee);
                    if !self.cx.conventions[callee].returns {
                        return Exit::Halt;
                    }
                }
                op if op.is_terminator() => return self.schedule_terminator(inst),
                _ if self.cx.homes.is_pushed(func, inst) => {}
                _ => self.schedule_op(inst),
            }
        }
        unreachable!("invariant: a block ends in a terminator")
    }

    fn schedule_op(&mut self, inst: Inst) {
        let args = self.cx.func.dfg.args(inst);
        self.bring_operands(inst, args);
        self.carry_out(inst, args.len());
        self.settle_results(inst);
        self.tidy();
    }

    /// Emits the operation itself: operands go, results come.
    pub(super) fn carry_out(&mut self, inst: Inst, inputs: usize) {
        let func = self.cx.func;
        let kind = match func.dfg.op(inst) {
            Op::Evm(opcode) => StepKind::Op(opcode),
            _ => StepKind::Symbolic,
        };
        self.steps.push(Step { kind, origin: Some(inst) });
        self.check_height();
        self.stack.truncate(self.stack.len() - inputs);
        self.stack.extend(func.dfg.results(inst).iter().map(|value| StackWord::Value(*value)));
    }

    /// Where the EVM's stack is too small, no value can stay on it.
    pub(super) fn check_height(&mut self) {
        if self.stack.len() > MAX_HEIGHT {
            let is_kept = |value: &Value| self.cx.homes.of[*value] == Home::Stack;
            self.too_deep.extend(self.stack.iter().filter_map(as_value).filter(is_kept));
        }
    }

    /// Sends the results of the instruction just carried out home, the top one first: they are the
    /// topmost words.
    pub(super) fn settle_results(&mut self, inst: Inst) {
        let n_results = self.cx.func.dfg.results(inst).len();
        let results = self.stack[self.stack.len() - n_results..].to_vec();
        for value in results.iter().rev().filter_map(as_value) {
            match self.cx.homes.of[value] {
                Home::Unused => self.pop(),
                Home::Memory(object) => self.store(object),
                Home::Stack | Home::Immediate(_) => {}
            }
        }
    }

    /// Sends the parameters of the function home; the order of those that stay is free.
    fn place_params(&mut self) {
        for value in self.cx.func.params() {
            let home = self.cx.homes.of[*value];
            if home == Home::Stack {
                continue;
            }
            let Some(depth) = self.depth_of(*value) else {
                let is_kept = |value: &Value| self.cx.homes.of[*value] == Home::Stack;
                self.too_deep.extend(self.stack.iter().filter_map(as_value).filter(is_kept));
                return;
            };
            self.swap(depth);
            match home {
                Home::Memory(object) => self.store(object),
                Home::Unused | Home::Stack | Home::Immediate(_) => self.pop(),
            }
        }
    }

    fn schedule_terminator(&mut self, inst: Inst) -> Exit {
        let func = self.cx.func;
        let data = func.dfg.inst(inst);
        self.remove_dead();
        match (data.op(), data.payload) {
            (Op::Br, Payload::Jump(call)) => Exit::Jump(call.block),
            (Op::CondBr, Payload::Branch([then, otherwise])) => {
                self.bring_operands(inst, func.dfg.args(inst));
                self.drop_below_top();
                Exit::Branch { then: then.block, otherwise: otherwise.block }
            }
            (Op::Switch, _) => {
                self.bring_operands(inst, func.dfg.args(inst));
                self.drop_below_top();
                Exit::Table(inst)
            }
            (Op::Iret, _) => self.schedule_iret(inst),
            _ => {
                if self.cx.module.options.strict_stack && self.base > 0 {
                    self.swap(self.stack.len() - 1);
                    self.pop();
                    self.base = 0;
                }
                let args = func.dfg.args(inst);
                self.bring_operands(inst, args);
                self.carry_out(inst, args.len());
                Exit::Halt
            }
        }
    }

    /// Leaves the top word and the base only; everything between is dead.
    fn drop_below_top(&mut self) {
        while self.stack.len() > self.base + 1 {
            self.swap(1);
            self.pop();
        }
    }

    /// Puts the operands of an instruction on top, the first one topmost.
    fn bring_operands(&mut self, inst: Inst, args: &[Value]) {
        let mut order: Vec<Value> = args.iter().rev().copied().collect();
        let mut in_place = self.num_in_place(&order);
        if in_place < 2 && order.len() == 2 {
            order.reverse();
            let reversed = self.num_in_place(&order);
            if reversed > in_place {
                return self.bring_reversed(inst, &order, reversed);
            }
            order.reverse();
        }
        in_place = in_place.min(order.len());
        self.bring(&order, in_place);
    }

    /// Puts values on top in this order, the last one topmost; the first `in_place` lie there.
    pub(super) fn bring(&mut self, order: &[Value], in_place: usize) {
        self.consume(&order[..in_place]);
        self.bring_above(&order[in_place..], in_place);
    }

    /// Puts values on top in this order, above `placed` words, which keep their order.
    pub(super) fn bring_above(&mut self, order: &[Value], placed: usize) {
        for (index, value) in order.iter().enumerate() {
            match self.depth_to_lift(*value, &order[index..], placed + index) {
                Some(depth) => self.lift(*value, depth, placed + index),
                None => self.push_use(*value),
            }
        }
    }

    /// Where a value lies whose last uses are in `rest`: it is lifted by `SWAP`, for a copy of it would be
    /// dug out and popped later.
    fn depth_to_lift(&self, value: Value, rest: &[Value], placed: usize) -> Option<usize> {
        let depth = self.depth_of(value).filter(|_| self.is_last_use(value, rest))?;
        (depth >= placed && depth <= self.cx.reach.swap as usize).then_some(depth)
    }

    /// Brings a value to the top from below `placed` words, which keep their order.
    ///
    /// ```text
    /// [v, w, a, b]   SWAP1 SWAP2 → [v, a, b, w]   SWAP3 → [w, a, b, v]
    /// ```
    fn lift(&mut self, value: Value, depth: usize, placed: usize) {
        (1..=placed).for_each(|depth| self.swap(depth));
        if depth > placed {
            self.swap(depth);
        }
        self.consume(&[value]);
    }

    /// Two operands that are nearer in the reverse order: bring them so, exchange them if it
    /// matters.
    fn bring_reversed(&mut self, inst: Inst, order: &[Value], in_place: usize) {
        self.bring(order, in_place);
        if !matches!(self.cx.func.dfg.op(inst), Op::Evm(op) if op.is_commutative()) {
            self.swap(1);
        }
    }

    /// The largest m such that the top m words are `order[..m]` and nothing else uses them.
    pub(super) fn num_in_place(&self, order: &[Value]) -> usize {
        let above = self.stack.len() - self.base;
        let fits = |m: &usize| {
            let top = &self.stack[self.stack.len() - m..];
            top.iter()
                .zip(order)
                .all(|(word, value)| *word == StackWord::Value(*value) && self.is_last_use(*value, order))
        };
        (1..=order.len().min(above).min(self.cx.reach.swap as usize)).rev().find(fits).unwrap_or(0)
    }

    fn is_last_use(&self, value: Value, order: &[Value]) -> bool {
        let here = order.iter().filter(|other| **other == value).count();
        self.cx.homes.of[value] == Home::Stack && self.remaining[value] as usize == here
    }

    pub(super) fn consume(&mut self, values: &[Value]) {
        values.iter().for_each(|value| self.remaining[*value] -= 1);
    }

    /// Pushes a value for a use of it.
    pub(super) fn push_use(&mut self, value: Value) {
        match self.cx.homes.of[value] {
            Home::Immediate(inst) => self.push_immediate(inst),
            Home::Memory(object) => self.load(object, StackWord::Value(value)),
            Home::Stack | Home::Unused => {
                match self.depth_of(value) {
                    Some(depth) => self.emit(StepKind::Dup(depth as u16 + 1)),
                    None => self.too_deep.extend([value]),
                }
                self.stack.push(StackWord::Value(value));
            }
        }
        self.consume(&[value]);
    }

    fn push_immediate(&mut self, inst: Inst) {
        let func = self.cx.func;
        let value = func.dfg.result(inst);
        let kind = match (func.dfg.op(inst), self.cx.homes.addresses[value]) {
            (_, Some((alloca, offset))) => {
                let object = self.cx.homes.allocas[alloca].expect("invariant: a used alloca has memory");
                StepKind::PushFrame(object, offset)
            }
            (Op::Constant, _) => {
                StepKind::Push(func.dfg.inst_const(inst).expect("invariant: a constant has a word"))
            }
            (Op::HeapBase, _) => StepKind::PushHeapBase,
            _ => StepKind::Symbolic,
        };
        self.steps.push(Step { kind, origin: Some(inst) });
        self.stack.push(StackWord::Value(value));
    }

    pub(super) fn load(&mut self, object: FrameObject, word: StackWord) {
        self.emit(StepKind::PushFrame(object, 0));
        self.emit(StepKind::Op(Opcode::MLOAD));
        self.stack.push(word);
    }

    pub(super) fn store(&mut self, object: FrameObject) {
        self.emit(StepKind::PushFrame(object, 0));
        self.emit(StepKind::Op(Opcode::MSTORE));
        self.stack.pop();
    }

    pub(super) fn emit(&mut self, kind: StepKind) {
        self.steps.push(Step { kind, origin: None });
    }

    pub(super) fn pop(&mut self) {
        self.emit(StepKind::Pop);
        self.stack.pop();
    }

    pub(super) fn swap(&mut self, depth: usize) {
        if depth == 0 {
            return;
        }
        self.emit(StepKind::Swap(depth as u16));
        let top = self.stack.len() - 1;
        self.stack.swap(top, top - depth);
    }

    /// How far below the top a value lies, if it is in reach.
    fn depth_of(&self, value: Value) -> Option<usize> {
        let reachable = self.stack.iter().rev().take(self.cx.reach.dup as usize);
        reachable.into_iter().position(|word| *word == StackWord::Value(value))
    }

    /// True when nobody needs the word at this index any more.
    fn is_dead(&self, index: usize) -> bool {
        index >= self.base && as_value(&self.stack[index]).is_some_and(|value| self.remaining[value] == 0)
    }

    /// Removes the dead words that lie on top or directly below it, and all of them when the stack
    /// is high.
    pub(super) fn tidy(&mut self) {
        loop {
            let len = self.stack.len();
            if len > self.base && self.is_dead(len - 1) {
                self.pop();
            } else if len > self.base + 1 && self.is_dead(len - 2) {
                self.swap(1);
                self.pop();
            } else {
                break;
            }
        }
        if self.stack.len() > self.base + TIDY_HEIGHT {
            self.remove_dead_in_reach();
        }
    }

    /// Removes every dead word.
    fn remove_dead(&mut self) {
        self.remove_dead_in_reach();
        let deep = self.stack.len().saturating_sub(self.cx.reach.swap as usize + 1);
        let stuck = (self.base..deep)
            .filter(|index| self.is_dead(*index))
            .filter_map(|index| as_value(&self.stack[index]));
        let stuck: Vec<Value> = stuck.collect();
        self.too_deep.extend(stuck);
    }

    fn remove_dead_in_reach(&mut self) {
        let mut index = self.stack.len();
        let deepest = self.stack.len().saturating_sub(self.cx.reach.swap as usize + 1).max(self.base);
        while index > deepest {
            index -= 1;
            if self.is_dead(index) {
                self.swap(self.stack.len() - 1 - index);
                self.pop();
            }
        }
    }
}

/// The value that a word holds.
pub(super) fn as_value(word: &StackWord) -> Option<Value> {
    match word {
        StackWord::Value(value) => Some(*value),
        StackWord::Const(_) | StackWord::ReturnAddress | StackWord::CallReturn(_) | StackWord::Junk => None,
    }
}
