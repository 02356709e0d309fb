//! Edits that several passes make.

use cairn_analysis::Cfg;
use cairn_analysis::cfg::reachable_blocks;
use cairn_evm::Word;
use cairn_ir::{Block, Cursor, EntityRef, Function, Inst, Op, Payload, SecondaryMap, Type, Value};
use cranelift_entity::packed_option::PackedOption;

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

/// An instruction like another of one result, not in a block yet, and without a location.
pub(crate) fn copy_inst(func: &mut Function, like: Inst) -> Inst {
    let (op, payload) = (func.dfg.op(like), func.dfg.inst(like).payload);
    let args = func.dfg.args(like).to_vec();
    let ty = func.dfg.ty(func.dfg.result(like));
    let copy = func.dfg.make_inst(op, &args, payload);
    func.dfg.append_result(copy, ty);
    copy
}

/// The result of an instruction like another, made right before an instruction and for it.
pub(crate) fn copy_before(func: &mut Function, like: Inst, place: Inst) -> Value {
    let copy = copy_inst(func, like);
    func.dfg.inst_mut(copy).loc = func.dfg.inst(place).loc;
    func.layout.insert_inst_before(copy, place);
    func.dfg.result(copy)
}

/// Replacements of values.
pub(crate) type Renaming = SecondaryMap<Value, PackedOption<Value>>;

/// Puts replacements in the place of values, wherever they are used.
pub(crate) fn rename_everywhere(func: &mut Function, renaming: &Renaming) {
    let Function { dfg, layout, .. } = func;
    for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
        dfg.map_uses(inst, |value| renaming[value].expand().unwrap_or(value));
    }
}

/// The same where replacements may have replacements: the last one is put there.
pub(crate) fn rename_through(func: &mut Function, renaming: &mut Renaming) {
    let Function { dfg, layout, .. } = func;
    for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
        dfg.map_uses(inst, |value| last_name(renaming, value));
    }
}

/// What stands for a value in the end where replacements have replacements. The way there is shortened: a row of
/// calls that each pass on what the last one returned makes it as long as the row.
fn last_name(renaming: &mut Renaming, value: Value) -> Value {
    let mut last = value;
    while let Some(next) = renaming[last].expand() {
        last = next;
    }
    let mut passed = value;
    while let Some(next) = renaming[passed].expand() {
        renaming[passed] = last.into();
        passed = next;
    }
    last
}

/// Puts a block on the only edge from a block to another.
pub(crate) fn split_edge(func: &mut Function, from: Block, to: Block) {
    let Some(branch) = func.terminator(from) else { return };
    let between = func.make_block();
    func.layout.insert_block_after(between, from);
    let mut passed = Vec::new();
    func.dfg.map_targets(branch, |block, args| {
        if block == to {
            passed = args.to_vec();
            (between, Vec::new())
        } else {
            (block, args.to_vec())
        }
    });
    let loc = func.dfg.inst(branch).loc.expand();
    let mut cursor = Cursor::at_end(func, between);
    cursor.set_loc(loc);
    cursor.br(to, &passed);
}

/// Appends each block to the only block that leads to it, where that one only leads to it.
pub(crate) fn append_successors(func: &mut Function) -> bool {
    let jumps = |block| func.terminator(block).is_some_and(|inst| func.dfg.op(inst) == Op::Br);
    if !func.layout.blocks().any(jumps) {
        return false;
    }
    let cfg = Cfg::compute(func);
    let mut renaming = Renaming::new();
    let mut changed = false;
    let entry = func.layout.entry();
    for block in cfg.rpo().iter().copied() {
        // Blocks that were appended to another are gone from the layout.
        while let Some(inst) = func.terminator(block).filter(|_| func.layout.is_block_inserted(block)) {
            let Payload::Jump(call) = func.dfg.inst(inst).payload else {
                break;
            };
            let next = call.block;
            if next == block || next == entry || cfg.preds(next).len() != 1 {
                break;
            }
            for (param, arg) in func.dfg.params(next).iter().zip(func.dfg.call_args(&call)) {
                renaming[*param] = renaming[*arg].expand().unwrap_or(*arg).into();
            }
            func.dfg.retain_params(next, |_, _| false);
            func.layout.remove_inst(inst);
            if let Some(first) = func.layout.first_inst(next) {
                func.layout.split_block(first, block);
            }
            func.layout.remove_block(next);
            changed = true;
        }
    }
    if changed {
        rename_everywhere(func, &renaming);
    }
    changed
}
