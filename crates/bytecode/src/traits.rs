//! What instructions do beside stack and control, as bits: found once for an opcode, and put together for
//! each block when it is made.

use cairn_evm::static_frame::{StaticRule, static_rule};
use cairn_evm::{Effects, Opcode};

bitflags::bitflags! {
    /// What some instructions do.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Traits: u8 {
        /// They hash memory.
        const HASHES = 1;
        /// They read or write storage, transient or not.
        const STORAGE = 1 << 1;
        /// They write events.
        const EVENTS = 1 << 2;
        /// They read the state: a function with one is no `pure` one.
        const READS = 1 << 3;
        /// They may change the state: a function with one is no `view` one.
        const WRITES = 1 << 4;
        /// They read the code that runs, or ask for its size.
        const LOOKS_AT_CODE = 1 << 5;
        /// They load words of the calldata.
        const LOADS_CALLDATA = 1 << 6;
        /// They copy the code that runs.
        const COPIES_CODE = 1 << 7;
    }
}

/// What an opcode does, whatever the fork.
pub(crate) fn traits_of(op: Opcode) -> Traits {
    let mut traits = match op {
        Opcode::KECCAK256 => Traits::HASHES,
        Opcode::CODECOPY => Traits::LOOKS_AT_CODE | Traits::COPIES_CODE,
        Opcode::CODESIZE => Traits::LOOKS_AT_CODE,
        Opcode::CALLDATALOAD => Traits::LOADS_CALLDATA,
        Opcode::SLOAD | Opcode::SSTORE | Opcode::TLOAD | Opcode::TSTORE => Traits::STORAGE,
        _ if (Opcode::LOG0..=Opcode::LOG4).contains(&op) => Traits::EVENTS,
        _ => Traits::empty(),
    };
    let reads =
        Effects::READ_STORAGE | Effects::READ_TRANSIENT | Effects::READ_ACCOUNTS | Effects::READ_ENVIRONMENT;
    traits |= match op {
        Opcode::CALLCODE | Opcode::DELEGATECALL => Traits::WRITES,
        // What is looked at before anything else, to refuse wei.
        Opcode::CALLVALUE => Traits::empty(),
        _ if static_rule(op) != StaticRule::Allowed => Traits::WRITES,
        Opcode::ADDRESS | Opcode::CALLER | Opcode::ORIGIN => Traits::READS,
        _ if op.info().is_some_and(|info| info.effects.intersects(reads)) => Traits::READS,
        _ => Traits::empty(),
    };
    traits
}
