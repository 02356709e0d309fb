//! Edits that several passes make.

use cairn_analysis::Cfg;
use cairn_ir::{Block, Function};

/// Removes the blocks that control cannot reach; true if there were any.
pub(crate) fn remove_unreachable_blocks(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    let dead: Vec<Block> = func.layout.blocks().filter(|block| !cfg.is_reachable(*block)).collect();
    for block in &dead {
        while let Some(inst) = func.layout.last_inst(*block) {
            func.layout.remove_inst(inst);
        }
        func.layout.remove_block(*block);
    }
    !dead.is_empty()
}
