//! Hard forks, in order of activation.
//!
//! Names are solc's `--evm-version` names. `Amsterdam` holds drafts that are not final.

use std::fmt;
use std::str::FromStr;

/// A hard fork; the order is the order of activation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Fork {
    /// The launch of mainnet, July 2015.
    Frontier,
    /// EIP-7: `delegatecall`.
    Homestead,
    /// EIP-150: gas of calls.
    TangerineWhistle,
    /// EIP-155 to EIP-170.
    SpuriousDragon,
    /// `returndatasize`, `staticcall`, `revert`.
    Byzantium,
    /// Shifts, `create2`, `extcodehash`.
    Constantinople,
    /// Constantinople without EIP-1283.
    Petersburg,
    /// `chainid`, `selfbalance`.
    Istanbul,
    /// EIP-2929: cold and warm access.
    Berlin,
    /// `basefee`.
    London,
    /// The merge: `prevrandao`.
    Paris,
    /// `PUSH0`.
    Shanghai,
    /// `mcopy`, `tload`, `tstore`, `blobhash`, `blobbasefee`.
    Cancun,
    /// Prague (no new opcodes).
    Prague,
    /// `clz`.
    #[default]
    Osaka,
    /// Drafts: `slotnum`, `DUPN`, `SWAPN`, `EXCHANGE`.
    Amsterdam,
}

impl Fork {
    /// Every fork, oldest first.
    pub const ALL: [Fork; 16] = [
        Fork::Frontier,
        Fork::Homestead,
        Fork::TangerineWhistle,
        Fork::SpuriousDragon,
        Fork::Byzantium,
        Fork::Constantinople,
        Fork::Petersburg,
        Fork::Istanbul,
        Fork::Berlin,
        Fork::London,
        Fork::Paris,
        Fork::Shanghai,
        Fork::Cancun,
        Fork::Prague,
        Fork::Osaka,
        Fork::Amsterdam,
    ];

    /// The name used by `--evm-version`.
    pub const fn name(self) -> &'static str {
        match self {
            Fork::Frontier => "frontier",
            Fork::Homestead => "homestead",
            Fork::TangerineWhistle => "tangerineWhistle",
            Fork::SpuriousDragon => "spuriousDragon",
            Fork::Byzantium => "byzantium",
            Fork::Constantinople => "constantinople",
            Fork::Petersburg => "petersburg",
            Fork::Istanbul => "istanbul",
            Fork::Berlin => "berlin",
            Fork::London => "london",
            Fork::Paris => "paris",
            Fork::Shanghai => "shanghai",
            Fork::Cancun => "cancun",
            Fork::Prague => "prague",
            Fork::Osaka => "osaka",
            Fork::Amsterdam => "amsterdam",
        }
    }

    /// Bytes that the code of a contract may have, and the EIP that says so.
    pub fn max_code_size(self) -> Option<(usize, u16)> {
        match self {
            Fork::Amsterdam => Some((0x1_0000, 7954)),
            _ => (self >= Fork::SpuriousDragon).then_some((0x6000, 170)),
        }
    }

    /// Bytes that creation code may have, and the EIP that says so.
    pub fn max_initcode_size(self) -> Option<(usize, u16)> {
        match self {
            Fork::Amsterdam => Some((0x2_0000, 7954)),
            _ => (self >= Fork::Shanghai).then_some((0xc000, 3860)),
        }
    }
}

impl fmt::Display for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The given name is not the name of a fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFork(pub String);

impl fmt::Display for UnknownFork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown EVM version `{}`; known are", self.0)?;
        Fork::ALL.iter().try_for_each(|fork| write!(f, " {fork}"))
    }
}

impl std::error::Error for UnknownFork {}

impl FromStr for Fork {
    type Err = UnknownFork;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Fork::ALL.into_iter().find(|fork| fork.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownFork(name.to_owned()))
    }
}
