//! One procedure: contexts become blocks, stack slots become variables.
//!
//! Definitions. The *place* of a word counts from the top of the stack at the procedure's entry:
//! -1 is the topmost word then, 0 the first word pushed on it. There is one variable a place.

use crate::immutables::{immutable_name, immutable_type};
use crate::own_code::OwnCode;
use cairn_bytecode::{
    Analysis, Block, BlockEnd, Context, ContextId, ContextProcedure, Contexts, Step, Target, Unresolved,
};
use cairn_bytecode::{Instruction, optable::OpKind};
use cairn_evm::memory::{MemoryLength, memory_read, memory_write};
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{
    Block as IrBlock, Func, FuncBuilder, Function, Inst, Op, Signature, SsaBuilder, SymbolTable, Type,
};
use cairn_ir::{DebugInfo, Loc, LocData, Value, Variable};

/// Memory beyond this costs more than 2^35 gas: 1000 times the limit of a block.
const MEMORY_IN_REACH: Word = Word::from_limbs([1 << 27, 0, 0, 0]);

/// What the functions of a module share.
pub(crate) struct Shared<'a, 'c> {
    pub(crate) own_code: &'a mut OwnCode<'c>,
    pub(crate) symbols: &'a mut SymbolTable,
    /// Where each instruction says which bytes of the code it is, if it is to say so.
    pub(crate) places: Option<&'a mut DebugInfo>,
}

/// How far control gets in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// To its end.
    End,
    /// To an instruction that always fails.
    Failure,
}

pub(crate) struct FunctionLift<'a, 'c> {
    analysis: &'a Analysis<'c>,
    contexts: &'a Contexts,
    procedure: &'a ContextProcedure,
    func: Function,
    funcs: &'a [Func],
    shared: Shared<'a, 'c>,
    /// The bytes that are being lifted.
    loc: Option<Loc>,
    ssa: SsaBuilder,
    variables: Vec<Variable>,
    /// Block of each context, by its rank in the procedure.
    blocks: Vec<IrBlock>,
    /// Every block to be sealed at the end.
    all_blocks: Vec<IrBlock>,
    /// Words of the current block that are known, by place; the rest are variables.
    words: Vec<Option<Value>>,
    changed: Vec<usize>,
    height: i32,
    block: IrBlock,
    /// The block of the code that is being lifted.
    source: Option<Block>,
    /// A word below those that the procedure is known to look at was asked for, as when a callee
    /// takes more than its caller has.
    is_irregular: bool,
}

impl<'a, 'c> FunctionLift<'a, 'c> {
    pub(crate) fn new(
        analysis: &'a Analysis<'c>,
        contexts: &'a Contexts,
        procedure: u32,
        mut func: Function,
        funcs: &'a [Func],
        shared: Shared<'a, 'c>,
    ) -> Self {
        let block = func.make_block();
        func.layout.append_block(block);
        FunctionLift {
            analysis,
            contexts,
            procedure: &contexts.procedures[procedure as usize],
            func,
            funcs,
            shared,
            loc: None,
            ssa: SsaBuilder::new(),
            variables: Vec::new(),
            blocks: Vec::new(),
            all_blocks: Vec::new(),
            words: Vec::new(),
            changed: Vec::new(),
            height: 0,
            block,
            source: None,
            is_irregular: false,
        }
    }

    /// Gives the entry block the parameters, which are the words below the stack of the function.
    fn enter(&mut self) -> IrBlock {
        let entry = self.block;
        self.ssa.seal_block(&mut self.func, entry);
        for index in 0..self.procedure.params {
            let value = self.func.dfg.append_param(entry, Type::U256);
            let variable = self.variable(-1 - index as i32);
            self.ssa.def(variable, entry, value);
        }
        entry
    }

    pub(crate) fn lift(&mut self) -> Result<(), Unresolved> {
        let entry = self.enter();
        for _ in &self.procedure.contexts {
            let block = self.new_block();
            self.blocks.push(block);
        }
        match self.blocks.first() {
            Some(first) => self.branch_from(entry, *first),
            None => self.end(entry, Opcode::STOP),
        }
        for (rank, id) in self.procedure.contexts.iter().enumerate() {
            let context = &self.contexts.list[*id as usize];
            self.start_block(self.blocks[rank], context.height);
            self.lift_context(context)?;
            if self.is_irregular {
                return Err(Unresolved::Irregular);
            }
        }
        for block in std::mem::take(&mut self.all_blocks) {
            self.ssa.seal_block(&mut self.func, block);
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Function {
        let mut func = self.func;
        self.ssa.finish(&mut func);
        self.shared.own_code.rewrite_copies(&mut func, self.shared.symbols);
        func
    }

    fn new_block(&mut self) -> IrBlock {
        let block = self.func.make_block();
        self.func.layout.append_block(block);
        self.all_blocks.push(block);
        block
    }

    fn start_block(&mut self, block: IrBlock, height: i32) {
        self.words.clear();
        self.changed.clear();
        self.block = block;
        self.height = height;
    }

    fn index(&mut self, place: i32) -> usize {
        let index = usize::try_from(place + self.procedure.params as i32);
        self.is_irregular |= index.is_err();
        index.unwrap_or(0)
    }

    fn variable(&mut self, place: i32) -> Variable {
        let index = self.index(place);
        while self.variables.len() <= index {
            self.variables.push(self.ssa.declare(Type::U256));
        }
        self.variables[index]
    }

    fn read(&mut self, place: i32) -> Value {
        let index = self.index(place);
        if let Some(value) = self.words.get(index).copied().flatten() {
            return value;
        }
        let variable = self.variable(place);
        let value = self.ssa.use_var(&mut self.func, variable, self.block);
        self.remember(index, value);
        value
    }

    fn remember(&mut self, index: usize, value: Value) {
        if self.words.len() <= index {
            self.words.resize(index + 1, None);
        }
        self.words[index] = Some(value);
    }

    fn write(&mut self, place: i32, value: Value) {
        let index = self.index(place);
        self.remember(index, value);
        self.changed.push(index);
    }

    fn pop(&mut self) -> Value {
        self.height -= 1;
        self.read(self.height)
    }

    fn push(&mut self, value: Value) {
        self.write(self.height, value);
        self.height += 1;
    }

    fn builder(&mut self) -> FuncBuilder<'_> {
        let mut builder = FuncBuilder::at(&mut self.func, self.block);
        builder.set_loc(self.loc);
        builder
    }

    fn lift_context(&mut self, context: &Context) -> Result<(), Unresolved> {
        if context.step == Step::Fail {
            self.end(self.block, Opcode::INVALID);
            return Ok(());
        }
        let block: Block = *self.analysis.blocks.get(context.block);
        match self.lift_block(block) {
            Reached::End => self.lift_step(&context.step),
            Reached::Failure => Ok(()),
        }
    }

    /// Lifts the instructions of a block but for a jump at its end.
    fn lift_block(&mut self, block: Block) -> Reached {
        self.source = Some(block);
        for inst in self.analysis.instructions(&block) {
            let (start, end) = (inst.pc as i32, inst.pc as i32 + 1 + inst.data.len() as i32);
            let data = LocData { source: 0, start, end, scope: None };
            self.loc = self.shared.places.as_mut().map(|places| places.intern(data));
            if self.needs_endless_memory(&inst) {
                self.end(self.block, Opcode::INVALID);
                return Reached::Failure;
            }
            self.lift_instruction(&inst);
            if let Some(table) = self.analysis.table_of_copy(inst.pc)
                && let Some(last) = self.func.layout.last_inst(self.block)
            {
                self.shared.own_code.add_table(last, table);
            }
        }
        Reached::End
    }

    /// Lifts a block alone: a function that takes the words that it looks at, and gives all words above
    /// the rest of the stack, from the lowest up. A jump at its end is left out: its operands are the topmost words.
    pub(crate) fn lift_alone(&mut self, block: Block) {
        let entry = self.enter();
        self.start_block(entry, 0);
        let is_open = self.lift_block(block) == Reached::End && self.func.terminator(entry).is_none();
        if is_open {
            let lowest = -(self.procedure.params as i32);
            let words: Vec<Value> = (lowest..self.height).map(|place| self.read(place)).collect();
            self.builder().iret(&words);
        }
        for block in std::mem::take(&mut self.all_blocks) {
            self.ssa.seal_block(&mut self.func, block);
        }
    }

    /// True when memory is touched where no gas limit reaches. The gas that this takes is what the
    /// program does, so it must not be lost with an operation that nobody needs the result of.
    fn needs_endless_memory(&self, inst: &Instruction<'_>) -> bool {
        let regions = [memory_read(inst.opcode), memory_write(inst.opcode)];
        regions.into_iter().flatten().any(|region| {
            let length = match region.length {
                MemoryLength::Fixed(length) => Some(Word::from(length)),
                MemoryLength::Operand(index) => self.known_operand(index),
            };
            let start = self.known_operand(region.start);
            match (start, length) {
                (_, Some(length)) if length > MEMORY_IN_REACH => true,
                (Some(start), Some(length)) => !length.is_zero() && start > MEMORY_IN_REACH,
                _ => false,
            }
        })
    }

    /// The operand with this index of the next instruction, if it is a constant.
    fn known_operand(&self, index: u8) -> Option<Word> {
        let place = self.height - 1 - i32::from(index);
        let index = usize::try_from(place + self.procedure.params as i32).ok()?;
        let value = self.words.get(index).copied().flatten()?;
        self.func.dfg.as_const(value)
    }

    fn lift_instruction(&mut self, inst: &Instruction<'_>) {
        let facts = self.analysis.facts(inst.opcode);
        match facts.kind {
            OpKind::Push if self.analysis.is_placeholder(inst.pc) => {
                let value = self.immutable(inst);
                self.push(value);
            }
            OpKind::Push => {
                let word = inst.pushed_word().unwrap_or_default();
                let value = self.builder().constant(word);
                self.push(value);
            }
            OpKind::Dup => {
                let value = self.read(self.height - i32::from(facts.inputs));
                self.push(value);
            }
            OpKind::Swap => {
                let (top, other) = (self.height - 1, self.height - i32::from(facts.inputs));
                let (a, b) = (self.read(top), self.read(other));
                self.write(top, b);
                self.write(other, a);
            }
            OpKind::Pc => {
                let mut b = FuncBuilder::at(&mut self.func, self.block);
                b.set_loc(self.loc);
                let value = self.shared.own_code.place(&mut b, inst.pc);
                self.push(value);
            }
            OpKind::CodeSize => {
                let mut b = FuncBuilder::at(&mut self.func, self.block);
                b.set_loc(self.loc);
                let value = self.shared.own_code.size(&mut b, self.shared.symbols);
                self.push(value);
            }
            OpKind::Undefined => self.end(self.block, Opcode::INVALID),
            OpKind::JumpDest | OpKind::Jump | OpKind::JumpI => {}
            OpKind::Plain | OpKind::And | OpKind::Arithmetic | OpKind::Halt => {
                self.lift_operation(inst.opcode, facts.inputs);
            }
        }
    }

    /// What a push pushes whose bytes are filled in when the code is deployed.
    fn immutable(&mut self, push: &Instruction<'_>) -> Value {
        let name = self.shared.symbols.intern(&immutable_name(push.pc + 1));
        let value = self.builder().named(Op::LoadImmutable, &[], name);
        let value = value.expect("invariant: an immutable is a value");
        let Some(ty) = immutable_type(push.data.len()) else {
            let mask = self.builder().constant(word::low_mask(8 * push.data.len()));
            return self.builder().evm_value(Opcode::AND, &[value, mask]);
        };
        self.func.dfg.set_ty(value, ty);
        value
    }

    fn lift_operation(&mut self, opcode: Opcode, inputs: u8) {
        let args: Vec<Value> = (0..inputs).map(|_| self.pop()).collect();
        match opcode {
            Opcode::POP => {}
            _ => {
                if let Some(value) = self.builder().evm(opcode, &args) {
                    self.push(value);
                }
            }
        }
    }

    /// Hands the words of the current block over to the variables.
    fn flush(&mut self) {
        let end = self.index(self.height);
        for index in std::mem::take(&mut self.changed) {
            if let Some(value) = self.words[index].filter(|_| index < end) {
                let variable = self.variable(index as i32 - self.procedure.params as i32);
                self.ssa.def(variable, self.block, value);
            }
        }
    }

    fn lift_step(&mut self, step: &Step) -> Result<(), Unresolved> {
        match step {
            Step::Fail | Step::Halt => Ok(()),
            Step::CodeEnd => self.run_off(self.block),
            Step::Go(target) => {
                let word = if self.ends_in_jump() { Some(self.pop()) } else { None };
                self.lift_target(target, word)
            }
            Step::Branch(jump, fall) => self.lift_branch(jump.as_ref(), *fall),
        }
    }

    /// True when the block that is being lifted ends in `JUMP`.
    fn ends_in_jump(&self) -> bool {
        self.source.is_some_and(|block| block.ends == BlockEnd::Jump)
    }

    fn lift_branch(&mut self, jump: Option<&Target>, fall: Option<ContextId>) -> Result<(), Unresolved> {
        let word = self.pop();
        let condition = self.pop();
        match (jump, fall) {
            (Some(target), None) if self.falls_off() => {
                let stop = self.new_block();
                self.run_off(stop)?;
                self.lift_two_ways(condition, target, word, stop)
            }
            (Some(target), Some(next)) => {
                let next = self.block_of(next);
                self.lift_two_ways(condition, target, word, next)
            }
            (Some(target), None) => self.lift_target(target, Some(word)),
            (None, Some(next)) => self.lift_target(&Target::Context(next), None),
            (None, None) => self.run_off(self.block),
        }
    }

    /// Ends a block where the code ends: past the end there is a `STOP`, or nobody knows what.
    fn run_off(&mut self, block: IrBlock) -> Result<(), Unresolved> {
        if self.analysis.role.is_open() {
            return Err(Unresolved::RunsOff(self.source.map_or(0, |block| block.last_pc)));
        }
        self.end(block, Opcode::STOP);
        Ok(())
    }

    /// True when the current block is the last of the code.
    fn falls_off(&self) -> bool {
        self.source.is_some_and(|block| block.end as usize >= self.analysis.code.len())
    }

    fn lift_two_ways(
        &mut self,
        condition: Value,
        target: &Target,
        word: Value,
        next: IrBlock,
    ) -> Result<(), Unresolved> {
        self.flush();
        let from = self.block;
        if let Target::Context(id) = target {
            let to = self.block_of(*id);
            let inst = self.builder().cond_br(condition, to, next);
            self.ssa.add_edges(&self.func, inst);
            return Ok(());
        }
        let helper = self.new_block();
        let inst = self.builder().cond_br(condition, helper, next);
        self.ssa.add_edges(&self.func, inst);
        let height = self.height;
        self.start_block(helper, height);
        let result = self.lift_target(target, Some(word));
        self.block = from;
        result
    }

    fn lift_target(&mut self, target: &Target, word: Option<Value>) -> Result<(), Unresolved> {
        match target {
            Target::Context(id) => {
                self.flush();
                let to = self.block_of(*id);
                self.branch_from(self.block, to);
            }
            Target::Fail => self.end(self.block, Opcode::INVALID),
            Target::Switch(cases) => self.lift_switch(cases, word.ok_or(Unresolved::Irregular)?),
            Target::Return => return self.lift_return(),
            Target::Call(callee, next) => self.lift_call(*callee, *next),
        }
        Ok(())
    }

    fn lift_switch(&mut self, cases: &[(u32, Option<ContextId>)], word: Value) {
        self.flush();
        let fail = self.new_block();
        self.end(fail, Opcode::INVALID);
        let cases: Vec<(Word, IrBlock)> =
            cases.iter().map(|(pc, to)| (Word::from(*pc), to.map_or(fail, |to| self.block_of(to)))).collect();
        let inst = self.builder().switch(word, &cases, fail);
        self.ssa.add_edges(&self.func, inst);
    }

    fn lift_return(&mut self) -> Result<(), Unresolved> {
        let exit = self.procedure.exit.ok_or(Unresolved::Irregular)?;
        if self.height != exit.gives as i32 - exit.takes as i32 {
            return Err(Unresolved::Irregular);
        }
        let first = -(exit.takes as i32);
        let results: Vec<Value> = (0..exit.gives as i32).map(|offset| self.read(first + offset)).collect();
        self.builder().iret(&results);
        Ok(())
    }

    fn lift_call(&mut self, callee: u32, next: Option<ContextId>) {
        let shape = &self.contexts.procedures[callee as usize];
        let args: Vec<Value> =
            (0..shape.params as i32).map(|index| self.read(self.height - 1 - index)).collect();
        let signature = Signature {
            params: vec![Type::U256; shape.params as usize],
            results: vec![Type::U256; shape.exit.map_or(0, |exit| exit.gives as usize)],
        };
        let func = self.funcs[callee as usize];
        let results = self.builder().icall(func, &signature, &args);
        let (Some(exit), Some(next)) = (shape.exit, next) else {
            self.builder().unreachable();
            return;
        };
        self.height -= exit.takes as i32;
        for value in results {
            self.push(value);
        }
        self.flush();
        let to = self.block_of(next);
        self.branch_from(self.block, to);
    }

    fn block_of(&self, context: ContextId) -> IrBlock {
        let rank = self.procedure.contexts.binary_search(&context);
        self.blocks[rank.expect("invariant: branches stay in the procedure")]
    }

    fn branch_from(&mut self, from: IrBlock, to: IrBlock) {
        let inst: Inst = FuncBuilder::at(&mut self.func, from).br(to, &[]);
        self.ssa.add_edges(&self.func, inst);
    }

    /// Ends a block with an opcode without operands.
    fn end(&mut self, block: IrBlock, opcode: Opcode) {
        let mut builder = FuncBuilder::at(&mut self.func, block);
        builder.set_loc(self.loc);
        builder.evm(opcode, &[]);
    }
}
