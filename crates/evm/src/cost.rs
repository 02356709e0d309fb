//! The price list: gas and bytes of instructions, and what the two weigh against each other.
//!
//! Prices of opcodes alone are in [`crate::gas`]; here are those of what compilers make of them:
//! pushes, moves of stack words, jumps with their labels, accesses to frames. Places in code and in
//! frames are taken to need two bytes, as they do in contracts of common size.

use crate::Word;
use crate::fork::Fork;
use crate::gas::{self, static_gas};
use crate::opcode::Opcode;

/// Gas of one execution and bytes of some code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cost {
    /// Gas each time it is executed.
    pub gas: u64,
    /// Bytes of code.
    pub bytes: u64,
}

impl Cost {
    /// Nothing.
    pub const ZERO: Cost = Cost::new(0, 0);
    /// `DUP`.
    pub const DUP: Cost = Cost::new(3, 1);
    /// `SWAP`.
    pub const SWAP: Cost = Cost::new(3, 1);
    /// `POP`.
    pub const POP: Cost = Cost::new(2, 1);
    /// A push of a place in the code, of a size or offset of data, or of an address in a frame.
    pub const PUSH_PLACE: Cost = Cost::new(3, 3);
    /// `PUSH1 address MLOAD`: most frames lie within the first 256 bytes.
    pub const RELOAD: Cost = Cost::new(6, 3);
    /// `PUSH2 address MSTORE`: the first store of a frame that lies higher.
    pub const STORE: Cost = Cost::new(6, 4);
    /// `PUSH32`, for a word that is filled in later.
    pub const PUSH_WORD: Cost = Cost::new(3, 33);
    /// `PUSH20`, for an address that is filled in later.
    pub const PUSH_ADDRESS: Cost = Cost::new(3, 21);
    /// `PUSH label JUMP`.
    pub const JUMP: Cost = Cost::new(11, 4);
    /// `JUMPDEST`.
    pub const JUMPDEST: Cost = Cost::new(1, 1);
    /// `ISZERO`.
    pub const ISZERO: Cost = Cost::new(3, 1);
    /// `EQ`, `LT`, `AND`, `OR` and their like.
    pub const COMPARE: Cost = Cost::new(3, 1);
    /// `JUMPI` without the push of the label.
    pub const JUMPI: Cost = Cost::new(10, 1);
    /// A push without the bytes of its word.
    pub const PUSH_OPCODE: Cost = Cost::new(3, 1);

    /// A cost.
    pub const fn new(gas: u64, bytes: u64) -> Cost {
        Cost { gas, bytes }
    }

    /// What they cost together.
    pub const fn sum(parts: &[Cost]) -> Cost {
        let mut sum = Cost::ZERO;
        let mut at = 0;
        while at < parts.len() {
            sum = Cost::new(sum.gas + parts[at].gas, sum.bytes + parts[at].bytes);
            at += 1;
        }
        sum
    }

    /// The shortest plain push of a word.
    #[inline]
    pub fn of_push(word: Word, fork: Fork) -> Cost {
        match word.byte_len() {
            0 if Opcode::PUSH0.exists_in(fork) => Cost::new(2, 1),
            length => Cost::new(3, 1 + length.max(1) as u64),
        }
    }

    /// An opcode without the dynamic part of its gas.
    pub fn of_op(opcode: Opcode, fork: Fork) -> Cost {
        Cost::new(static_gas(opcode, fork), 1)
    }

    /// What is left when a part goes.
    pub fn without(self, part: Cost) -> Cost {
        Cost::new(self.gas.saturating_sub(part.gas), self.bytes.saturating_sub(part.bytes))
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    #[inline]
    fn add(self, other: Cost) -> Cost {
        Cost::new(self.gas + other.gas, self.bytes + other.bytes)
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::ZERO, |total, cost| total + cost)
    }
}

/// What an executed gas and a byte of code weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostModel {
    /// Expected executions of each instruction.
    pub executions: u64,
    /// Gas paid once for a byte of code.
    pub byte_gas: u64,
}

impl CostModel {
    /// Deployed code that is expected to run `runs` times.
    pub fn deployed(runs: u64) -> Self {
        CostModel { executions: runs, byte_gas: gas::DEPOSIT_PER_BYTE }
    }

    /// Creation code: runs once, paid as transaction data.
    pub fn creation(fork: Fork) -> Self {
        CostModel { executions: 1, byte_gas: gas::calldata_byte_gas(fork) }
    }

    /// Gas over the code's life. Saturates.
    pub fn weigh(self, cost: Cost) -> u64 {
        let execution = cost.gas.saturating_mul(self.executions);
        execution.saturating_add(cost.bytes.saturating_mul(self.byte_gas))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_weighs_as_much_as_one_gas_at_200_runs() {
        let model = CostModel::deployed(200);
        assert_eq!(model.weigh(Cost::new(1, 0)), model.weigh(Cost::new(0, 1)));
    }

    #[test]
    fn push_costs() {
        assert_eq!(Cost::of_push(Word::ZERO, Fork::Osaka), Cost::new(2, 1));
        assert_eq!(Cost::of_push(Word::ZERO, Fork::Paris), Cost::new(3, 2));
        assert_eq!(Cost::of_push(Word::MAX, Fork::Osaka), Cost::PUSH_WORD);
    }

    #[test]
    fn the_list_follows_from_opcodes() {
        let of = |opcode| Cost::of_op(opcode, Fork::Osaka);
        assert_eq!(Cost::DUP, of(Opcode::DUP1));
        assert_eq!(Cost::SWAP, of(Opcode::SWAP1));
        assert_eq!(Cost::POP, of(Opcode::POP));
        assert_eq!(Cost::ISZERO, of(Opcode::ISZERO));
        assert_eq!(Cost::COMPARE, of(Opcode::EQ));
        assert_eq!(Cost::JUMPI, of(Opcode::JUMPI));
        assert_eq!(Cost::JUMPDEST, of(Opcode::JUMPDEST));
        assert_eq!(Cost::PUSH_OPCODE.gas, Cost::PUSH_WORD.gas);
        assert_eq!(Cost::JUMP, Cost::PUSH_PLACE + of(Opcode::JUMP));
        assert_eq!(Cost::STORE, Cost::PUSH_PLACE + of(Opcode::MSTORE));
        assert_eq!(Cost::RELOAD, Cost::of_push(Word::from(128), Fork::Osaka) + of(Opcode::MLOAD));
        assert_eq!(Cost::PUSH_ADDRESS, Cost::of_push(Word::MAX >> 96, Fork::Osaka));
    }
}
