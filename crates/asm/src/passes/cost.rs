//! The measure that gas and bytes are traded with.

use crate::program::ItemKind;
use cairn_evm::{Fork, Opcode, Word, gas};

/// What an executed gas and a byte of code weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostModel {
    /// Expected executions of each instruction.
    pub executions: u64,
    /// Gas paid once for a byte of code.
    pub byte_gas: u64,
}

/// Gas of one execution and bytes of some code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) gas: u64,
    pub(crate) bytes: u64,
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

    pub(crate) fn weigh(self, cost: Cost) -> u64 {
        let execution = cost.gas.saturating_mul(self.executions);
        execution.saturating_add(cost.bytes.saturating_mul(self.byte_gas))
    }
}

impl Cost {
    /// The cost of a push of a word.
    pub(crate) fn of_push(word: Word, fork: Fork) -> Cost {
        let has_push0 = Opcode::PUSH0.exists_in(fork);
        match word.byte_len() {
            0 if has_push0 => Cost { gas: 2, bytes: 1 },
            length => Cost { gas: 3, bytes: 1 + length.max(1) as u64 },
        }
    }

    /// The cost of an opcode without its dynamic part.
    pub(crate) fn of_op(opcode: Opcode, fork: Fork) -> Cost {
        Cost { gas: gas::static_gas(opcode, fork), bytes: 1 }
    }

    /// The cost of an item; positions are taken to need two bytes.
    pub(crate) fn of_item(kind: ItemKind, fork: Fork) -> Cost {
        match kind {
            ItemKind::Op(opcode) => Cost::of_op(opcode, fork),
            ItemKind::OpImmediate(opcode, _) => Cost { bytes: 2, ..Cost::of_op(opcode, fork) },
            ItemKind::Push(word) => Cost::of_push(word, fork),
            ItemKind::PushSized(_, width) => Cost { gas: 3, bytes: 1 + u64::from(width) },
            ItemKind::PushLabel(_) | ItemKind::PushDataOffset(_) | ItemKind::PushDataSize(_) => {
                Cost { gas: 3, bytes: 3 }
            }
            ItemKind::Label(_) => Cost { gas: 1, bytes: 1 },
            ItemKind::PushImmutable(_) => Cost { gas: 3, bytes: 33 },
            ItemKind::PushLibrary(_) => Cost { gas: 3, bytes: 21 },
            ItemKind::AssignImmutable(_) | ItemKind::Verbatim { .. } => Cost { gas: 3, bytes: 8 },
        }
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost { gas: self.gas + other.gas, bytes: self.bytes + other.bytes }
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), |total, cost| total + cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_weighs_as_much_as_one_gas_at_200_runs() {
        let model = CostModel::deployed(200);
        assert_eq!(model.weigh(Cost { gas: 1, bytes: 0 }), model.weigh(Cost { gas: 0, bytes: 1 }));
    }

    #[test]
    fn push_costs() {
        assert_eq!(Cost::of_push(Word::ZERO, Fork::Osaka), Cost { gas: 2, bytes: 1 });
        assert_eq!(Cost::of_push(Word::ZERO, Fork::Paris), Cost { gas: 3, bytes: 2 });
        assert_eq!(Cost::of_push(Word::MAX, Fork::Osaka), Cost { gas: 3, bytes: 33 });
    }
}
