//! What a program sees outside of itself.

use cairn_evm::{Word, keccak256};

/// What happens on calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExternalCalls {
    /// All calls succeed and do nothing.
    #[default]
    Ignore,
    /// A `call` of the own address runs the program again, with its own memory.
    RunOwnCode,
}

/// The surroundings of a program. The default values are those of solc's interpreter tests.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the fields are named like the builtins that return them")]
pub struct World {
    pub address: Word,
    pub origin: Word,
    pub caller: Word,
    pub callvalue: Word,
    pub gasprice: Word,
    pub coinbase: Word,
    pub timestamp: Word,
    pub number: Word,
    pub prevrandao: Word,
    pub gaslimit: Word,
    pub chainid: Word,
    pub basefee: Word,
    pub blobbasefee: Word,
    pub slotnum: Word,
    pub gas: Word,
    pub selfbalance: Word,
    /// Balance of every other account.
    pub other_balance: Word,
    pub calldata: Vec<u8>,
    /// What `codecopy` and `datacopy` copy.
    pub code: Vec<u8>,
    /// What happens on calls.
    pub external_calls: ExternalCalls,
}

impl Default for World {
    fn default() -> Self {
        World {
            address: Word::from(0x1111_1111_u64),
            origin: Word::from(0x3333_3333_u64),
            caller: Word::from(0x4444_4444_u64),
            callvalue: Word::from(0x5555_5555_u64),
            gasprice: Word::from(0x6666_6666_u64),
            coinbase: Word::from(0x7777_7777_u64),
            timestamp: Word::from(0x8888_8888_u64),
            number: Word::from(1024),
            prevrandao: (Word::from(1) << 64) + Word::from(1),
            gaslimit: Word::from(4_000_000),
            chainid: Word::from(1),
            basefee: Word::from(7),
            blobbasefee: Word::from(1),
            slotnum: Word::from(1),
            gas: Word::from(0x99),
            selfbalance: Word::from(0x2222_3333_u64),
            other_balance: Word::from(0x2222_2222_u64),
            calldata: Vec::new(),
            code: b"codecodecodecodecode".to_vec(),
            external_calls: ExternalCalls::Ignore,
        }
    }
}

impl World {
    pub(super) fn balance(&self, account: Word) -> Word {
        if account << 96 == self.address << 96 { self.selfbalance } else { self.other_balance }
    }

    /// A made-up size of an object.
    pub(super) fn data_size(&self, name: &[u8]) -> Word {
        low_bits_of_hash(name, Word::ZERO)
    }

    /// A made-up place of an object.
    pub(super) fn data_offset(&self, name: &[u8]) -> Word {
        low_bits_of_hash(name, Word::from(2))
    }

    /// A made-up address of a library.
    pub(super) fn library_address(&self, name: &[u8]) -> Word {
        Word::from_be_bytes(keccak256(name).0) >> 96
    }
}

fn low_bits_of_hash(name: &[u8], offset: Word) -> Word {
    let word = match name.len() {
        0..=32 => crate::parser::string_word(name),
        _ => Word::from_be_bytes(keccak256(name).0),
    };
    let hash = keccak256(word.wrapping_add(offset).to_be_bytes::<32>());
    Word::from_be_bytes(hash.0) & Word::from(0xfff)
}
