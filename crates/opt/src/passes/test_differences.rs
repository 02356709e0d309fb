//! `test-differences`: tests a difference that is there anyway in place of comparing what it is the difference of.
//!
//! ```text
//!   %next = evm.sub %left, %word                 %next = evm.sub %left, %word
//!   %last = evm.eq %left, %word             =>   evm.condbr %next, ^round(%next), ^done
//!   evm.condbr %last, ^done, ^round(%next)
//! ```
//!
//! A loop that counts down to zero tests the number that it goes on with; `simplify` makes a comparison with the
//! number before of it, which is cheaper where nothing else needs the difference. So, where the branch alone asks
//! whether two words are equal and their difference is computed before it in the block, whichever from whichever, or
//! the sum of one and the negative of the other that is constant: the branch tests that, with its targets exchanged.
//! The comparison goes with `dce`. A difference that is computed where only those go who found the words different
//! is computed before the branch: a counter that must not be the greatest word is tested one higher.
//!
//! Needs nothing. Preserves blocks and promotion. Cost: linear.

use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::Cfg;
use cairn_analysis::liveness::defining_block;
use cairn_evm::Opcode;
use cairn_ir::{Block, Function, Inst, Op, Payload, Value};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "test-differences",
    summary: "tests a difference that is there anyway in place of comparing",
    needs: &[],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, _: &mut PassContext<'_>) -> Changed {
    let blocks: Vec<Block> = func.layout.blocks().collect();
    let asked: Vec<(Block, Inst)> =
        blocks.into_iter().filter_map(|block| Some((block, compared_at_end(func, block)?))).collect();
    if asked.is_empty() {
        return Changed::No;
    }
    let (cfg, uses) = (Cfg::compute(func), func.count_uses());
    let mut changed = false;
    for (block, equality) in asked {
        let is_for_branch = uses[func.dfg.result(equality)] == 1;
        let Some(end) = func.terminator(block).filter(|_| is_for_branch) else { continue };
        let Payload::Branch([equal, different]) = func.dfg.inst(end).payload else { continue };
        let is_needed = |inst: &Inst| uses[func.dfg.result(*inst)] > 0;
        let here = difference(func, block, equality).filter(is_needed);
        let ahead = || {
            let is_alone = cfg.preds(different.block) == [block] && different.block != block;
            let found = difference(func, different.block, equality).filter(is_needed)?;
            (is_alone && is_computable(func, found, different.block)).then_some(found)
        };
        let Some(tested) = here.or_else(ahead) else { continue };
        if here.is_none() {
            func.layout.remove_inst(tested);
            func.layout.insert_inst_before(tested, end);
        }
        let value = func.dfg.result(tested);
        func.dfg.replace_inst(end, Op::CondBr, &[value], Payload::Branch([different, equal]));
        changed = true;
    }
    Changed::from(changed)
}

/// True if no operand of an instruction is computed in the block itself.
fn is_computable(func: &Function, inst: Inst, block: Block) -> bool {
    func.dfg.args(inst).iter().all(|arg| defining_block(func, *arg) != Some(block))
}

/// The comparison that the branch at the end of a block tests.
fn compared_at_end(func: &Function, block: Block) -> Option<Inst> {
    let end = func.terminator(block).filter(|end| func.dfg.op(*end) == Op::CondBr)?;
    let condition = func.dfg.def_inst(func.dfg.args(end)[0])?;
    (func.dfg.op(condition) == Op::Evm(Opcode::EQ)).then_some(condition)
}

/// What computes a word of a block that is zero exactly if the operands of a comparison are equal.
fn difference(func: &Function, block: Block, equality: Inst) -> Option<Inst> {
    let [a, b] = *func.dfg.args(equality) else { return None };
    let word = |value: Value| func.dfg.as_const(value);
    let is_same = |x: Value, y: Value| x == y || word(x).is_some_and(|x| word(y) == Some(x));
    let is_negative = |x: Value, y: Value| word(x).is_some_and(|x| word(y) == Some(x.wrapping_neg()));
    let is_difference = |inst: &Inst| {
        let [x, y] = *func.dfg.args(*inst) else { return false };
        let in_some_order = |fits: &dyn Fn(Value, Value) -> bool| {
            [(x, a, y, b), (x, b, y, a), (y, a, x, b), (y, b, x, a)]
                .into_iter()
                .any(|(one, first, other, second)| is_same(one, first) && fits(other, second))
        };
        match func.dfg.op(*inst) {
            Op::Evm(Opcode::SUB | Opcode::XOR) => in_some_order(&is_same),
            Op::Evm(Opcode::ADD) => in_some_order(&is_negative),
            _ => false,
        }
    };
    func.layout.insts(block).find(is_difference)
}
