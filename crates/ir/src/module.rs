//! A module: one piece of code with its data, functions and nested modules.

use crate::debug::DebugInfo;
use crate::function::Function;
use crate::ids::Func;
use crate::symbol::SymbolTable;
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
}

/// A piece of code: a Yul object.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Name without `@`.
    pub name: String,
    /// Who owns memory.
    pub memory: MemoryModel,
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
}

/// Name of the entry function.
pub const ENTRY_NAME: &str = "__entry";

impl Module {
    /// An empty module.
    pub fn new(name: impl Into<String>) -> Self {
        Module { name: name.into(), ..Module::default() }
    }
}
