//! What items cost.

use crate::program::ItemKind;
use cairn_evm::{Cost, Fork};

/// The cost of an item; positions are taken to need two bytes.
pub(crate) fn item_cost(kind: ItemKind, fork: Fork) -> Cost {
    match kind {
        ItemKind::Op(opcode) => Cost::of_op(opcode, fork),
        ItemKind::OpImmediate(opcode, _) => Cost { bytes: 2, ..Cost::of_op(opcode, fork) },
        ItemKind::Push(word) => Cost::of_push(word, fork),
        ItemKind::PushSized(_, width) | ItemKind::PushImmutable(_, width) => {
            Cost::new(3, 1 + u64::from(width))
        }
        ItemKind::PushTable(_) => Cost { bytes: 33, ..Cost::PUSH_PLACE },
        ItemKind::PushLabel(_) | ItemKind::PushDataOffset(_) | ItemKind::PushDataSize(_) => Cost::PUSH_PLACE,
        ItemKind::Label(_) => Cost::JUMPDEST,
        ItemKind::PushLibrary(_) => Cost::PUSH_ADDRESS,
        ItemKind::AssignImmutable(_) | ItemKind::Verbatim { .. } => Cost::new(3, 8),
    }
}
