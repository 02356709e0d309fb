//! What static frames refuse.

use crate::opcode::Opcode;

/// What a frame that `STATICCALL` made, or one below it, does at an opcode (EIP-214, EIP-1153).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaticRule {
    /// What any frame does.
    Allowed,
    /// Halts exceptionally: all gas is gone, no data comes back.
    Refused,
    /// Halts exceptionally unless the operand with this index is zero.
    RefusedWith(u8),
}

/// Which opcodes a static frame refuses: those that change the state themselves.
#[inline]
pub fn static_rule(op: Opcode) -> StaticRule {
    match op {
        Opcode::SSTORE | Opcode::TSTORE | Opcode::CREATE | Opcode::CREATE2 | Opcode::SELFDESTRUCT => {
            StaticRule::Refused
        }
        Opcode::LOG0 | Opcode::LOG1 | Opcode::LOG2 | Opcode::LOG3 | Opcode::LOG4 => StaticRule::Refused,
        Opcode::CALL => StaticRule::RefusedWith(2),
        _ => StaticRule::Allowed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::Effects;

    #[test]
    fn a_static_frame_refuses_what_writes_the_state_itself() {
        let state =
            Effects::WRITE_STORAGE | Effects::WRITE_TRANSIENT | Effects::WRITE_LOG | Effects::WRITE_ACCOUNTS;
        for op in Opcode::all() {
            let runs_another_frame = [Opcode::CALL, Opcode::CALLCODE, Opcode::DELEGATECALL].contains(&op);
            let writes = op.known().effects.intersects(state) && !runs_another_frame;
            assert_eq!(static_rule(op) == StaticRule::Refused, writes, "{op:?}");
        }
        assert_eq!(static_rule(Opcode::CALL), StaticRule::RefusedWith(2));
    }
}
