//! What a compilation takes from its surroundings.

use crate::frontend::access::FileAccess;
use crate::frontend::find;
use crate::progress::Progress;
use crate::settings::Overrides;

/// What a compilation takes from its surroundings.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Where front ends are looked for.
    pub places: find::Places,
    /// The files that sources may import.
    pub access: FileAccess,
    /// What the caller demands.
    pub overrides: Overrides,
    /// Who is told how far it is.
    pub progress: Progress,
}
