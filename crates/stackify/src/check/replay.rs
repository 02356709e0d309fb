//! Replays the steps of a function's blocks.

use super::effects::EffectOrder;
use super::memory::{Content, Demand, Event, Memory};
use super::word::{FrameWord, Sym};
use super::{MAX_VIOLATIONS, Rule, Violation};
use crate::MAX_PASSED;
use crate::allocas::{Allocas, Escape};
use crate::code::{BlockCode, FrameObject, FrameUse, FuncCode, ModuleCode, Reach, Step, StepKind};
use crate::context::ModuleCx;
use crate::frame::{FuncFrame, WORD_BYTES};
use cairn_evm::{Effects, Opcode, STACK_LIMIT};
use cairn_ir::{Block, Func, Function, Inst, Op, SecondaryMap, Value, sized};
use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;

/// Why replaying a block stopped early.
#[derive(Debug)]
pub(super) struct Stop;

/// Checks one function.
pub(super) fn check_func(
    cx: &ModuleCx<'_>,
    module: &ModuleCode,
    id: Func,
    frame: &FuncFrame,
) -> Vec<Violation> {
    let scheduled = module[id].as_ref().expect("invariant: the function is scheduled");
    let mut checker = FuncChecker::new(cx, module, id, &scheduled.func, &scheduled.code, frame);
    checker.check_entry();
    for block in &scheduled.code.blocks {
        checker.replay_block(block);
    }
    checker.settle_demands();
    checker.violations
}

/// The state of checking one function.
pub(super) struct FuncChecker<'a> {
    pub(super) cx: &'a ModuleCx<'a>,
    pub(super) module: &'a ModuleCode,
    pub(super) id: Func,
    pub(super) func: &'a Function,
    pub(super) code: &'a FuncCode,
    pub(super) frame: &'a FuncFrame,
    pub(super) reach: Reach,
    /// The code of each block.
    pub(super) by_block: SecondaryMap<Block, Option<&'a BlockCode>>,
    /// Predecessors in the code, each edge once.
    pub(super) preds: SecondaryMap<Block, Vec<Block>>,
    allocas: Allocas,
    objects: SecondaryMap<Inst, PackedOption<FrameObject>>,
    has_reentrant_call: bool,
    /// Position of each instruction in its block.
    numbers: SecondaryMap<Inst, u32>,
    /// How often each instruction with effects was carried out.
    pub(super) executed: SecondaryMap<Inst, u32>,
    pub(super) memory: Memory,
    /// Demands of which the first or the second list must hold.
    pub(super) ambiguous: Vec<[Vec<Demand>; 2]>,
    /// How often each `alloca` was written in this block.
    versions: FxHashMap<FrameObject, u32>,
    order: EffectOrder,
    pub(super) stack: Vec<Sym>,
    pub(super) at: (Block, usize),
    pub(super) violations: Vec<Violation>,
}

impl<'a> FuncChecker<'a> {
    fn new(
        cx: &'a ModuleCx<'a>,
        module: &'a ModuleCode,
        id: Func,
        func: &'a Function,
        code: &'a FuncCode,
        frame: &'a FuncFrame,
    ) -> Self {
        let mut checker = FuncChecker {
            cx,
            module,
            id,
            func,
            code,
            frame,
            reach: cx.options.reach(),
            by_block: sized(func.num_blocks()),
            preds: sized(func.num_blocks()),
            allocas: Allocas::of(func),
            objects: SecondaryMap::new(),
            has_reentrant_call: cx.callees(id).iter().any(|callee| cx.is_reentrant(id, *callee)),
            numbers: sized(func.dfg.num_insts()),
            executed: SecondaryMap::new(),
            memory: Memory::default(),
            ambiguous: Vec::new(),
            versions: FxHashMap::default(),
            order: EffectOrder::default(),
            stack: Vec::new(),
            at: (func.layout.entry(), 0),
            violations: Vec::new(),
        };
        checker.index_code();
        checker
    }

    fn index_code(&mut self) {
        for block in &self.code.blocks {
            if self.by_block[block.block].replace(block).is_some() {
                self.at = (block.block, 0);
                self.report(Rule::ValidTarget, "the block has code twice");
            }
            let insts = self.func.layout.insts(block.block).zip(0..);
            insts.for_each(|(inst, number)| self.numbers[inst] = number);
            for target in block.exit.targets(self.func) {
                self.preds[target].push(block.block);
            }
        }
        for (object, data) in &self.code.frame {
            if let FrameUse::Alloca(inst) = data.usage {
                self.objects[inst] = object.into();
            }
        }
    }

    /// Reports a violation at the current place.
    pub(super) fn report(&mut self, rule: Rule, detail: impl Into<String>) {
        let (block, step) = self.at;
        self.report_at(block, step, rule, detail);
    }

    pub(super) fn report_at(&mut self, block: Block, step: usize, rule: Rule, detail: impl Into<String>) {
        if self.violations.len() < MAX_VIOLATIONS {
            let (func, detail) = (self.func.name.clone(), detail.into());
            self.violations.push(Violation { func, block: Some(block), step: Some(step), rule, detail });
        }
    }

    fn stop<T>(&mut self, rule: Rule, detail: impl Into<String>) -> Result<T, Stop> {
        self.report(rule, detail);
        Err(Stop)
    }

    fn replay_block(&mut self, code: &BlockCode) {
        self.at = (code.block, 0);
        self.order = EffectOrder::default();
        self.versions.clear();
        self.stack.clear();
        self.stack.extend(code.entry.iter().map(|word| Sym::of_layout(self.func, *word)));
        for (number, step) in code.steps.iter().enumerate() {
            self.at.1 = number;
            if self.replay_step(*step, code.steps.get(number + 1)).is_err() {
                return;
            }
        }
        self.at.1 = code.steps.len();
        let stopped_at = self.check_exit(code);
        self.check_all_executed(code.block, stopped_at);
    }

    /// Every instruction with effects up to `stopped_at` was carried out.
    fn check_all_executed(&mut self, block: Block, stopped_at: Option<Inst>) {
        for inst in self.func.layout.insts(block) {
            let op = self.func.dfg.op(inst);
            let effects = op.effects();
            let is_needed = !effects.is_removable();
            if is_needed && self.executed[inst] == 0 {
                self.report(Rule::EffectOnce, format!("{inst} (`{}`) is not carried out", op.name()));
            }
            if Some(inst) == stopped_at {
                return;
            }
        }
    }

    fn replay_step(&mut self, step: Step, next: Option<&Step>) -> Result<(), Stop> {
        match step.kind {
            StepKind::Push(word) => self.replay_push(step.origin, word)?,
            StepKind::PushFrame(object, offset) => {
                self.replay_push_frame(step.origin, object, offset, next)?
            }
            StepKind::PushHeapBase => {
                let inst = self.origin(step, Op::HeapBase)?;
                self.push_result(inst);
            }
            StepKind::PushReturnLabel(call) => {
                self.check_return_label(call)?;
                self.stack.push(Sym::CallReturn(call));
            }
            StepKind::Call(callee) => self.replay_call(step.origin, callee)?,
            StepKind::Dup(depth) => {
                let index = self.reach_down(depth, depth, self.reach.dup)?;
                self.stack.push(self.stack[index]);
            }
            StepKind::Swap(depth) => {
                let index = self.reach_down(depth, depth + 1, self.reach.swap)?;
                let top = self.stack.len() - 1;
                self.stack.swap(index, top);
            }
            StepKind::Pop => {
                self.pop()?;
            }
            StepKind::Op(opcode) => match step.origin {
                Some(inst) => self.replay_op(opcode, inst)?,
                None => self.replay_spill(opcode)?,
            },
            StepKind::Symbolic => self.replay_symbolic(step)?,
        }
        if self.stack.len() > STACK_LIMIT {
            return self.stop(Rule::HeightLimit, format!("{} words are on the stack", self.stack.len()));
        }
        Ok(())
    }

    /// Index of the word `depth` steps reach, which need `words` words.
    fn reach_down(&mut self, depth: u16, words: u16, reach: u16) -> Result<usize, Stop> {
        if depth == 0 || depth > reach {
            return self.stop(Rule::Reach, format!("depth {depth} is not in 1 to {reach}"));
        }
        match self.stack.len().checked_sub(words as usize) {
            Some(index) => Ok(index),
            None => self.stop(Rule::HeightNotNegative, format!("{words} words are needed")),
        }
    }

    /// Takes the top word.
    pub(super) fn pop(&mut self) -> Result<Sym, Stop> {
        match self.stack.pop() {
            Some(word) => Ok(word),
            None => self.stop(Rule::HeightNotNegative, "the stack is empty"),
        }
    }

    fn origin(&mut self, step: Step, op: Op) -> Result<Inst, Stop> {
        match step.origin {
            Some(inst) if self.func.dfg.op(inst) == op => Ok(inst),
            _ => self.stop(Rule::Origin, format!("{:?} does not carry out `{}`", step.kind, op.name())),
        }
    }

    fn push_result(&mut self, inst: Inst) {
        self.stack.push(Sym::of(self.func, self.func.dfg.result(inst)));
    }

    fn replay_push(&mut self, origin: Option<Inst>, word: cairn_evm::Word) -> Result<(), Stop> {
        if let Some(inst) = origin
            && self.func.dfg.inst_const(inst) != Some(word)
        {
            return self.stop(Rule::Origin, format!("{inst} is not the constant {word}"));
        }
        self.stack.push(Sym::Const(word));
        Ok(())
    }

    fn replay_push_frame(
        &mut self,
        origin: Option<Inst>,
        object: FrameObject,
        offset: u64,
        next: Option<&Step>,
    ) -> Result<(), Stop> {
        let Some(data) = self.code.frame.get(object) else {
            return self.stop(Rule::ConstantOffset, format!("{object} does not exist"));
        };
        if offset >= data.size.max(1) {
            return self.stop(Rule::ConstantOffset, format!("offset {offset} is outside {object}"));
        }
        if let Some(inst) = origin {
            let value = self.func.dfg.results(inst).first().copied();
            return match value.filter(|value| self.is_address(*value, object, offset)) {
                Some(value) => {
                    self.stack.push(Sym::Value(value));
                    Ok(())
                }
                None => self.stop(Rule::Origin, format!("{inst} is not the address {object}+{offset}")),
            };
        }
        let is_access = next.is_some_and(|step| {
            step.origin.is_none() && matches!(step.kind, StepKind::Op(Opcode::MLOAD | Opcode::MSTORE))
        });
        if !is_access || !offset.is_multiple_of(WORD_BYTES) {
            return self
                .stop(Rule::ConstantOffset, format!("{object}+{offset} is not used by a reload or spill"));
        }
        self.stack.push(Sym::Address(object, offset));
        Ok(())
    }

    /// True when a value is an `alloca`'s address plus a constant, and that is `object + offset`.
    fn is_address(&self, value: Value, object: FrameObject, offset: u64) -> bool {
        let address = self.allocas.address(self.func, value);
        address
            .is_some_and(|(alloca, found)| self.objects[alloca].expand() == Some(object) && found == offset)
    }

    /// A sum that is a constant address of the frame is pushed: invariant 7.
    fn check_folded(&mut self, inst: Inst) -> Result<(), Stop> {
        let result = self.func.dfg.results(inst).first();
        match result.and_then(|value| self.allocas.address(self.func, *value)) {
            Some((alloca, offset)) => {
                self.stop(Rule::ConstantOffset, format!("{inst} is {alloca}+{offset}, and is computed"))
            }
            None => Ok(()),
        }
    }

    fn replay_symbolic(&mut self, step: Step) -> Result<(), Stop> {
        let Some(inst) = step.origin else {
            return self.stop(Rule::Origin, "a symbolic step has no instruction");
        };
        match self.func.dfg.op(inst) {
            Op::DataOffset | Op::DataSize | Op::LoadImmutable | Op::LinkerSymbol => self.push_result(inst),
            Op::SetImmutable | Op::Verbatim => {
                let args: Vec<Value> = self.func.dfg.args(inst).to_vec();
                self.take_operands(inst, &args)?;
                self.carry_out_effects(inst)?;
                let results = self.func.dfg.results(inst).iter();
                self.stack.extend(results.map(|value| Sym::of(self.func, *value)));
            }
            op => return self.stop(Rule::Origin, format!("`{}` is not symbolic", op.name())),
        }
        Ok(())
    }

    fn replay_op(&mut self, opcode: Opcode, inst: Inst) -> Result<(), Stop> {
        let Op::Evm(expected) = self.func.dfg.op(inst) else {
            return self.stop(Rule::Origin, format!("{inst} is not an opcode"));
        };
        self.check_folded(inst)?;
        let mut args: Vec<Value> = self.func.dfg.args(inst).to_vec();
        if opcode != expected {
            if expected.with_swapped_operands() != Some(opcode) {
                return self
                    .stop(Rule::Origin, format!("{opcode:?} does not carry out {inst} (`{expected:?}`)"));
            }
            args.reverse();
        } else if opcode.is_commutative() {
            if self.could_be_either(&args) {
                return self.replay_ambiguous(inst, args);
            }
            if !self.could_be(&args) {
                args.reverse();
            }
        }
        self.take_operands(inst, &args)?;
        self.carry_out_effects(inst)?;
        self.touch_memory(opcode, &args);
        let results = self.func.dfg.results(inst).iter();
        self.stack.extend(results.map(|value| Sym::of(self.func, *value)));
        Ok(())
    }

    /// True when the operands are on top in this order, as far as that is known.
    fn could_be(&self, args: &[Value]) -> bool {
        let fits = |(word, arg): (&Sym, &Value)| {
            matches!(word, Sym::AtEntry(_)) || *word == Sym::of(self.func, *arg)
        };
        self.stack.len() >= args.len() && self.stack.iter().rev().zip(args).all(fits)
    }

    fn could_be_either(&self, args: &[Value]) -> bool {
        let is_reload = |word: &Sym| matches!(word, Sym::AtEntry(_));
        args[0] != args[1] && self.stack.len() >= 2 && self.stack.iter().rev().take(2).all(is_reload)
    }

    /// A commutative operation on two reloaded words: which is which is decided at the end.
    fn replay_ambiguous(&mut self, inst: Inst, args: Vec<Value>) -> Result<(), Stop> {
        let words = [self.pop()?, self.pop()?];
        let (block, _) = self.at;
        let demand = |word: Sym, arg: Value| match word {
            Sym::AtEntry(word) => {
                let content = Content::Word(Sym::of(self.func, arg));
                Some(Demand { block, word, content, origin: self.at })
            }
            _ => None,
        };
        let pair = |first: Value, second: Value| [demand(words[0], first), demand(words[1], second)];
        let alternatives = [pair(args[0], args[1]), pair(args[1], args[0])];
        self.ambiguous.push(alternatives.map(|demands| demands.into_iter().flatten().collect()));
        self.push_result(inst);
        Ok(())
    }

    /// Pops the operands, the first one from the top.
    pub(super) fn take_operands(&mut self, inst: Inst, args: &[Value]) -> Result<(), Stop> {
        for arg in args {
            let word = self.pop()?;
            let expected = Sym::of(self.func, *arg);
            if word == Sym::Junk {
                return self
                    .stop(Rule::NoUninitialised, format!("{inst} reads junk instead of {expected:?}"));
            }
            if !self.matches(word, expected) {
                return self.stop(Rule::Operands, format!("{inst} finds {word:?} instead of {expected:?}"));
            }
        }
        Ok(())
    }

    /// True when a word is what it should be, perhaps given what memory held at entry.
    pub(super) fn matches(&mut self, word: Sym, expected: Sym) -> bool {
        if let (Sym::AtEntry(address), Sym::Value(_) | Sym::Const(_) | Sym::ReturnAddress) = (word, expected)
        {
            let (block, _) = self.at;
            self.memory.demand(Demand {
                block,
                word: address,
                content: Content::Word(expected),
                origin: self.at,
            });
            return true;
        }
        word == expected
    }

    /// Counts an instruction with effects and keeps their order.
    pub(super) fn carry_out_effects(&mut self, inst: Inst) -> Result<(), Stop> {
        let effects: Effects = self.func.dfg.op(inst).effects();
        if effects.is_pure() {
            return Ok(());
        }
        if self.func.layout.inst_block(inst) != Some(self.at.0) {
            return self.stop(Rule::EffectOnce, format!("{inst} is not of this block"));
        }
        self.executed[inst] += 1;
        if self.executed[inst] > 1 {
            return self.stop(Rule::EffectOnce, format!("{inst} is carried out twice"));
        }
        if !self.order.carry_out(self.numbers[inst], effects) {
            return self.stop(Rule::EffectOrder, format!("{inst} comes too late"));
        }
        Ok(())
    }

    /// The first frame word of an object plus offset.
    fn frame_word(&self, object: FrameObject, offset: u64) -> FrameWord {
        (self.frame.offsets[object] + offset) / WORD_BYTES
    }

    /// The words of an object. Of more words than can be saved on the stack, one too many stands for
    /// all: no code can lose and restore so many.
    fn frame_words(&self, object: FrameObject) -> std::ops::Range<FrameWord> {
        let size = self.code.frame[object].size.div_ceil(WORD_BYTES).min(MAX_PASSED as u64 + 1);
        let first = self.frame_word(object, 0);
        first..first + size
    }

    /// A spill or reload: the address was pushed by the step before.
    fn replay_spill(&mut self, opcode: Opcode) -> Result<(), Stop> {
        let Sym::Address(object, offset) = self.pop()? else {
            return self
                .stop(Rule::Origin, format!("{opcode:?} without an instruction has no frame address"));
        };
        let word = self.frame_word(object, offset);
        let block = self.at.0;
        let alloca = match self.code.frame[object].usage {
            FrameUse::Alloca(inst) => Some(inst),
            FrameUse::Spill => None,
        };
        match (opcode, alloca) {
            (Opcode::MLOAD, None) => {
                let held = match self.memory.last(block, word) {
                    None => Sym::AtEntry(word),
                    Some(Event::Stored(held)) => held,
                    Some(event) => {
                        return self
                            .stop(Rule::Reload, format!("{object} holds no spilled value: {event:?}"));
                    }
                };
                self.stack.push(held);
            }
            (Opcode::MLOAD, Some(_)) => {
                let version = self.versions.get(&object).copied().unwrap_or(0);
                self.stack.push(Sym::Saved(object, offset, version));
            }
            (Opcode::MSTORE, None) => {
                let stored = self.pop()?;
                self.memory.record(block, word, Event::Stored(stored));
            }
            (Opcode::MSTORE, Some(inst)) => {
                let version = self.versions.get(&object).copied().unwrap_or(0);
                let restored = self.pop()?;
                if restored != Sym::Saved(object, offset, version) {
                    return self.stop(Rule::Intact, format!("{restored:?} is not what {object} held"));
                }
                self.memory.record(block, word, Event::Owned(inst));
            }
            _ => return self.stop(Rule::Origin, format!("{opcode:?} has no instruction")),
        }
        Ok(())
    }

    /// What an operation does to the memory of `alloca`s it has the address of.
    fn touch_memory(&mut self, opcode: Opcode, args: &[Value]) {
        let pointers =
            args.iter().enumerate().filter_map(|(index, arg)| Some((index, self.allocas.points_into(*arg)?)));
        let pointers: Vec<(usize, Inst)> = pointers.collect();
        for (index, alloca) in pointers {
            let Some(object) = self.objects[alloca].expand() else { continue };
            let can_be_lost = match self.allocas.escape(alloca) {
                Escape::Slot => true,
                Escape::Local => self.has_reentrant_call,
                Escape::Escaped => false,
            };
            if opcode == Opcode::ADD || opcode == Opcode::SUB || !can_be_lost {
                continue;
            }
            let overwrites =
                opcode == Opcode::MSTORE && index == 0 && self.allocas.escape(alloca) == Escape::Slot;
            for word in self.frame_words(object) {
                if !overwrites {
                    self.demand_intact(alloca, word);
                }
                self.memory.record(self.at.0, word, Event::Owned(alloca));
            }
            *self.versions.entry(object).or_default() += 1;
        }
    }

    fn demand_intact(&mut self, alloca: Inst, word: FrameWord) {
        let (block, _) = self.at;
        match self.memory.last(block, word) {
            Some(Event::Owned(owner)) if owner == alloca => {}
            Some(event) => {
                self.report(Rule::Intact, format!("the memory of {alloca} was overwritten: {event:?}"))
            }
            None => {
                self.memory.demand(Demand { block, word, content: Content::Owned(alloca), origin: self.at })
            }
        }
    }
}
