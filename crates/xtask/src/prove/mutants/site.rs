//! Bytes that calls execute, and what they are changed to.

use super::programs::{Call, Deployed};
use crate::random::Random;
use cairn_evm::Opcode;
use cairn_exec::Record;
use std::collections::BTreeSet;

/// Steps of a call that are looked at.
const MAX_STEPS: usize = 100_000;

/// How a byte is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// To another opcode with as many operands and results, or data by a bit or by one.
    Near,
    /// To any other byte.
    Any,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Near => "alike",
            Kind::Any => "any other",
        }
    }
}

/// A changed byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) kind: Kind,
    pub(super) offset: usize,
    pub(super) byte: u8,
}

/// Offsets of instructions that a call executes; none if other code runs as well, for it might call back.
pub(super) fn executed(deployed: &Deployed, call: &Call) -> Vec<usize> {
    let mut chain = call.chain.clone();
    chain.set_record(Record::Steps(MAX_STEPS));
    let Ok(outcome) = chain.call(deployed.address, &call.message) else { return Vec::new() };
    let steps = &chain.recording().steps;
    if outcome.is_out_of_gas() || steps.iter().any(|step| step.depth > 0) {
        return Vec::new();
    }
    let offsets: BTreeSet<usize> = steps.iter().map(|step| step.pc).collect();
    offsets.into_iter().filter(|offset| *offset < deployed.code.len()).collect()
}

/// Changes one byte of the instructions at these offsets.
pub(super) fn change(code: &[u8], offsets: &[usize], random: &mut Random) -> Change {
    let start = offsets[random.below(offsets.len())];
    let width = usize::from(Opcode(code[start]).push_width().unwrap_or(0));
    let offset = (start + random.below(width + 1)).min(code.len() - 1);
    let old = code[offset];
    let kind = if random.below(2) == 0 { Kind::Near } else { Kind::Any };
    let choices: Vec<u8> = match kind {
        Kind::Any => (0..=u8::MAX).filter(|byte| *byte != old).collect(),
        Kind::Near if offset == start => alike(Opcode(old)),
        Kind::Near => {
            let flipped = (0..8).map(|bit| old ^ 1 << bit);
            flipped.chain([old.wrapping_add(1), old.wrapping_sub(1)]).collect()
        }
    };
    // Some opcodes are like no other.
    let byte = match choices.is_empty() {
        true => old ^ 1 << random.below(8),
        false => choices[random.below(choices.len())],
    };
    Change { kind, offset, byte }
}

/// Other opcodes that take and give as many words.
fn alike(opcode: Opcode) -> Vec<u8> {
    let Some(info) = opcode.info() else { return Vec::new() };
    let is_alike = |byte: &u8| {
        let other = Opcode(*byte);
        let Some(found) = other.info().filter(|_| other != opcode) else { return false };
        (found.inputs, found.outputs) == (info.inputs, info.outputs)
            && other.push_width() == opcode.push_width()
            && other.halts() == opcode.halts()
    };
    (0..=u8::MAX).filter(is_alike).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_are_exchanged_for_alike_ones() {
        let others = alike(Opcode::ADD);
        assert!(others.contains(&Opcode::SUB.0) && !others.contains(&Opcode::ADD.0));
        assert!(!others.contains(&Opcode::ISZERO.0));
    }

    #[test]
    fn changes_are_changes() {
        let code = [0x60, 7, 0x60, 3, 0x01, 0x50, 0x00];
        let mut random = Random::new(1);
        for _ in 0..500 {
            let change = change(&code, &[0, 2, 4, 5, 6], &mut random);
            assert_ne!(code[change.offset], change.byte);
        }
    }
}
