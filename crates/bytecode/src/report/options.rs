//! What reports show besides what they always do.

use std::collections::BTreeMap;

/// Options of text and JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportOptions {
    /// The dominator of each block, and its post-dominator; JSON has them anyhow.
    pub dominators: bool,
    /// Signatures of functions by selector, beside those of known standards.
    pub signatures: BTreeMap<u32, String>,
    /// Signatures of events by first topic, beside those of known standards.
    pub topics: BTreeMap<[u8; 32], String>,
}
