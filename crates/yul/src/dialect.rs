//! Builtins of the EVM dialect, by fork.

use cairn_evm::{Fork, Opcode};

/// A builtin function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Builtin {
    /// An opcode.
    Evm(Opcode),
    /// `datasize("x")`
    DataSize,
    /// `dataoffset("x")`
    DataOffset,
    /// `datacopy(t, f, l)`
    DataCopy,
    /// `setimmutable(offset, "name", value)`
    SetImmutable,
    /// `loadimmutable("name")`
    LoadImmutable,
    /// `linkersymbol("name")`
    LinkerSymbol,
    /// `memoryguard(size)`
    MemoryGuard,
    /// `verbatim_<i>i_<o>o("bytes", …)`
    Verbatim {
        /// Words taken.
        inputs: u8,
        /// Words left.
        outputs: u8,
    },
}

/// The EVM dialect of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The fork that decides which opcodes exist.
    pub fork: Fork,
    /// False for code outside objects: no `datasize` and the like.
    pub objects: bool,
}
