//! Facts of the Ethereum Virtual Machine, each in one place.
//!
//! Nothing else in the workspace matches on opcode bytes or names: arity, gas, effects, fork and
//! 256-bit semantics are asked here.

pub mod account;
pub mod code;
pub mod cost;
pub mod effects;
pub mod encoding;
pub mod fork;
pub mod gas;
pub mod memory;
pub mod opcode;
pub mod static_frame;
pub mod word;

pub use alloy_primitives::{U256, hex, keccak256};
pub use code::JumpdestMap;
pub use cost::{Cost, CostModel};
pub use effects::Effects;
pub use encoding::{Encoding, Step, best_encoding, cost_of_encoding, price_of_constants};
pub use fork::Fork;
pub use memory::{MemoryLength, MemoryRegion};
pub use opcode::{GasClass, OpClass, OpInfo, Opcode};

/// A 256-bit EVM word.
pub type Word = U256;

/// Words that the EVM's stack holds (Yellow Paper, 9.1).
pub const STACK_LIMIT: usize = 1024;
