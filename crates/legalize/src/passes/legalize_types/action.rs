//! What is done about each type.

use cairn_ir::{AddressSpace, Function, Type, Value};

/// What is done about values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeAction {
    /// They are words already.
    Legal,
    /// They live in the low bits of a word.
    Promote,
    /// They become several words, the least significant first.
    Expand,
    /// They become integers of the same width: scaled by a power of ten, or the bits of a number.
    Soften,
    /// They become integers that hold a key.
    Key,
    /// They become one value a lane.
    Scalarize,
    /// They become two vectors of half as many lanes.
    Split,
    /// They become one value a part, laid out in whole words; an error without `Options::recover`.
    Lower,
}

/// Vectors of more lanes are split into halves.
const MAX_SCALARIZED: u32 = 4;

/// The action for a type.
pub(crate) fn type_action(ty: Type) -> TypeAction {
    match ty {
        Type::Int(257..) => TypeAction::Expand,
        Type::Ufixed(..) | Type::Fixed(..) | Type::Float(_) => TypeAction::Soften,
        Type::Ptr(AddressSpace::Storage | AddressSpace::Transient, _) => TypeAction::Key,
        Type::Composite(composite) => match composite.lanes() {
            Some((..=MAX_SCALARIZED, _)) => TypeAction::Scalarize,
            Some(_) => TypeAction::Split,
            None => TypeAction::Lower,
        },
        ty if ty.is_legal() => TypeAction::Legal,
        Type::Int(_) | Type::Bool | Type::Ptr(..) | Type::Void | Type::Unreachable => TypeAction::Promote,
    }
}

/// False if neither the signature nor any value has such a type: most functions have words only, and
/// passes for other types need not walk their code. True if there was such a value once.
pub(crate) fn has_type(func: &Function, is_asked: impl Fn(Type) -> bool) -> bool {
    let signature = func.signature.params.iter().chain(&func.signature.results).copied();
    signature.chain(func.dfg.types()).any(is_asked)
}

/// True if the signature, or a value of the code as it is now, has such a type.
pub(super) fn uses_type(func: &Function, is_asked: impl Fn(Type) -> bool) -> bool {
    if func.signature.params.iter().chain(&func.signature.results).any(|ty| is_asked(*ty)) {
        return true;
    }
    // Most functions never had such a value: their code need not be walked.
    let has_asked = |values: &[Value]| values.iter().any(|value| is_asked(func.dfg.ty(*value)));
    func.dfg.types().any(&is_asked)
        && func.layout.blocks().any(|block| {
            has_asked(func.dfg.params(block))
                || func.layout.insts(block).any(|inst| has_asked(func.dfg.results(inst)))
        })
}

/// Number of words that an integer of this width takes.
pub(super) fn words(bits: u16) -> usize {
    usize::from(bits.div_ceil(256))
}
