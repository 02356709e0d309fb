//! Values live into and out of each block.
//!
//! A value is live into a block if a path from its start uses the value before redefining it (in
//! SSA: before leaving the part of the function it dominates), and live out of a block if it is
//! live into a successor. Arguments of an edge are uses by the terminator. A block's own
//! parameters are defined at its start: they are not live into it.
//!
//! Computed one value at a time by walking from its uses up to its definition (Boissinot et al.,
//! 2011), so the time is that of writing the answer, and the sets come out sorted.

use crate::cfg::Cfg;
use crate::value_set::ValueSet;
use cairn_ir::{Block, EntityRef, Function, Value, ValueDef};

/// Live sets of the reachable blocks of a function.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    live_in: Vec<ValueSet>,
    live_out: Vec<ValueSet>,
}

impl Liveness {
    /// Live sets of all values.
    pub fn compute(func: &Function, cfg: &Cfg) -> Liveness {
        Liveness::compute_where(func, cfg, |_| true)
    }

    /// Live sets of the values that `is_tracked` accepts: a caller that computes constants anew
    /// wherever they are used leaves them out.
    pub fn compute_where(func: &Function, cfg: &Cfg, is_tracked: impl Fn(Value) -> bool) -> Liveness {
        let mut live_in = vec![ValueSet::default(); func.num_blocks()];
        let mut live_out = live_in.clone();
        if cfg.rpo().len() <= 1 {
            // Nothing is live between blocks.
            return Liveness { live_in, live_out };
        }
        let mut work: Vec<Block> = Vec::new();
        for (value, use_blocks) in upward_exposed_uses(func, cfg).groups() {
            if !is_tracked(value) {
                continue;
            }
            let home = defining_block(func, value);
            work.extend(use_blocks);
            while let Some(block) = work.pop() {
                if Some(block) == home || !live_in[block.index()].insert(value) {
                    continue;
                }
                for pred in cfg.preds(block) {
                    live_out[pred.index()].insert(value);
                    work.push(*pred);
                }
            }
        }
        Liveness { live_in, live_out }
    }

    /// Values live at the start of a block, its own parameters left out. Empty if unreachable.
    pub fn live_in(&self, block: Block) -> &ValueSet {
        &self.live_in[block.index()]
    }

    /// Values live into a successor of the block. Empty if unreachable.
    pub fn live_out(&self, block: Block) -> &ValueSet {
        &self.live_out[block.index()]
    }
}

/// The block in which a value is defined, if it still is in one.
pub fn defining_block(func: &Function, value: Value) -> Option<Block> {
    match func.dfg.def(value) {
        ValueDef::Result(inst, _) => func.layout.inst_block(inst),
        ValueDef::Param(block, _) => Some(block),
    }
}

/// Blocks that use a value defined elsewhere, grouped by value.
struct UseBlocks {
    starts: Vec<u32>,
    blocks: Vec<Block>,
}

impl UseBlocks {
    fn groups(&self) -> impl Iterator<Item = (Value, &[Block])> {
        let ranges = self.starts.windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
        ranges
            .enumerate()
            .filter(|(_, range)| !range.is_empty())
            .map(|(index, range)| (Value::new(index), &self.blocks[range]))
    }
}

fn upward_exposed_uses(func: &Function, cfg: &Cfg) -> UseBlocks {
    let mut last_block: Vec<u32> = vec![u32::MAX; func.dfg.num_values()];
    let mut uses: Vec<(Value, Block)> = Vec::new();
    for block in cfg.rpo() {
        for inst in func.layout.insts(*block) {
            func.dfg.for_each_use(inst, |value| {
                let is_new =
                    std::mem::replace(&mut last_block[value.index()], block.as_u32()) != block.as_u32();
                if is_new && defining_block(func, value) != Some(*block) {
                    uses.push((value, *block));
                }
            });
        }
    }
    let mut starts = vec![0u32; func.dfg.num_values() + 1];
    uses.iter().for_each(|(value, _)| starts[value.index() + 1] += 1);
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut next = starts.clone();
    let mut blocks = vec![Block::from_u32(0); uses.len()];
    for (value, block) in uses {
        blocks[next[value.index()] as usize] = block;
        next[value.index()] += 1;
    }
    UseBlocks { starts, blocks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::block;
    use cairn_evm::{Opcode, Word};
    use cairn_ir::{FuncBuilder, Signature, Type};

    /// `x` defined in 0, used in 3 through both arms; `y` an edge argument into 3's parameter.
    #[test]
    fn diamond_with_edge_argument() {
        let mut func = Function::new("f", Signature::default());
        let blocks: Vec<Block> = (0..4).map(|_| func.make_block()).collect();
        blocks.iter().for_each(|block| func.layout.append_block(*block));
        let param = func.dfg.append_param(blocks[3], Type::U256);
        let mut b = FuncBuilder::at(&mut func, blocks[0]);
        let x = b.evm_value(Opcode::CALLER, &[]);
        let y = b.evm_value(Opcode::CALLVALUE, &[]);
        b.cond_br(x, blocks[1], blocks[2]);
        b.switch_to(blocks[1]);
        b.br(blocks[3], &[y]);
        b.switch_to(blocks[2]);
        let five = b.constant(Word::from(5));
        b.br(blocks[3], &[five]);
        b.switch_to(blocks[3]);
        b.evm(Opcode::SSTORE, &[x, param]);
        b.iret(&[]);

        let cfg = Cfg::compute(&func);
        let live = Liveness::compute(&func, &cfg);
        let members = |set: &ValueSet| set.iter().collect::<Vec<_>>();
        assert_eq!(members(live.live_in(block(0))), []);
        assert_eq!(members(live.live_out(block(0))), [x, y]);
        assert_eq!(members(live.live_in(block(1))), [x, y]);
        assert_eq!(members(live.live_out(block(1))), [x]);
        assert_eq!(members(live.live_in(block(2))), [x]);
        assert_eq!(members(live.live_in(block(3))), [x]);
        assert_eq!(members(live.live_out(block(3))), []);

        let without_x = Liveness::compute_where(&func, &cfg, |value| value != x);
        assert_eq!(members(without_x.live_in(block(1))), [y]);
    }

    #[test]
    fn a_value_used_in_a_loop_is_live_around_it() {
        let mut func = Function::new("f", Signature::default());
        let blocks: Vec<Block> = (0..4).map(|_| func.make_block()).collect();
        blocks.iter().for_each(|block| func.layout.append_block(*block));
        let counter = func.dfg.append_param(blocks[1], Type::U256);
        let mut b = FuncBuilder::at(&mut func, blocks[0]);
        let bound = b.evm_value(Opcode::CALLDATASIZE, &[]);
        b.br(blocks[1], &[bound]);
        b.switch_to(blocks[1]);
        let test = b.evm_value(Opcode::LT, &[counter, bound]);
        b.cond_br(test, blocks[2], blocks[3]);
        b.switch_to(blocks[2]);
        let next = b.evm_value(Opcode::ADD, &[counter, counter]);
        b.br(blocks[1], &[next]);
        b.switch_to(blocks[3]);
        b.iret(&[]);

        let cfg = Cfg::compute(&func);
        let live = Liveness::compute(&func, &cfg);
        let members = |set: &ValueSet| set.iter().collect::<Vec<_>>();
        assert_eq!(members(live.live_in(blocks[1])), [bound]);
        assert_eq!(members(live.live_in(blocks[2])), [counter, bound]);
        assert_eq!(members(live.live_out(blocks[2])), [bound]);
        assert_eq!(members(live.live_in(blocks[3])), []);
    }
}
