//! Turns slots back into SSA values: the inverse of the legalizer's last step.
//!
//! An `alloca` of one word that is only loaded and stored whole becomes a variable; merges get
//! block parameters. Blocks that are never reached keep their instructions.

use crate::allocas::{Allocas, Escape};
use cairn_evm::Opcode;
use cairn_ir::ssa_builder::{SsaBuilder, Variable};
use cairn_ir::{Block, Function, Inst, Op, SecondaryMap, Type, Value};
use cranelift_entity::EntitySet;
use cranelift_entity::packed_option::PackedOption;

/// Promotes all slots of a prepared function.
pub fn promote_slots(func: &mut Function) {
    let allocas = Allocas::of(func);
    let mut ssa = SsaBuilder::new();
    let mut variables: SecondaryMap<Inst, Option<Variable>> = SecondaryMap::new();
    let order = reverse_postorder(func);
    let insts: Vec<Inst> = order.iter().flat_map(|block| func.layout.insts(*block)).collect();
    for inst in insts {
        if func.dfg.op(inst) == Op::Alloca && allocas.escape(inst) == Escape::Slot {
            variables[inst] = Some(ssa.declare(Type::U256));
        }
    }
    let mut missing: SecondaryMap<Block, u32> = SecondaryMap::new();
    for block in &order {
        func.for_each_successor(*block, |next| missing[next] += 1);
    }
    let mut sealed = EntitySet::new();
    let mut alias: SecondaryMap<Value, PackedOption<Value>> = SecondaryMap::new();
    for block in &order {
        if missing[*block] == 0 && sealed.insert(*block) {
            ssa.seal_block(func, *block);
        }
        let insts: Vec<Inst> = func.layout.insts(*block).collect();
        for inst in insts {
            func.dfg.map_uses(inst, |value| alias[value].expand().unwrap_or(value));
            promote_access(func, &mut ssa, &variables, &mut alias, *block, inst);
        }
        if let Some(last) = func.terminator(*block) {
            ssa.add_edges(func, last);
        }
        func.for_each_successor(*block, |next| missing[next] -= 1);
    }
    for block in &order {
        if sealed.insert(*block) {
            ssa.seal_block(func, *block);
        }
    }
    ssa.finish(func);
}

fn promote_access(
    func: &mut Function,
    ssa: &mut SsaBuilder,
    variables: &SecondaryMap<Inst, Option<Variable>>,
    alias: &mut SecondaryMap<Value, PackedOption<Value>>,
    block: Block,
    inst: Inst,
) {
    let variable = |func: &Function, address: Value| variables[func.dfg.def_inst(address)?];
    match func.dfg.op(inst) {
        Op::Evm(Opcode::MLOAD) => {
            if let Some(var) = variable(func, func.dfg.args(inst)[0]) {
                let value = ssa.use_var(func, var, block);
                alias[func.dfg.result(inst)] = value.into();
                func.layout.remove_inst(inst);
            }
        }
        Op::Evm(Opcode::MSTORE) => {
            if let Some(var) = variable(func, func.dfg.args(inst)[0]) {
                ssa.def(var, block, func.dfg.args(inst)[1]);
                func.layout.remove_inst(inst);
            }
        }
        Op::Alloca if variables[inst].is_some() => func.layout.remove_inst(inst),
        _ => {}
    }
}

fn reverse_postorder(func: &Function) -> Vec<Block> {
    let mut seen = EntitySet::new();
    let mut order = Vec::new();
    let mut path: Vec<(Block, Vec<Block>)> = Vec::new();
    let successors = |block: Block| {
        let mut next = Vec::new();
        func.for_each_successor(block, |target| next.push(target));
        (block, next)
    };
    seen.insert(func.layout.entry());
    path.push(successors(func.layout.entry()));
    while let Some((block, next)) = path.last_mut() {
        match next.pop() {
            Some(target) if seen.insert(target) => path.push(successors(target)),
            Some(_) => {}
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}
