//! What the rules ask about single items.

use crate::program::ItemKind;
use cairn_evm::{Effects, Opcode, Word};

/// True for items that only push one word, without looking at the stack: they may be left out if
/// the word isn't needed.
pub(super) fn is_leaf(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Op(opcode) => removable_inputs(opcode) == Some(0),
        kind => kind.is_push(),
    }
}

/// True for leaves that push the same word before and after the stack operations next to them.
pub(super) fn is_movable_leaf(kind: ItemKind) -> bool {
    let observer = Effects::READ_GAS | Effects::READ_MSIZE | Effects::READ_LAYOUT;
    let observes = |opcode: Opcode| opcode.info().is_some_and(|info| info.effects.intersects(observer));
    is_leaf(kind) && !opcode(kind).is_some_and(observes)
}

/// The number of operands of an opcode that does nothing but push one result.
pub(super) fn removable_inputs(opcode: Opcode) -> Option<u8> {
    let info = opcode.info()?;
    let plain = !opcode.is_stack_manipulation() && !opcode.is_jump_related() || opcode == Opcode::PC;
    let keeps = info.effects.is_removable() && !info.effects.contains(Effects::GROW_MEMORY);
    (plain && keeps && info.outputs == 1).then_some(info.inputs)
}

/// True for opcodes whose result is 0 or 1.
pub(super) fn is_boolean(opcode: Opcode) -> bool {
    let comparisons = [Opcode::LT, Opcode::GT, Opcode::SLT, Opcode::SGT, Opcode::EQ, Opcode::ISZERO];
    comparisons.contains(&opcode)
}

/// The word of a plain push.
pub(super) fn constant(kind: ItemKind) -> Option<Word> {
    match kind {
        ItemKind::Push(word) => Some(word),
        ItemKind::Op(_)
        | ItemKind::OpImmediate(..)
        | ItemKind::PushSized(..)
        | ItemKind::PushLabel(_)
        | ItemKind::PushTable(_)
        | ItemKind::Label(_)
        | ItemKind::PushDataOffset(_)
        | ItemKind::PushDataSize(_)
        | ItemKind::PushImmutable(..)
        | ItemKind::AssignImmutable(_)
        | ItemKind::PushLibrary(_)
        | ItemKind::Verbatim { .. } => None,
    }
}

/// `n` of `DUPn` for `n` up to 16.
pub(super) fn dup_depth(kind: ItemKind) -> Option<u8> {
    opcode(kind).and_then(Opcode::dup_depth)
}

/// `n` of `SWAPn` for `n` up to 16.
pub(super) fn swap_depth(kind: ItemKind) -> Option<u8> {
    opcode(kind).and_then(Opcode::swap_depth)
}

/// The opcode of an item without operands of its own.
pub(super) fn opcode(kind: ItemKind) -> Option<Opcode> {
    if let ItemKind::Op(opcode) = kind { Some(opcode) } else { None }
}
