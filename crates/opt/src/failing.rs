//! Blocks that only fail, moved into a function of their own.

use crate::edit::remove_unreachable_blocks;
use crate::transplant::Transplant;
use cairn_analysis::liveness::defining_block;
use cairn_analysis::{Cfg, Dominators};
use cairn_ir::{Block, Family, Func, FuncAttrs, Function, Inst, Module, Op, Payload, Signature, Value};
use std::collections::BTreeSet;

/// Words that are passed to what is moved.
pub(crate) const MAX_PARAMS: usize = 4;
/// Blocks that are moved at once.
const MAX_BLOCKS: usize = 64;

/// A block, and all that it leads to.
pub(crate) struct Region {
    pub(crate) start: Block,
    /// All of them, the start first.
    pub(crate) blocks: Vec<Block>,
    /// What they use of other blocks, without constants, in the order of its first use.
    params: Vec<Value>,
    /// Constants of other blocks that they use.
    constants: Vec<Value>,
}

impl Region {
    /// All that a block leads to, if only it leads there, nothing leads back to it, and it is not too much.
    pub(crate) fn at(func: &Function, cfg: &Cfg, dominators: &Dominators, start: Block) -> Option<Region> {
        let first = dominators.preorder().iter().position(|block| *block == start)?;
        let blocks = dominators.preorder()[first..dominators.subtree_end(start)?].to_vec();
        if blocks.len() > MAX_BLOCKS {
            return None;
        }
        let is_inside = |block: Block| dominators.dominates(start, block);
        let is_closed = |succ: &Block| *succ != start && is_inside(*succ);
        blocks
            .iter()
            .flat_map(|block| cfg.succs(*block))
            .all(is_closed)
            .then(|| Region::of(func, start, blocks))
    }

    /// A block that leads nowhere.
    pub(crate) fn end(func: &Function, block: Block) -> Region {
        Region::of(func, block, vec![block])
    }

    fn of(func: &Function, start: Block, blocks: Vec<Block>) -> Region {
        let (mut constants, mut params): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
        for inst in blocks.iter().flat_map(|block| func.layout.insts(*block)) {
            func.dfg.for_each_use(inst, |value| {
                let passed = if func.dfg.as_const(value).is_some() { &mut constants } else { &mut params };
                let is_inside = defining_block(func, value).is_some_and(|home| blocks.contains(&home));
                if !is_inside && !passed.contains(&value) {
                    passed.push(value);
                }
            });
        }
        Region { start, blocks, params, constants }
    }

    /// Words that a function for it takes: what its first block is passed, and what it uses of others.
    pub(crate) fn inputs(&self, func: &Function) -> Vec<Value> {
        func.dfg.params(self.start).iter().chain(&self.params).copied().collect()
    }

    /// What is moved, as a function; without marks for debuggers, which speak of where it was.
    pub(crate) fn as_function(&self, func: &Function, name: String) -> Function {
        let mut made = Function::new(name, Signature::default());
        made.span = func.span;
        let mut code = Transplant::new(func, &mut made);
        for block in &self.blocks {
            let copied = code.to.make_block();
            code.to.layout.append_block(copied);
            code.blocks[*block] = copied.into();
            code.make_params(*block, copied);
        }
        let start = code.block(self.start);
        for param in &self.params {
            code.values[*param] = code.to.dfg.append_param(start, func.dfg.ty(*param)).into();
        }
        for constant in &self.constants {
            let inst = func.dfg.def_inst(*constant).expect("invariant: a constant is made by an instruction");
            let made = code.make_inst(inst, None);
            code.to.layout.append_inst(made, start);
            code.fill_inst(inst, made);
        }
        let insts = self.blocks.iter().flat_map(|block| func.layout.insts(*block).map(|inst| (*block, inst)));
        let insts = insts.filter(|(_, inst)| func.dfg.op(*inst).family() != Family::Mark);
        let made_of = |(block, inst): (Block, Inst)| {
            let (copied, loc) = (code.block(block), func.dfg.inst(inst).loc.expand());
            let made = code.make_inst(inst, loc);
            code.to.layout.append_inst(made, copied);
            (inst, made)
        };
        let copies: Vec<(Inst, Inst)> = insts.map(made_of).collect();
        copies.into_iter().for_each(|(inst, made)| code.fill_inst(inst, made));
        made.attrs = FuncAttrs { norecurse: func.attrs.norecurse, ..FuncAttrs::default() };
        sign(&mut made);
        made
    }

    /// Calls that function instead, behind the constants that the region begins with; with more words behind
    /// those of the region.
    pub(crate) fn replace(&self, func: &mut Function, made: Func, more: &[Value]) {
        let is_first =
            |inst: &Inst| func.dfg.op(*inst) != Op::Constant && func.dfg.op(*inst).family() != Family::Mark;
        let first = func.layout.insts(self.start).find(is_first);
        let first = first.expect("invariant: a block has an end");
        let (loc, span) = (func.dfg.inst(first).loc, func.spans[first]);
        let mut args = self.inputs(func);
        args.extend_from_slice(more);
        let call = func.dfg.make_inst(Op::Icall, &args, Payload::Func(made));
        let end = func.dfg.make_inst(Op::Unreachable, &[], Payload::None);
        for inst in [call, end] {
            func.layout.insert_inst_before(inst, first);
            func.dfg.inst_mut(inst).loc = loc;
            func.spans[inst] = span;
        }
        cut_behind(func, end);
        remove_unreachable_blocks(func);
    }
}

/// Gives a function without results the signature that its parameters have.
pub(crate) fn sign(func: &mut Function) {
    let params = func.params().iter().map(|param| func.dfg.ty(*param)).collect();
    func.signature = Signature { params, results: Vec::new() };
}

/// Removes what stands in a block behind an instruction.
fn cut_behind(func: &mut Function, end: Inst) {
    while let Some(inst) = func.layout.next_inst(end) {
        func.layout.remove_inst(inst);
    }
}

/// Names of the functions of a module.
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    pub(crate) fn of(module: &Module) -> Names {
        Names(module.funcs.values().map(|func| func.name.clone()).collect())
    }

    /// A new name made of one.
    pub(crate) fn free(&mut self, of: &str, suffix: &str) -> String {
        let mut name = format!("{of}_{suffix}");
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}
