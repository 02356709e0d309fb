//! Edits that several passes make.

use cairn_analysis::cfg::reachable_blocks;
use cairn_evm::Word;
use cairn_ir::{Block, EntityRef, Function, Inst, Type, Value};

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

/// A constant, made right before an instruction.
pub(crate) fn constant_before(func: &mut Function, place: Inst, word: Word) -> Value {
    let inst = func.make_constant(word, Type::U256);
    func.layout.insert_inst_before(inst, place);
    func.dfg.result(inst)
}
