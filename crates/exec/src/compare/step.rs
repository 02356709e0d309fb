//! What is done to both programs.

use crate::machine::Message;
use alloy_primitives::Address;

/// One transaction of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who is called.
    pub to: Address,
    /// With what.
    pub message: Message,
    /// Seconds that pass before.
    pub seconds: u64,
}
