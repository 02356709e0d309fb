//! A program of a batch.

/// A program of a batch.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) name: String,
    /// Its code, or why it cannot be read.
    pub(super) code: Result<Vec<u8>, String>,
}

/// Bytes of hexadecimal digits, with or without `0x`.
pub(super) fn decode(digits: &str) -> Result<Vec<u8>, String> {
    cairn_evm::hex::decode(digits.trim()).map_err(|error| error.to_string())
}
