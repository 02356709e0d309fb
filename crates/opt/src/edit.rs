//! Edits that several passes make.

use cairn_analysis::cfg::reachable_blocks;
use cairn_ir::{Block, EntityRef, Function};

/// Removes the blocks that control cannot reach; true if there were any.
pub(crate) fn remove_unreachable_blocks(func: &mut Function) -> bool {
    let is_reachable = reachable_blocks(func);
    let dead: Vec<Block> = func.layout.blocks().filter(|block| !is_reachable[block.index()]).collect();
    for block in &dead {
        while let Some(inst) = func.layout.last_inst(*block) {
            func.layout.remove_inst(inst);
        }
        func.layout.remove_block(*block);
    }
    !dead.is_empty()
}
