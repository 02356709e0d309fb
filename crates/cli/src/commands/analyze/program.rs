//! A program of a batch.

/// A program of a batch.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) name: String,
    /// Its code, or why it cannot be read.
    pub(super) code: Result<Vec<u8>, String>,
}
