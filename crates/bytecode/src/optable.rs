//! Facts of the opcode table as decoding needs them, one small entry a byte.
//!
//! Contract: derived from `cairn_evm` once for each fork; an opcode that the fork lacks is
//! [`OpKind::Undefined`]. EIP-8024's opcodes with immediates are drafts and undefined here.

use crate::traits::{Traits, traits_of};
use cairn_evm::{Fork, Opcode};
use std::sync::LazyLock;

/// What an instruction does to control and to the stack, as far as decoding cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// Pops operands, pushes results that no analysis here interprets.
    Plain,
    /// `PUSH0` to `PUSH32`.
    Push,
    /// `DUP1` to `DUP16`.
    Dup,
    /// `SWAP1` to `SWAP16`.
    Swap,
    /// `AND`, which masks function pointers.
    And,
    /// Other pure arithmetic on one or two words.
    Arithmetic,
    /// `PC`.
    Pc,
    /// `CODESIZE`.
    CodeSize,
    /// `JUMPDEST`.
    JumpDest,
    /// `JUMP`.
    Jump,
    /// `JUMPI`.
    JumpI,
    /// Ends the frame: `STOP`, `RETURN`, `REVERT`, `INVALID`, `SELFDESTRUCT`.
    Halt,
    /// A byte without an opcode in the fork; ends the frame like `INVALID`.
    Undefined,
}

/// The entry of a byte.
#[derive(Clone, Copy, Debug)]
pub struct OpFacts {
    /// Kind.
    pub kind: OpKind,
    /// Words that must be on the stack; for `DUPn` n, for `SWAPn` n + 1.
    pub inputs: u8,
    /// Words that are there in their stead afterwards.
    pub outputs: u8,
    /// Bytes of immediate data.
    pub immediate: u8,
    /// Constant part of the price in gas.
    pub gas: u16,
    /// What it does beside that.
    pub traits: Traits,
}

/// One entry a byte.
pub type OpTable = [OpFacts; 256];

static OSAKA: LazyLock<OpTable> = LazyLock::new(|| compute_table(Fork::Osaka));

/// The table of a fork.
pub(crate) fn table_of(fork: Fork) -> OpTable {
    if fork == Fork::Osaka { *OSAKA } else { compute_table(fork) }
}

fn compute_table(fork: Fork) -> OpTable {
    std::array::from_fn(|byte| facts_of(Opcode(byte as u8), fork))
}

fn facts_of(op: Opcode, fork: Fork) -> OpFacts {
    let traits = traits_of(op);
    let undefined = OpFacts { kind: OpKind::Undefined, inputs: 0, outputs: 0, immediate: 0, gas: 0, traits };
    let is_draft = op.info().is_some_and(|info| info.immediate > 0 && op.push_width().is_none());
    let Some(info) = op.info().filter(|_| op.exists_in(fork) && !is_draft) else {
        return undefined;
    };
    let kind = if op.push_width().is_some() {
        OpKind::Push
    } else if op.dup_depth().is_some() {
        OpKind::Dup
    } else if op.swap_depth().is_some() {
        OpKind::Swap
    } else {
        kind_of_rest(op, info)
    };
    let gas = cairn_evm::gas::static_gas(op, fork).min(u64::from(u16::MAX)) as u16;
    OpFacts { kind, inputs: info.inputs, outputs: info.outputs, immediate: info.immediate, gas, traits }
}

fn kind_of_rest(op: Opcode, info: &cairn_evm::OpInfo) -> OpKind {
    match op {
        Opcode::AND => OpKind::And,
        Opcode::PC => OpKind::Pc,
        Opcode::CODESIZE => OpKind::CodeSize,
        Opcode::JUMPDEST => OpKind::JumpDest,
        Opcode::JUMP => OpKind::Jump,
        Opcode::JUMPI => OpKind::JumpI,
        _ if op.halts() => OpKind::Halt,
        _ if info.effects.is_empty() && matches!(info.inputs, 1 | 2) && op.is_arithmetic() => {
            OpKind::Arithmetic
        }
        _ => OpKind::Plain,
    }
}
