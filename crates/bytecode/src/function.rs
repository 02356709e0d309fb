//! An internal function.

use crate::blocks::BlockId;
use serde::Serialize;

/// An internal function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Block at which it begins.
    pub entry: BlockId,
    /// Words that it takes.
    pub params: u32,
    /// Words that it gives back; `None` when it never returns.
    pub rets: Option<u32>,
    /// Its blocks, sorted; those of functions that it calls are not among them.
    pub blocks: Vec<BlockId>,
}
