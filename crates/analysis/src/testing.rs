//! Functions with a given control-flow graph, for tests.

use cairn_evm::Word;
use cairn_ir::{Block, EntityRef, FuncBuilder, Function, Signature};

/// The block with this number.
pub(crate) fn block(index: usize) -> Block {
    Block::new(index)
}

/// A function whose block `i` has the successors `succs[i]`: none returns, one jumps, two branch,
/// more switch.
pub(crate) fn graph(succs: &[&[usize]]) -> Function {
    let mut func = Function::new("f", Signature::default());
    let blocks: Vec<Block> = succs.iter().map(|_| func.make_block()).collect();
    blocks.iter().for_each(|block| func.layout.append_block(*block));
    for (from, targets) in blocks.iter().zip(succs) {
        let mut builder = FuncBuilder::at(&mut func, *from);
        match **targets {
            [] => {
                builder.iret(&[]);
            }
            [to] => {
                builder.br(blocks[to], &[]);
            }
            [then, otherwise] => {
                let condition = builder.constant(Word::ONE);
                builder.cond_br(condition, blocks[then], blocks[otherwise]);
            }
            [ref cases @ .., default] => {
                let value = builder.constant(Word::ONE);
                let cases: Vec<_> =
                    cases.iter().enumerate().map(|(word, to)| (Word::from(word), blocks[*to])).collect();
                builder.switch(value, &cases, blocks[default]);
            }
        }
    }
    func
}
