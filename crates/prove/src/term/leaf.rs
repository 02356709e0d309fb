//! What programs are given: inputs, state, answers of other accounts.

use super::transfer;
use cairn_evm::account::ACCOUNT_BITS;
use cairn_evm::{Opcode, Word};
use cairn_rules::Facts;

/// A space of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Storage.
    Storage,
    /// Transient storage.
    Transient,
}

/// A word that no term makes of others. Operands are those of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leaf {
    /// What an opcode without operands pushes behind so many calls.
    Environment(Opcode, u32),
    /// What an opcode says of its operands (`balance`, `blockhash`, …) behind so many calls.
    Ask(Opcode, u32),
    /// Gas left: behind so many events, the n-th time it is asked.
    Gas(u32, u32),
    /// The word of calldata at a position, without regard to its size.
    Calldata,
    /// The byte there.
    CalldataByte,
    /// The word at a position of what the call with this number returned.
    Returned(u32),
    /// The byte there.
    ReturnedByte(u32),
    /// The size of what it returned.
    ReturnedSize(u32),
    /// What a call pushed: 1 for success; the address that a creation pushed, or 0.
    Answer(u32, Opcode),
    /// The byte of an account's code behind so many calls: operands account, position.
    ForeignCode(u32),
    /// The word that a space held behind so many calls: operand key.
    Held(Space, u32),
    /// Keccak-256 of so many bytes: operands are the words, the last filled up with zeros.
    Keccak(u32),
    /// Keccak-256 of the n-th region whose length is not known.
    KeccakOfRegion(u32),
    /// The value of the immutable with this number.
    Immutable(u32),
    /// The address of the library with this number.
    Library(u32),
    /// Any word of so many bits: the n-th.
    Any(u32, u16),
}

impl Leaf {
    /// What is known of it: sizes and gas are bounded (A12).
    pub(super) fn facts(self) -> Facts {
        match self {
            Leaf::Environment(opcode, _) => transfer(opcode, &[]),
            Leaf::Ask(opcode, _) => transfer(opcode, &[&Facts::ANY]),
            Leaf::Gas(..) => Facts::low_bits(64),
            Leaf::CalldataByte | Leaf::ReturnedByte(_) | Leaf::ForeignCode(_) => Facts::low_bits(8),
            Leaf::ReturnedSize(_) => transfer(Opcode::RETURNDATASIZE, &[]),
            Leaf::Answer(_, Opcode::CREATE | Opcode::CREATE2) | Leaf::Library(_) => {
                Facts::low_bits(usize::from(ACCOUNT_BITS))
            }
            Leaf::Answer(..) => Facts::low_bits(1),
            Leaf::Any(_, bits) => Facts::low_bits(usize::from(bits)),
            Leaf::Calldata | Leaf::Returned(_) | Leaf::Held(..) => Facts::ANY,
            Leaf::Keccak(_) | Leaf::KeccakOfRegion(_) | Leaf::Immutable(_) => Facts::ANY,
        }
    }

    /// True of hashes, whose words are not to be chosen.
    pub fn is_hash(self) -> bool {
        matches!(self, Leaf::Keccak(_) | Leaf::KeccakOfRegion(_))
    }

    /// True if the facts are bounds of the protocol (A12).
    pub fn is_bounded(self) -> bool {
        match self {
            Leaf::Environment(opcode, _) => transfer(opcode, &[]) != Facts::ANY,
            Leaf::Ask(opcode, _) => transfer(opcode, &[&Facts::ANY]).hi() != Word::MAX,
            Leaf::Gas(..) | Leaf::ReturnedSize(_) => true,
            _ => false,
        }
    }
}
