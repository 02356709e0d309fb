//! Random free-form modules: well-typed, but ugly.
//!
//! Every decision is drawn from a [`Choices`], which a fixed seed or a fuzzer's bytes feed. Values
//! are used in their own block, and those of the entry block everywhere; so any edges between
//! blocks keep definitions before uses. Blocks may lack a terminator, have several, or be
//! unreachable; loops may not end.

mod choices;
mod composites;
mod ops;

pub(crate) use choices::Choices;

use cairn_ir::builder::FuncBuilder;
use cairn_ir::{Block, Func, Function, Module, Op, Payload, Signature, Type, Value};

/// What modules may contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    /// Integers of more than a word.
    pub(crate) wide: bool,
    /// Fixed-point numbers and composites.
    pub(crate) odd: bool,
    /// Most blocks of a function.
    pub(crate) max_blocks: u64,
}

/// Types of values, legal ones first.
const NARROW: [Type; 12] = [
    Type::U256,
    Type::Bool,
    Type::U256,
    Type::Int(8),
    Type::Int(32),
    Type::U160,
    Type::Int(64),
    Type::Int(1),
    Type::Int(40),
    Type::Int(248),
    Type::Int(255),
    Type::Int(13),
];
const WIDE: [Type; 5] = [Type::Int(257), Type::Int(512), Type::Int(300), Type::Int(768), Type::Int(1024)];

/// Memory that programs address; frames lie behind it.
const RESERVED: u64 = 1024;

/// Bytes of the frame that a function addresses freely.
const ARENA: u64 = 256;

/// Makes functions of one module.
struct Generator<'c> {
    choices: &'c mut Choices,
    profile: Profile,
    signatures: Vec<Signature>,
}

/// A random module whose entry function ends by returning words, if it ends.
pub(crate) fn module(choices: &mut Choices, profile: Profile) -> Module {
    let mut generator = Generator { choices, profile, signatures: vec![Signature::default()] };
    for _ in 0..generator.choices.below(3) {
        let params = generator.types(4);
        let results = generator.types(3);
        generator.signatures.push(Signature { params, results });
    }
    let mut module = Module::new("random");
    for index in 0..generator.signatures.len() {
        let func = generator.function(index);
        let id = module.funcs.push(func);
        if index == 0 {
            module.entry = Some(id);
        }
    }
    module
}

/// The values that code in a block can use.
#[derive(Clone)]
struct Scope {
    values: Vec<Value>,
    /// [`ARENA`] bytes of the frame, all of them stored to.
    arena: Value,
}

impl Generator<'_> {
    fn types(&mut self, max: u64) -> Vec<Type> {
        (0..self.choices.below(max)).map(|_| self.ty()).collect()
    }

    /// Any type.
    fn ty(&mut self) -> Type {
        match self.profile.odd && self.choices.below(3) == 0 {
            true => self.odd_ty(),
            false => self.int_ty(),
        }
    }

    fn int_ty(&mut self) -> Type {
        match self.profile.wide && self.choices.below(3) == 0 {
            true => *self.choices.pick(&WIDE),
            false => *self.choices.pick(&NARROW),
        }
    }

    fn function(&mut self, index: usize) -> Function {
        let name = if index == 0 { "__entry".to_owned() } else { format!("f{index}") };
        let signature = self.signatures[index].clone();
        let mut func = Function::new(name, signature.clone());
        let n_blocks = 1 + self.choices.below(self.profile.max_blocks);
        let blocks: Vec<Block> = (0..n_blocks).map(|_| func.make_block()).collect();
        for (number, block) in blocks.iter().enumerate() {
            func.layout.append_block(*block);
            let params = if number == 0 { signature.params.clone() } else { self.types(4) };
            for ty in params {
                func.dfg.append_param(*block, ty);
            }
        }
        let arena = arena(&mut FuncBuilder::at(&mut func, blocks[0]));
        let mut shared = Scope { values: Vec::new(), arena };
        for (number, block) in blocks.iter().enumerate() {
            let mut scope = shared.clone();
            scope.values.extend(func.dfg.params(*block));
            let mut builder = FuncBuilder::at(&mut func, *block);
            if index == 0 && number == 0 {
                builder.heap_base(RESERVED);
            }
            self.body(&mut builder, &mut scope);
            if number == 0 {
                shared = scope.clone();
            }
            self.end(&mut builder, &mut scope, index, &blocks);
        }
        func
    }

    /// Operations of a block.
    fn body(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        for _ in 0..self.choices.below(8) {
            self.operation(builder, scope);
        }
    }

    /// The terminator, sometimes none, sometimes more code behind it.
    fn end(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, index: usize, blocks: &[Block]) {
        if self.choices.below(25) == 0 {
            return;
        }
        self.terminator(builder, scope, index, blocks);
        if self.choices.below(8) == 0 {
            self.body(builder, scope);
            if self.choices.below(2) == 0 {
                self.terminator(builder, scope, index, blocks);
            }
        }
    }

    fn terminator(
        &mut self,
        builder: &mut FuncBuilder<'_>,
        scope: &mut Scope,
        index: usize,
        blocks: &[Block],
    ) {
        match self.choices.below(12) {
            0..=3 => {
                let (block, args) = self.target(builder, scope, index, blocks);
                builder.br(block, &args);
            }
            4..=6 => {
                let condition = self.value(builder, scope, Type::U256);
                let calls = [0, 1].map(|_| {
                    let (block, args) = self.target(builder, scope, index, blocks);
                    builder.func.dfg.block_call(block, &args)
                });
                builder.push(Op::CondBr, &[condition], Payload::Branch(calls), &[]);
            }
            7 | 8 => self.switch(builder, scope, index, blocks),
            _ => self.exit(builder, scope, index),
        }
    }

    fn switch(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, index: usize, blocks: &[Block]) {
        let ty = *self.choices.pick(&[Type::U256, Type::Bool, Type::Int(8), Type::Int(2)]);
        let value = self.value(builder, scope, ty);
        let start = self.choices.below(4);
        let stride = 1 + self.choices.below(3);
        let words: Vec<u64> = (0..self.choices.below(9)).map(|case| start + case * stride).collect();
        let mut calls = Vec::new();
        for _ in 0..=words.len() {
            let (block, args) = self.target(builder, scope, index, blocks);
            calls.push(builder.func.dfg.block_call(block, &args));
        }
        let default = calls.pop().expect("one call more than words");
        let cases = words.into_iter().map(cairn_evm::Word::from).zip(calls).collect();
        let id = builder.func.dfg.make_switch(cairn_ir::SwitchData { default, cases });
        builder.push(Op::Switch, &[value], Payload::Switch(id), &[]);
    }

    /// A block, mostly a later one, and arguments for it. Nothing leads to the entry of the module.
    fn target(
        &mut self,
        builder: &mut FuncBuilder<'_>,
        scope: &mut Scope,
        index: usize,
        blocks: &[Block],
    ) -> (Block, Vec<Value>) {
        let first = u64::from(index == 0 || self.choices.below(20) != 0).min(blocks.len() as u64 - 1);
        let number = first + self.choices.below(blocks.len() as u64 - first);
        let block = blocks[number as usize];
        let types: Vec<Type> =
            builder.func.dfg.params(block).iter().map(|param| builder.func.dfg.ty(*param)).collect();
        let args = types.into_iter().map(|ty| self.value(builder, scope, ty)).collect();
        (block, args)
    }

    /// The end of the function or of the run.
    fn exit(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, index: usize) {
        let choice = self.choices.below(6);
        if index > 0 && choice > 0 {
            let types = self.signatures[index].results.clone();
            let values: Vec<Value> = types.into_iter().map(|ty| self.value(builder, scope, ty)).collect();
            builder.iret(&values);
            return;
        }
        self.halt(builder, scope, choice);
    }

    /// A function that can be called from the function with this index: a later one, so that calls
    /// end.
    fn callee(&mut self, name: &str) -> Option<(Func, Signature)> {
        let caller = name.strip_prefix('f').map_or(0, |number| number.parse().unwrap_or(0));
        let n_callees = self.signatures.len() - 1 - caller;
        if n_callees == 0 {
            return None;
        }
        let callee = caller + 1 + self.choices.below(n_callees as u64) as usize;
        Some((Func::from_u32(callee as u32), self.signatures[callee].clone()))
    }
}

/// Frame memory without undefined contents.
fn arena(builder: &mut FuncBuilder<'_>) -> Value {
    let arena = builder.alloca(ARENA);
    for word in 0..ARENA / 32 {
        let [offset, value] =
            [32 * word, word * 0x0101_0101].map(|number| builder.constant(cairn_evm::Word::from(number)));
        let inst = builder.push(Op::PtrAdd, &[arena, offset], Payload::None, &[Type::MEMORY]);
        let place = builder.func.dfg.result(inst);
        builder.evm(cairn_evm::Opcode::MSTORE, &[place, value]);
    }
    arena
}
