//! What the bytes of a piece of code are: instructions, the compiler's trailer, contracts that it holds, data,
//! arguments of a constructor.
//!
//! Contract: the regions of [`find_regions`] stand in the order of their offsets, none is empty, and together
//! they are all of the code. What control reaches is always [`RegionKind::Code`], and nothing else is but the
//! `INVALID` that compilers put behind code. The rest is told by what the code does with it and by its form:
//!
//! | region | is |
//! |---|---|
//! | arguments | what follows the length that creation code subtracts from `CODESIZE`, or a place behind a trailer that it copies from |
//! | a contract | a piece that is copied, or ends with a trailer, and that runs: no stack is too low in it, and control reaches half of it and a `RETURN` or `REVERT` |
//! | metadata | a trailer that decodes and names a compiler or a hash |
//! | code that is not reached | blocks that begin where control could get to and are complete, and a `STOP` or `INVALID` behind code |
//! | data | all else |
//!
//! Contracts in contracts are followed to [`MAX_DEPTH`]; what is deeper is part of what holds it. Cost: on
//! each level a few analyses of its bytes, however many pieces the code copies, and for each byte that of a short
//! trailer.

mod find;
mod unreached;

use crate::metadata::Metadata;
use crate::role::Role;
use std::ops::Range;

pub use find::find_regions;

/// Levels of contracts in contracts.
pub const MAX_DEPTH: u32 = 4;

/// Bytes of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where they are, as offsets in the outermost code.
    pub bytes: Range<u32>,
    /// What they are.
    pub kind: RegionKind,
}

/// What bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// Instructions that control reaches.
    Code,
    /// Instructions that control does not reach.
    Unreached,
    /// A compiler's trailer.
    Metadata(Metadata),
    /// Code of another contract.
    Contract {
        /// Runtime code, which this code deploys, or creation code, which it creates a contract with.
        role: Role,
        /// What its bytes are, in turn.
        regions: Vec<Region>,
    },
    /// Bytes that are no instructions: tables, texts, immutables.
    Data,
    /// What stands behind creation code for the constructor.
    Arguments,
}

impl RegionKind {
    /// The name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            RegionKind::Code => "code",
            RegionKind::Unreached => "unreached",
            RegionKind::Metadata(_) => "metadata",
            RegionKind::Contract { .. } => "contract",
            RegionKind::Data => "data",
            RegionKind::Arguments => "arguments",
        }
    }

    /// True for instructions of the code itself.
    pub fn is_code(&self) -> bool {
        matches!(self, RegionKind::Code | RegionKind::Unreached)
    }
}

#[cfg(test)]
mod tests;
