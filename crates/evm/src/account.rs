//! Operands that name an account.

use crate::opcode::Opcode;

/// Bits of the address of an account; of an operand that names one, the EVM takes the lowest of them.
pub const ACCOUNT_BITS: u16 = 160;

/// The index of the operand that names an account (Yellow Paper, H.2: `μ_s[0]` or `μ_s[1]` modulo 2^160).
#[inline]
pub fn account_operand(op: Opcode) -> Option<usize> {
    match op {
        Opcode::CALL | Opcode::CALLCODE | Opcode::DELEGATECALL | Opcode::STATICCALL => Some(1),
        Opcode::BALANCE
        | Opcode::EXTCODESIZE
        | Opcode::EXTCODEHASH
        | Opcode::EXTCODECOPY
        | Opcode::SELFDESTRUCT => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_an_operand_of_the_opcode() {
        for op in Opcode::all() {
            let inputs = usize::from(op.known().inputs);
            assert!(account_operand(op).is_none_or(|index| index < inputs), "{op:?}");
        }
        assert_eq!(account_operand(Opcode::EXTCODECOPY), Some(0));
        assert_eq!(account_operand(Opcode::STATICCALL), Some(1));
        assert_eq!(account_operand(Opcode::SLOAD), None);
    }
}
