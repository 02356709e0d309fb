//! A module: one piece of code with its data, functions and nested modules.

use crate::builder::FuncBuilder;
use crate::debug::DebugInfo;
use crate::dfg::Payload;
use crate::function::{Function, Signature};
use crate::ids::{Func, Value};
use crate::op::Op;
use crate::symbol::SymbolTable;
use cairn_diag::Span;
use cranelift_entity::PrimaryMap;

/// Bytes that lie in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSegment {
    /// Name without `@`.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Who owns memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryModel {
    /// Frames begin at the end of the memory that `heap_base` reserves (0 without one); the
    /// program keeps to the reserved part and to memory from `heap_base` up.
    #[default]
    Frames,
    /// `[noframe]`: all memory is the program's; no value may live there.
    NoFrame,
    /// `[unguarded]`: as [`MemoryModel::NoFrame`], in a program that was written with Solidity's use of
    /// memory in mind, some of it by hand: Yul without `memoryguard`.
    Unguarded,
}

impl MemoryModel {
    /// True if values may live in memory.
    pub fn has_frames(self) -> bool {
        self == MemoryModel::Frames
    }
}

/// A piece of code: a Yul object.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Name without `@`.
    pub name: String,
    /// Who owns memory.
    pub memory: MemoryModel,
    /// At least so many bytes of memory are the program's own, even where no `heap_base` that says
    /// so is left; see [`Module::record_reserved`].
    pub reserved: u64,
    /// Data segments in order.
    pub data: Vec<DataSegment>,
    /// Functions in order.
    pub funcs: PrimaryMap<Func, Function>,
    /// The function that runs first, with an empty stack.
    pub entry: Option<Func>,
    /// Nested modules in order.
    pub modules: Vec<Module>,
    /// Names used by instructions.
    pub symbols: SymbolTable,
    /// Source locations used by instructions.
    pub debug: DebugInfo,
    /// Place of the module's name in the input text, for diagnostics.
    pub span: Option<Span>,
}

/// Name of the entry function.
pub const ENTRY_NAME: &str = "__entry";

impl Module {
    /// Raises `reserved` to what the `heap_base` operations of the module reserve. Called before
    /// anything can remove one of them as unused or unreachable.
    pub fn record_reserved(&mut self) {
        let insts = self.funcs.values().flat_map(|func| {
            let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
            insts.map(|inst| func.dfg.inst(inst))
        });
        let sizes = insts.filter(|data| data.op == Op::HeapBase).map(|data| match data.payload {
            Payload::Number(bytes) => bytes,
            _ => 0,
        });
        self.reserved = self.reserved.max(sizes.max().unwrap_or(0));
    }

    /// An empty module.
    pub fn new(name: impl Into<String>) -> Self {
        Module { name: name.into(), ..Module::default() }
    }

    /// Adds a function without a body, so that others can call it before it is defined.
    pub fn declare(&mut self, name: impl Into<String>, signature: Signature) -> Func {
        self.funcs.push(Function::new(name, signature))
    }

    /// Writes the body of a declared function: `write` gets a builder at the end of the entry block
    /// and the parameters.
    ///
    /// ```
    /// use cairn_evm::{Opcode, Word};
    /// use cairn_ir::{Form, Module, Signature, Type, verify};
    ///
    /// let mut module = Module::new("M");
    /// let signature = Signature { params: vec![Type::U256], results: vec![Type::U256] };
    /// let double = module.declare("double", signature);
    /// module.define(double, |builder, params| {
    ///     let two = builder.constant(Word::from(2));
    ///     let result = builder.evm_value(Opcode::MUL, &[params[0], two]);
    ///     builder.iret(&[result]);
    /// });
    /// assert!(verify(&module, Form::Free).is_empty());
    /// ```
    ///
    /// # Panics
    /// If the function has a body already.
    pub fn define(&mut self, func: Func, write: impl FnOnce(&mut FuncBuilder<'_>, &[Value])) {
        let func = &mut self.funcs[func];
        assert!(func.layout.first_block().is_none(), "function `@{}` has a body", func.name);
        let block = func.make_block();
        func.layout.append_block(block);
        let types = func.signature.params.clone();
        let params: Vec<Value> = types.iter().map(|ty| func.dfg.append_param(block, *ty)).collect();
        write(&mut FuncBuilder::at(func, block), &params);
    }
}
