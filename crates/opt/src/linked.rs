//! Words that are known when code is linked: where frames lie and end, and how large code and data are.

use crate::ranges::{LIMIT_BITS, STEP_BITS};
use crate::rules::Facts;
use cairn_evm::{Word, word};
use cairn_ir::{Op, Payload};

/// What is known of them before: frames and their end are near what is `reserved`; code and data are paid
/// for by the byte (A16). `None` for other operations.
pub(crate) fn facts_of_linked(op: Op, payload: Payload, reserved: u64) -> Option<Facts> {
    match (op, payload) {
        (Op::HeapBase, Payload::Number(least)) => Some(address_from(least)),
        (Op::Alloca, _) => Some(address_from(reserved)),
        (Op::DataOffset | Op::DataSize, _) => Some(Facts::low_bits(STEP_BITS)),
        _ => None,
    }
}

fn address_from(least: u64) -> Facts {
    match least >> (LIMIT_BITS - 1) {
        0 => Facts::between(Word::from(least), word::low_mask(LIMIT_BITS)),
        _ => Facts::ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_end_behind_what_is_reserved_and_not_far_from_it() {
        let facts = facts_of_linked(Op::HeapBase, Payload::Number(128), 0).expect("it is linked");
        assert_eq!(facts.lo(), Word::from(128));
        assert_eq!(facts.hi(), word::low_mask(LIMIT_BITS));
        let far = facts_of_linked(Op::HeapBase, Payload::Number(u64::MAX), 0).expect("it is linked");
        assert_eq!(far, Facts::ANY, "what nobody can pay for may be anything");
    }
}
