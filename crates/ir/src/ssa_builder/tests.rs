//! Small graphs, and the parameters that they get.

use super::*;
use crate::builder::FuncBuilder;
use crate::function::Signature;
use cairn_evm::Opcode;

/// A function with `count` blocks in the layout.
fn blocks(count: usize) -> (Function, Vec<Block>) {
    let mut func = Function::new("f", Signature::default());
    let blocks: Vec<Block> = (0..count).map(|_| func.make_block()).collect();
    blocks.iter().for_each(|block| func.layout.append_block(*block));
    (func, blocks)
}

fn constant(func: &mut Function, block: Block, word: u64) -> Value {
    FuncBuilder::at(func, block).constant(Word::from(word))
}

fn jump(ssa: &mut SsaBuilder, func: &mut Function, from: Block, to: Block) {
    let inst = FuncBuilder::at(func, from).br(to, &[]);
    ssa.add_edges(func, inst);
}

fn branch(ssa: &mut SsaBuilder, func: &mut Function, from: Block, to: [Block; 2]) {
    let condition = constant(func, from, 1);
    let inst = FuncBuilder::at(func, from).cond_br(condition, to[0], to[1]);
    ssa.add_edges(func, inst);
}

/// Uses a value; the instruction, whose operand shows what became of it.
fn sink(func: &mut Function, block: Block, value: Value) -> Inst {
    FuncBuilder::at(func, block).push(Op::PtrToInt, &[value], Payload::None, &[])
}

fn edge_args(func: &Function, from: Block, target: usize) -> Vec<Value> {
    let inst = func.terminator(from).expect("a terminator");
    let mut all = Vec::new();
    func.dfg.for_each_target(inst, |call| all.push(func.dfg.call_args(call).to_vec()));
    all.swap_remove(target)
}

#[test]
fn a_merge_of_two_values_gets_a_parameter() {
    let (mut func, b) = blocks(4);
    let mut ssa = SsaBuilder::new();
    let x = ssa.declare(Type::Bool);
    ssa.seal_block(&mut func, b[0]);
    branch(&mut ssa, &mut func, b[0], [b[1], b[2]]);
    let values = [b[1], b[2]].map(|block| {
        ssa.seal_block(&mut func, block);
        let value = constant(&mut func, block, 7);
        ssa.def(x, block, value);
        jump(&mut ssa, &mut func, block, b[3]);
        value
    });
    ssa.seal_block(&mut func, b[3]);
    let merged = ssa.use_var(&mut func, x, b[3]);
    let user = sink(&mut func, b[3], merged);
    ssa.finish(&mut func);
    assert_eq!(func.dfg.params(b[3]), [merged]);
    assert_eq!(func.dfg.args(user), [merged]);
    assert_eq!(func.dfg.ty(merged), Type::Bool);
    assert_eq!(edge_args(&func, b[1], 0), [values[0]]);
    assert_eq!(edge_args(&func, b[2], 0), [values[1]]);
}

#[test]
fn a_variable_unchanged_in_a_loop_gets_none() {
    let (mut func, b) = blocks(4);
    let mut ssa = SsaBuilder::new();
    let x = ssa.declare(Type::U256);
    ssa.seal_block(&mut func, b[0]);
    let value = constant(&mut func, b[0], 7);
    ssa.def(x, b[0], value);
    jump(&mut ssa, &mut func, b[0], b[1]);
    branch(&mut ssa, &mut func, b[1], [b[2], b[3]]);
    ssa.seal_block(&mut func, b[2]);
    let seen = ssa.use_var(&mut func, x, b[2]);
    let user = sink(&mut func, b[2], seen);
    jump(&mut ssa, &mut func, b[2], b[1]);
    ssa.seal_block(&mut func, b[1]);
    ssa.seal_block(&mut func, b[3]);
    ssa.finish(&mut func);
    assert_eq!(func.dfg.params(b[1]), []);
    assert_eq!(func.dfg.args(user), [value]);
}

#[test]
fn a_parameter_without_users_disappears_with_its_cycle() {
    let (mut func, b) = blocks(3);
    let mut ssa = SsaBuilder::new();
    let [x, y] = [Type::U256, Type::U256].map(|ty| ssa.declare(ty));
    ssa.seal_block(&mut func, b[0]);
    let value = constant(&mut func, b[0], 7);
    ssa.def(x, b[0], value);
    jump(&mut ssa, &mut func, b[0], b[1]);
    let [old_x, _] = [x, y].map(|var| ssa.use_var(&mut func, var, b[1]));
    let next = FuncBuilder::at(&mut func, b[1]).evm_value(Opcode::NOT, &[old_x]);
    ssa.def(x, b[1], next);
    ssa.def(y, b[1], next);
    branch(&mut ssa, &mut func, b[1], [b[1], b[2]]);
    ssa.seal_block(&mut func, b[1]);
    ssa.seal_block(&mut func, b[2]);
    ssa.finish(&mut func);
    assert_eq!(func.dfg.params(b[1]), [old_x]);
    assert_eq!(edge_args(&func, b[0], 0), [value]);
    assert_eq!(edge_args(&func, b[1], 0), [next]);
    assert_eq!(edge_args(&func, b[1], 1), []);
}

#[test]
fn a_variable_without_definition_is_zero() {
    let (mut func, b) = blocks(2);
    let mut ssa = SsaBuilder::new();
    let (x, p) = (ssa.declare(Type::U256), ssa.declare(Type::MEMORY));
    ssa.seal_block(&mut func, b[0]);
    jump(&mut ssa, &mut func, b[0], b[1]);
    ssa.seal_block(&mut func, b[1]);
    let [zero, null] = [x, p].map(|var| ssa.use_var(&mut func, var, b[1]));
    assert_eq!(func.dfg.as_const(zero), Some(Word::ZERO));
    assert_eq!(func.dfg.ty(null), Type::MEMORY);
    ssa.finish(&mut func);
    assert_eq!(
        func.layout.first_inst(b[0]),
        func.dfg.def_inst(func.dfg.args(func.dfg.def_inst(null).expect("a cast"))[0])
    );
}

#[test]
fn a_chain_of_trivial_parameters_collapses() {
    // Nested loops that never assign: each header's parameter depends on the next one's.
    let depth = 2_000;
    let (mut func, b) = blocks(depth + 2);
    let mut ssa = SsaBuilder::new();
    let x = ssa.declare(Type::U256);
    ssa.seal_block(&mut func, b[0]);
    let value = constant(&mut func, b[0], 7);
    ssa.def(x, b[0], value);
    for level in 0..=depth {
        jump(&mut ssa, &mut func, b[level], b[level + 1]);
    }
    let seen = ssa.use_var(&mut func, x, b[depth + 1]);
    let user = sink(&mut func, b[depth + 1], seen);
    let targets: Vec<(Word, Block)> = (1..=depth).map(|n| (Word::from(n), b[n])).collect();
    let inst = FuncBuilder::at(&mut func, b[depth + 1]).switch(value, &targets, b[1]);
    ssa.add_edges(&func, inst);
    (1..=depth + 1).for_each(|level| ssa.seal_block(&mut func, b[level]));
    ssa.finish(&mut func);
    assert_eq!(func.dfg.args(user), [value]);
    assert!(b.iter().all(|block| func.dfg.params(*block).is_empty()));
}

#[test]
fn both_edges_of_a_branch_to_one_block_get_arguments() {
    let (mut func, b) = blocks(3);
    let mut ssa = SsaBuilder::new();
    let x = ssa.declare(Type::U256);
    ssa.seal_block(&mut func, b[0]);
    branch(&mut ssa, &mut func, b[0], [b[1], b[2]]);
    ssa.seal_block(&mut func, b[1]);
    let value = constant(&mut func, b[1], 7);
    ssa.def(x, b[1], value);
    branch(&mut ssa, &mut func, b[1], [b[2], b[2]]);
    ssa.seal_block(&mut func, b[2]);
    let merged = ssa.use_var(&mut func, x, b[2]);
    sink(&mut func, b[2], merged);
    ssa.finish(&mut func);
    assert_eq!(edge_args(&func, b[1], 0), [value]);
    assert_eq!(edge_args(&func, b[1], 1), [value]);
    assert_eq!(edge_args(&func, b[0], 0), []);
    assert_eq!(edge_args(&func, b[0], 1).len(), 1);
}
