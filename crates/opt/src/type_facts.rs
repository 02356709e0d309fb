//! What the type of a value tells.

use crate::rules::Facts;
use cairn_ir::Type;

/// Words of the type.
pub(crate) fn facts_of_type(ty: Type) -> Facts {
    ty.bits().map_or(Facts::ANY, |bits| Facts::low_bits(usize::from(bits)))
}
