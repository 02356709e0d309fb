//! The blocks of a program that cannot be lifted as a whole, each as a function of its own.
//!
//! Such a function takes the words that its block looks at, the topmost first, and gives all words that the
//! block leaves above the rest of the stack, from the lowest up; where it halts it gives nothing. A jump
//! at its end is left out: where it goes to and its condition are the topmost words. Contract: there is
//! a function for each block that control reaches, whatever the program; instructions have places as in
//! [`crate::lift_with_places`]. Linear.

use crate::function::{FunctionLift, Shared};
use crate::own_code::OwnCode;
use cairn_bytecode::contexts::ExitShape;
use cairn_bytecode::{Analysis, BlockEnd, BlockId, ContextProcedure, Contexts};
use cairn_ir::{Func, Function, MemoryModel, Module, Signature, Type};

/// A module of blocks. It has no entry.
#[derive(Clone, Debug)]
pub struct LooseBlocks {
    /// The functions.
    pub module: Module,
    /// Which block each of them is, in the order of the code.
    pub blocks: Vec<(BlockId, Func)>,
}

/// Lifts each block that control reaches.
pub fn lift_blocks(analysis: &Analysis<'_>) -> LooseBlocks {
    let reached = (0..analysis.blocks.len() as BlockId).filter(|block| analysis.is_reached(*block));
    let mut module = Module::new("blocks");
    module.memory = MemoryModel::NoFrame;
    let mut own_code = OwnCode::new(analysis.code, "blocks", analysis.role);
    let mut blocks = Vec::new();
    for id in reached {
        let block = *analysis.blocks.get(id);
        // The operands of a jump are left.
        let left = match block.ends {
            BlockEnd::Jump => 1,
            BlockEnd::JumpI => 2,
            _ => 0,
        };
        let gives = block.needs.saturating_add_signed(block.net) + left;
        let words = |count: u32| vec![Type::U256; count as usize];
        let signature = Signature { params: words(block.needs), results: words(gives) };
        let exit = Some(ExitShape { address: 0, takes: block.needs, gives });
        let procedure = ContextProcedure { contexts: Vec::new(), params: block.needs, exit };
        let contexts = Contexts { list: Vec::new(), procedures: vec![procedure] };
        let body = Function::new(format!("b_{:x}", block.start), signature);
        let Module { symbols, debug, .. } = &mut module;
        let shared = Shared { own_code: &mut own_code, symbols, places: Some(debug) };
        let mut lift = FunctionLift::new(analysis, &contexts, 0, body, &[], shared);
        lift.lift_alone(block);
        let func = lift.finish();
        blocks.push((id, module.funcs.push(func)));
    }
    module.data = own_code.into_data();
    LooseBlocks { module, blocks }
}
