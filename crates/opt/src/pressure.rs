//! How many values are live at once.
//!
//! Values that cost no more to compute than to copy (constants, `caller` and the like) are not
//! counted: nobody keeps them.

use cairn_analysis::{Cfg, Liveness};
use cairn_ir::{Block, EntityRef, Function, Inst, Op, Value};
use rustc_hash::FxHashMap;

/// Live values up to which one more is kept: the stack has room for it, and for what is computed with it.
pub(crate) const MAX_LIVE: u32 = 11;

/// Live values of a function and their greatest number in each block.
pub(crate) struct Pressure {
    /// Live sets of the values that count.
    pub(crate) live: Liveness,
    greatest: Vec<u32>,
    behind_calls: FxHashMap<Inst, u32>,
}

impl Pressure {
    /// Walks each block backwards from what is live out of it.
    pub(crate) fn compute(func: &Function, cfg: &Cfg) -> Pressure {
        let live = Liveness::compute_where(func, cfg, |value| counts(func, value));
        let mut greatest = vec![0; func.num_blocks()];
        let mut behind_calls = FxHashMap::default();
        let mut walk = Walk { is_live: vec![false; func.dfg.num_values()], touched: Vec::new(), n_live: 0 };
        for block in cfg.rpo() {
            walk.start(live.live_out(*block).iter());
            let mut most = walk.n_live;
            for inst in func.layout.insts_rev(*block) {
                walk.define(func, inst);
                if func.dfg.op(inst) == Op::Icall {
                    behind_calls.insert(inst, walk.n_live);
                }
                walk.use_operands(func, inst);
                most = most.max(walk.n_live);
            }
            greatest[block.index()] = most;
        }
        Pressure { live, greatest, behind_calls }
    }

    /// The greatest number of values live at once in a block.
    pub(crate) fn of_block(&self, block: Block) -> u32 {
        self.greatest[block.index()]
    }

    /// The greatest number of values live at once in the function.
    pub(crate) fn of_func(&self) -> u32 {
        self.greatest.iter().copied().max().unwrap_or(0)
    }

    /// Values live behind a call of an internal function, its results left out.
    pub(crate) fn behind_call(&self, call: Inst) -> u32 {
        self.behind_calls.get(&call).copied().unwrap_or(0)
    }
}

/// True for values that somebody has to keep.
pub(crate) fn counts(func: &Function, value: Value) -> bool {
    !func.dfg.def_inst(value).is_some_and(|inst| is_free(func, inst))
}

/// True for pure operations without operands. An `alloca` is a place, but its address is a
/// constant in the end.
fn is_free(func: &Function, inst: Inst) -> bool {
    let op = func.dfg.op(inst);
    op == Op::Alloca || (op.effects().is_pure() && op.inputs() == Some(0))
}

struct Walk {
    is_live: Vec<bool>,
    touched: Vec<Value>,
    n_live: u32,
}

impl Walk {
    fn start(&mut self, live_out: impl Iterator<Item = Value>) {
        self.touched.drain(..).for_each(|value| self.is_live[value.index()] = false);
        self.n_live = 0;
        live_out.for_each(|value| self.revive(value));
    }

    fn define(&mut self, func: &Function, inst: Inst) {
        func.dfg.results(inst).iter().for_each(|result| self.kill(*result));
    }

    fn use_operands(&mut self, func: &Function, inst: Inst) {
        func.dfg.for_each_use(inst, |value| {
            if counts(func, value) {
                self.revive(value);
            }
        });
    }

    fn kill(&mut self, value: Value) {
        if std::mem::replace(&mut self.is_live[value.index()], false) {
            self.n_live -= 1;
        }
    }

    fn revive(&mut self, value: Value) {
        if !std::mem::replace(&mut self.is_live[value.index()], true) {
            self.n_live += 1;
            self.touched.push(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parse;
    use cairn_ir::Func;

    #[test]
    fn counts_values_that_must_be_kept() {
        let module = parse(
            "module @m { func @f(%a : u256, %b : u256) -> u256 {
             ^e:
               %k = evm.constant 5 : u256
               %s = evm.add %a, %b : u256
               %t = evm.add %s, %a : u256
               %u = evm.icall @f(%t, %k) : u256
               evm.br ^next
             ^next:
               %v = evm.add %u, %b : u256
               evm.iret %v
             } }",
        );
        let func = &module.funcs[Func::from_u32(0)];
        let pressure = Pressure::compute(func, &Cfg::compute(func));
        let blocks: Vec<Block> = func.layout.blocks().collect();
        assert_eq!(pressure.of_block(blocks[0]), 3, "%s, %a and %b before %t");
        assert_eq!(pressure.of_block(blocks[1]), 2);
        assert_eq!(pressure.of_func(), 3);
        let call = func.layout.insts(blocks[0]).nth(3).expect("the call");
        assert_eq!(pressure.behind_call(call), 1, "%b");
    }
}
