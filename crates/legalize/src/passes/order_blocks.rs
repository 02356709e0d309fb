//! Orders blocks.
//!
//! Establishes: blocks stand in reverse postorder, so that the text is deterministic and every
//! block but a loop header follows its predecessors.
//!
//! Cost: linear in blocks and edges.

use crate::context::{PassContext, Place};
use crate::graph::reverse_postorder;
use crate::pass::{Leaves, Pass, Property};
use cairn_ir::Function;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "order-blocks",
    summary: "blocks in reverse postorder",
    needs: &[Property::OneTerminator, Property::Reachable],
    gives: Property::Ordered,
    leaves: Leaves::Nothing,
    run: order_blocks,
};

/// Puts the blocks into reverse postorder. All of them are reachable.
fn order_blocks(func: &mut Function, cx: &mut PassContext<'_>) {
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
