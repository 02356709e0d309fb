//! The contract ABI as EVM-IR: what a language author calls.
//!
//! [`Abi`] adds functions to a module: decoders and encoders of argument lists, returners and
//! reverters, callers of other contracts, and the entry function that dispatches by selector. A
//! [`FuncBuilder`](cairn_ir::FuncBuilder) calls them like any other function; the optimizer inlines
//! them where that pays.
//!
//! Every ABI value is one `u256`:
//!
//! * a value of one word (`uintN`, `intN`, `bool`, `address`, `bytesN`, `function`) is that word,
//!   padded as the ABI pads it: numbers on the left, `intN` with its sign, `bytesN` on the right;
//! * any other value is the address of an object in memory, laid out as Solidity does it: `bytes`
//!   and `string` are a length and the bytes; `T[]` is a length and a word for each element; `T[N]`
//!   and tuples are a word for each element.
//!
//! Decoded words are values of their types; encoders rely on that. Memory is allocated from a free
//! pointer at 0x40 by default, which starts behind all frames. Contracts whose types are static
//! allocate nothing.
//!
//! ```
//! use cairn_abi::{Abi, Contract, Options, Payment};
//! use cairn_evm::Opcode;
//! use cairn_ir::{FuncBuilder, Function, Module, Signature, Type, verify, Form};
//!
//! let mut module = Module::new("Adder");
//! // func @add(u256, u256) -> u256
//! let signature = Signature { params: vec![Type::U256; 2], results: vec![Type::U256] };
//! let mut add = Function::new("add", signature);
//! let entry = add.make_block();
//! add.layout.append_block(entry);
//! let [a, b] = [Type::U256; 2].map(|ty| add.dfg.append_param(entry, ty));
//! let mut builder = FuncBuilder::at(&mut add, entry);
//! let sum = builder.evm_value(Opcode::ADD, &[a, b]);
//! builder.iret(&[sum]);
//! let add = module.funcs.push(add);
//!
//! let contract = Contract::new().method("add(uint256,uint256)(uint256)".parse()?, add, Payment::Refused);
//! Abi::new(&mut module, Options::default()).dispatch(&contract)?;
//! assert!(verify(&module, Form::Free).is_empty());
//! # Ok::<(), cairn_abi::AbiError>(())
//! ```

mod abi;
mod code;
mod decode;
mod dispatch;
mod encode;
mod error;
mod external;
mod func;
mod revert;
mod signature;
mod types;
mod word;

pub use abi::{Abi, Options, Source, Validation};
pub use dispatch::{Contract, Entry, Payment};
pub use error::AbiError;
pub use external::{CallKind, creation, creation_with};
pub use func::AbiFn;
pub use revert::Panic;
pub use signature::{Method, parse_types};
pub use types::{AbiType, MAX_DEPTH, MAX_HEAD_WORDS, head_words};
