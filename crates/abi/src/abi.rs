//! The context of the builders: a module, options, and the functions made so far.
//!
//! Each type is coded by one function, made when it is first needed and found by its name
//! afterwards. Names begin with `abi.`.

use crate::code::Code;
use crate::error::AbiError;
use crate::func::AbiFn;
use crate::types::{AbiType, check_all, list};
use cairn_evm::Opcode;
use cairn_ir::{Func, FuncAttrs, Function, Module, Value};
use rustc_hash::FxHashMap;

/// What decoders do with words that are no values of their type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// Revert without data unless every word is a value of its type and everything that an offset
    /// or a length speaks of lies inside the data.
    #[default]
    Strict,
    /// Cut words to their type and trust offsets and lengths. What lies outside of calldata reads
    /// as zero. A length that is too large runs out of gas.
    Trusting,
}

/// Options of the builders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What decoders check.
    pub validation: Validation,
    /// Where the free pointer lies: the address of the first byte of memory that is not allocated.
    pub free_pointer: u64,
    /// The memory below this address is the program's own; the free pointer lies in it.
    pub reserved: u64,
}

/// Strict; memory as Solidity lays it out: free pointer at 0x40, reserved up to 0x80.
impl Default for Options {
    fn default() -> Self {
        Options { validation: Validation::Strict, free_pointer: 0x40, reserved: 0x80 }
    }
}

/// Where decoders read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Calldata.
    Calldata,
    /// Memory: returned data, arguments of a constructor.
    Memory,
}

impl Source {
    pub(crate) fn load(self) -> Opcode {
        match self {
            Source::Calldata => Opcode::CALLDATALOAD,
            Source::Memory => Opcode::MLOAD,
        }
    }

    /// Copies to memory: destination, start, size.
    pub(crate) fn copy(self) -> Opcode {
        match self {
            Source::Calldata => Opcode::CALLDATACOPY,
            Source::Memory => Opcode::MCOPY,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Source::Calldata => "calldata",
            Source::Memory => "memory",
        }
    }
}

/// Makes functions that decode, encode, dispatch and revert. See the [crate's head](crate).
#[derive(Debug)]
pub struct Abi<'m> {
    /// The module that the functions are added to.
    pub module: &'m mut Module,
    pub(crate) options: Options,
    made: FxHashMap<String, Func>,
}

impl<'m> Abi<'m> {
    /// Builders for a module. Several may be used one after the other, with the same options: names
    /// that begin with `abi.` are theirs, and a function of such a name is taken for one that a builder
    /// made.
    pub fn new(module: &'m mut Module, options: Options) -> Self {
        let ours = module.funcs.iter().filter(|(_, func)| func.name.starts_with("abi."));
        let made = ours.map(|(id, func)| (func.name.clone(), id)).collect();
        Abi { module, options, made }
    }

    /// Allocates memory: `(size) -> address`. The size is rounded up to words; it must be below
    /// 2^64. The memory is not cleared.
    pub fn allocator(&mut self) -> AbiFn {
        let (free_pointer, free) = (self.options.free_pointer, self.free());
        self.function("abi.allocate", 1, 1, |_, mut code, params| {
            let address = code.call_word(&free, &[]);
            let size = code.ceil32(params[0]);
            let end = code.add(address, size);
            let place = code.word(free_pointer);
            code.effect(Opcode::MSTORE, &[place, end]);
            code.iret(&[address])
        })
    }

    /// The first byte that is not allocated: `() -> address`.
    pub fn free(&mut self) -> AbiFn {
        let free_pointer = self.options.free_pointer;
        self.function(FREE, 0, 1, |_, mut code, _| {
            let place = code.word(free_pointer);
            let address = code.op(Opcode::MLOAD, &[place]);
            code.iret(&[address])
        })
    }

    /// Makes allocation possible: `()`. An entry function that [`Abi::dispatch`] makes calls it
    /// where needed; a hand-written one has to, before anything else.
    pub fn initializer(&mut self) -> AbiFn {
        let Options { free_pointer, reserved, .. } = self.options;
        self.function("abi.initialize", 0, 0, |_, mut code, _| {
            let start = code.scratch(reserved);
            let place = code.word(free_pointer);
            code.effect(Opcode::MSTORE, &[place, start]);
            code.iret(&[])
        })
    }

    /// Whether any function made so far allocates memory or asks where free memory begins.
    pub(crate) fn uses_heap(&self) -> bool {
        self.made.contains_key(FREE)
    }

    /// Ends the call successfully with encoded values: `(words…)`, does not come back.
    ///
    /// # Errors
    /// If a type goes beyond a limit.
    pub fn returner(&mut self, types: &[AbiType]) -> Result<AbiFn, AbiError> {
        check_all(types)?;
        let name = format!("abi.return.{}", list(types));
        let types = types.to_vec();
        Ok(self.function(&name, types.len(), 0, |abi, mut code, params| {
            if types.is_empty() {
                code.effect(Opcode::STOP, &[]);
                return code.finish();
            }
            let (start, size) = abi.encode_anywhere(&mut code, None, &types, &params);
            code.effect(Opcode::RETURN, &[start, size]);
            code.finish()
        }))
    }

    /// The function with this name, made by `body` if there is none.
    pub(crate) fn function(
        &mut self,
        name: &str,
        params: usize,
        results: usize,
        body: impl FnOnce(&mut Self, Code, Vec<Value>) -> Function,
    ) -> AbiFn {
        let (code, values) = Code::new(name, params, results);
        let func = match self.made.get(name) {
            Some(func) => *func,
            None => {
                let function = body(self, code, values);
                let func = self.module.funcs.push(function);
                self.made.insert(name.to_owned(), func);
                func
            }
        };
        AbiFn { func, signature: self.module.funcs[func].signature.clone() }
    }

    /// Marks a function as rarely executed.
    pub(crate) fn mark_cold(&mut self, made: AbiFn) -> AbiFn {
        self.module.funcs[made.func].attrs = FuncAttrs { cold: true, ..FuncAttrs::default() };
        made
    }
}

const FREE: &str = "abi.free";
