//! The most that an instruction costs, without memory.

use super::value::Value;
use cairn_evm::gas::{self, Access};
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Fork, GasClass, MemoryLength, Opcode};

/// Gas of a store that fills an empty slot, beside what a cold access costs more than a warm one.
const FILLED: u64 = 20_000;

/// The most that an instruction with these operands costs; `None` where that is not known.
pub(super) fn most(op: Opcode, args: &[Value], fork: Fork) -> Option<u64> {
    let info = op.info()?;
    let fixed = gas::access_gas(op, fork, Access::Cold);
    let bytes = || {
        let region = memory_write(op).or(memory_read(op))?;
        match region.length {
            MemoryLength::Fixed(bytes) => Some(u64::from(bytes)),
            MemoryLength::Operand(index) => args.get(usize::from(index))?.small(),
        }
    };
    let by_word = |price: u64| bytes()?.div_ceil(32).checked_mul(price);
    let more = match info.gas {
        GasClass::Call | GasClass::Create => return None,
        GasClass::Sstore => return (fixed + FILLED).checked_sub(gas::access_gas(op, fork, Access::Warm)),
        GasClass::SelfDestruct => gas::CALL_NEW_ACCOUNT,
        GasClass::Exp => {
            let bytes = args.get(1).and_then(|exponent| exponent.known());
            gas::exp_gas(bytes.map_or(32, |exponent| exponent.byte_len() as u64), fork)
        }
        GasClass::Keccak => by_word(gas::KECCAK_PER_WORD)?,
        GasClass::Copy => by_word(gas::COPY_PER_WORD)?,
        GasClass::Account if memory_write(op).is_some() => by_word(gas::COPY_PER_WORD)?,
        GasClass::Log => bytes()?.checked_mul(gas::LOG_PER_BYTE)?,
        GasClass::Zero
        | GasClass::JumpDest
        | GasClass::Base
        | GasClass::VeryLow
        | GasClass::Memory
        | GasClass::Low
        | GasClass::Mid
        | GasClass::High
        | GasClass::BlockHash
        | GasClass::Transient
        | GasClass::Sload
        | GasClass::Account => 0,
    };
    fixed.checked_add(more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::Word;

    #[test]
    fn accesses_are_cold_and_slots_empty() {
        let args = [Value::Unknown; 3];
        let most = |op, fork| most(op, &args, fork);
        assert_eq!(most(Opcode::SLOAD, Fork::Cancun), Some(2100));
        assert_eq!(most(Opcode::SSTORE, Fork::Cancun), Some(22_100));
        assert_eq!(most(Opcode::SSTORE, Fork::Istanbul), Some(20_000));
        assert_eq!(most(Opcode::SSTORE, Fork::Byzantium), Some(20_000));
        assert_eq!(most(Opcode::EXP, Fork::Cancun), Some(10 + 32 * 50));
        assert_eq!(most(Opcode::CALL, Fork::Cancun), None);
        assert_eq!(most(Opcode::KECCAK256, Fork::Cancun), None, "of an unknown length");
    }

    #[test]
    fn what_operands_tell_counts() {
        let args = |words: [u64; 3]| words.map(|word| Value::Known(Word::from(word)));
        assert_eq!(most(Opcode::EXP, &args([2, 256, 0])[..2], Fork::Cancun), Some(110));
        assert_eq!(most(Opcode::KECCAK256, &args([0, 33, 0])[..2], Fork::Cancun), Some(42));
        assert_eq!(most(Opcode::CALLDATACOPY, &args([0, 0, 64]), Fork::Cancun), Some(9));
        assert_eq!(most(Opcode::LOG1, &args([0, 32, 7]), Fork::Cancun), Some(375 + 375 + 256));
    }
}
