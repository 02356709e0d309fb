//! Orders blocks.
//!
//! Establishes: blocks stand in reverse postorder, so that the text is deterministic and every
//! block but a loop header follows its predecessors.
//!
//! Cost: linear in blocks and edges.

use crate::cx::{Cx, Place};
use crate::graph::reverse_postorder;
use cairn_ir::Function;

/// Puts the blocks into reverse postorder. All of them are reachable.
pub(crate) fn order_blocks(func: &mut Function, cx: &mut Cx<'_>) {
    let order = reverse_postorder(func);
    if func.layout.blocks().eq(order.iter().copied()) {
        return;
    }
    assert_eq!(func.layout.blocks().count(), order.len(), "unreachable blocks in @{}", func.name);
    for block in &order {
        func.layout.remove_block(*block);
        func.layout.append_block(*block);
    }
    cx.changed(func, Place::Function, || {
        "blocks were put into reverse postorder: the order they were written in has no influence".to_owned()
    });
}
