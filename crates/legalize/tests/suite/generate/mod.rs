//! Random free-form modules: well-typed, but ugly.
//!
//! Every decision is drawn from a [`Choices`], which a fixed seed or a fuzzer's bytes feed. Values
//! are used in their own block, and those of the entry block everywhere; so any edges between
//! blocks keep definitions before uses. Blocks may lack a terminator, have several, or be
//! unreachable; loops may not end.

mod choices;
mod composites;
mod ops;
mod world;

pub(crate) use choices::Choices;
pub(crate) use world::{ECHO, ECHO_CODE};

use cairn_evm::Fork;
use cairn_ir::builder::FuncBuilder;
use cairn_ir::{
    AddressSpace, Block, DataSegment, Func, Function, MemoryModel, Module, Op, Payload, Signature, Symbol,
    Type, Value,
};

/// What modules may contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    /// Integers of more than a word.
    pub(crate) wide: bool,
    /// Fixed-point and floating-point numbers, and composites.
    pub(crate) odd: bool,
    /// Most blocks of a function.
    pub(crate) max_blocks: u64,
    /// Operations of a block are fewer than this.
    pub(crate) max_ops: u64,
    /// Opcodes that nothing can stand in for exist on this fork.
    pub(crate) fork: Fork,
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

/// Bytes that a function addresses freely, in its frame or in the reserved memory.
const ARENA: u64 = 256;
/// Where they begin in the reserved memory.
const SHARED_ARENA: u64 = 512;

/// Makes functions of one module.
struct Generator<'c> {
    choices: &'c mut Choices,
    profile: Profile,
    signatures: Vec<Signature>,
    /// Which functions may call themselves.
    recursive: Vec<bool>,
    /// Who owns memory.
    memory: MemoryModel,
    /// The module's data and its size.
    data: Symbol,
    data_size: u64,
}

/// A random module whose entry function ends by returning words, if it ends.
pub(crate) fn module(choices: &mut Choices, profile: Profile) -> Module {
    let mut module = Module::new("random");
    // Arrays of wide arithmetic lie in frames.
    let may_lack_frames = !profile.wide && !profile.odd;
    if may_lack_frames && choices.below(4) == 0 {
        module.memory = MemoryModel::NoFrame;
    }
    let bytes: Vec<u8> = (0..1 + choices.below(90)).map(|_| choices.below(256) as u8).collect();
    let mut generator = Generator {
        choices,
        profile,
        signatures: vec![Signature::default()],
        recursive: vec![false],
        memory: module.memory,
        data: module.symbols.intern("data"),
        data_size: bytes.len() as u64,
    };
    module.data.push(DataSegment { name: "data".to_owned(), bytes });
    for _ in 0..generator.choices.below(3) {
        let mut params = generator.types(4);
        let results = generator.types(3);
        let is_recursive = generator.choices.below(3) == 0;
        if is_recursive {
            params.insert(0, Type::Int(8));
        }
        generator.recursive.push(is_recursive);
        generator.signatures.push(Signature { params, results });
    }
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
    /// [`ARENA`] bytes whose contents are known.
    arena: Value,
    /// The function and the number of the block.
    func: usize,
    block: usize,
    /// Behind a terminator, where what is defined may be used in its own block only.
    is_behind_end: bool,
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
        match self.choices.below(8) {
            0 => func.attrs.noinline = true,
            1 => func.attrs.inline = true,
            2 => func.attrs.cold = true,
            _ => {}
        }
        let n_blocks = 1 + self.choices.below(self.profile.max_blocks);
        let blocks: Vec<Block> = (0..n_blocks).map(|_| func.make_block()).collect();
        for (number, block) in blocks.iter().enumerate() {
            func.layout.append_block(*block);
            let params = if number == 0 { signature.params.clone() } else { self.types(4) };
            for ty in params {
                func.dfg.append_param(*block, ty);
            }
        }
        let arena = self.arena(&mut FuncBuilder::at(&mut func, blocks[0]));
        let mut shared = Scope { values: Vec::new(), arena, func: index, block: 0, is_behind_end: false };
        for (number, block) in blocks.iter().enumerate() {
            let mut scope = shared.clone();
            scope.block = number;
            scope.values.extend(func.dfg.params(*block));
            let mut builder = FuncBuilder::at(&mut func, *block);
            if index == 0 && number == 0 && self.memory == MemoryModel::Frames {
                builder.heap_base(RESERVED);
            }
            self.body(&mut builder, &mut scope);
            if number == 0 {
                shared = scope.clone();
            }
            self.end(&mut builder, &mut scope, &blocks);
        }
        func
    }

    /// The function's own memory, or some that all functions share: without an `alloca` a function that
    /// calls itself is scheduled like others.
    fn arena(&mut self, builder: &mut FuncBuilder<'_>) -> Value {
        if self.memory == MemoryModel::Frames && self.choices.below(4) != 0 {
            return frame_arena(builder);
        }
        let address = builder.constant(cairn_evm::Word::from(SHARED_ARENA));
        builder.int_to_ptr(address, AddressSpace::Memory)
    }

    /// Operations of a block.
    fn body(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        for _ in 0..self.choices.below(self.profile.max_ops) {
            self.operation(builder, scope);
        }
    }

    /// The terminator, sometimes none, sometimes more code behind it.
    fn end(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, blocks: &[Block]) {
        if self.choices.below(25) == 0 {
            return;
        }
        self.terminator(builder, scope, blocks);
        if self.choices.below(8) == 0 {
            scope.is_behind_end = true;
            self.body(builder, scope);
            if self.choices.below(2) == 0 {
                self.terminator(builder, scope, blocks);
            }
        }
    }

    fn terminator(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, blocks: &[Block]) {
        let is_last = scope.block + 1 == blocks.len();
        match self.choices.below(12) {
            0..=8 if is_last && self.choices.below(4) != 0 => self.exit(builder, scope),
            0..=3 => {
                let (block, args) = self.target(builder, scope, blocks);
                builder.br(block, &args);
            }
            4..=6 => {
                let ty = self.int_ty();
                let condition = self.value(builder, scope, ty);
                let calls = [0, 1].map(|_| {
                    let (block, args) = self.target(builder, scope, blocks);
                    builder.func.dfg.block_call(block, &args)
                });
                builder.push(Op::CondBr, &[condition], Payload::Branch(calls), &[]);
            }
            7 | 8 => self.switch(builder, scope, blocks),
            _ => self.exit(builder, scope),
        }
    }

    fn switch(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, blocks: &[Block]) {
        let ty = match self.profile.wide && self.choices.below(3) == 0 {
            true => *self.choices.pick(&WIDE),
            false => *self.choices.pick(&[Type::U256, Type::Bool, Type::Int(8), Type::Int(2)]),
        };
        let value = self.value(builder, scope, ty);
        let start = self.choices.below(4);
        let stride = 1 + self.choices.below(3);
        let fits = |word: &u64| *word < 1 << builder.func.dfg.ty(value).bits().unwrap_or(8).min(8);
        let words: Vec<u64> =
            (0..self.choices.below(9)).map(|case| start + case * stride).filter(fits).collect();
        let mut calls = Vec::new();
        for _ in 0..=words.len() {
            let (block, args) = self.target(builder, scope, blocks);
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
        blocks: &[Block],
    ) -> (Block, Vec<Value>) {
        let n_blocks = blocks.len() as u64;
        let first = match self.choices.below(8) {
            1.. if scope.block + 1 < blocks.len() => scope.block as u64 + 1,
            _ => u64::from(scope.func == 0 || self.choices.below(20) != 0).min(n_blocks - 1),
        };
        let block = blocks[(first + self.choices.below(n_blocks - first)) as usize];
        let types: Vec<Type> =
            builder.func.dfg.params(block).iter().map(|param| builder.func.dfg.ty(*param)).collect();
        let args = types.into_iter().map(|ty| self.value(builder, scope, ty)).collect();
        (block, args)
    }

    /// The end of the function or of the run.
    fn exit(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let choice = self.choices.below(6);
        if scope.func > 0 && choice > 0 {
            let types = self.signatures[scope.func].results.clone();
            let values: Vec<Value> = types.into_iter().map(|ty| self.value(builder, scope, ty)).collect();
            builder.iret(&values);
            return;
        }
        self.halt(builder, scope, choice);
    }

    /// A function that can be called from the function with this index: a later one, so that calls
    /// end.
    fn callee(&mut self, caller: usize) -> Option<(Func, Signature)> {
        let n_callees = self.signatures.len() - 1 - caller;
        if n_callees == 0 {
            return None;
        }
        let callee = caller + 1 + self.choices.below(n_callees as u64) as usize;
        Some((Func::from_u32(callee as u32), self.signatures[callee].clone()))
    }
}

/// Frame memory without undefined contents.
fn frame_arena(builder: &mut FuncBuilder<'_>) -> Value {
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
