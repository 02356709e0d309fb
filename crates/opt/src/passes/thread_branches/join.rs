//! Values that have several definitions become slots, and these block parameters.

use super::detour::Detour;
use cairn_analysis::liveness::defining_block;
use cairn_evm::Opcode;
use cairn_ir::{Block, Function, Inst, Op, Payload, SecondaryMap, Type, Value, ValueDef, promote_slots};
use cranelift_entity::packed_option::PackedOption;

/// Makes each use of what a crossing defines find the definition on its way: the crossing's or a copy's.
/// Removes crossings that no edge leads to any more.
pub(super) fn join_definitions(func: &mut Function, detours: &[Detour]) {
    let mut slots: SecondaryMap<Value, PackedOption<Value>> = SecondaryMap::new();
    for detour in detours {
        for (value, copied) in &detour.values {
            let slot = slots[*value].expand().unwrap_or_else(|| {
                let slot = make_slot(func);
                store_definition(func, *value, slot);
                slots[*value] = slot.into();
                slot
            });
            let end = func.terminator(detour.block).expect("invariant: a detour ends in a jump");
            store(func, *copied, slot, end);
        }
    }
    load_uses(func, &slots);
    crate::edit::remove_unreachable_blocks(func);
    promote_slots(func);
}

/// A word of memory that only loads and stores use.
fn make_slot(func: &mut Function) -> Value {
    let inst = func.dfg.make_inst(Op::Alloca, &[], Payload::Number(32));
    let slot = func.dfg.append_result(inst, Type::MEMORY);
    let entry = func.layout.entry();
    func.layout.prepend_inst(inst, entry);
    slot
}

/// Keeps a value where it is defined.
fn store_definition(func: &mut Function, value: Value, slot: Value) {
    let next = match func.dfg.def(value) {
        ValueDef::Param(block, _) => func.layout.first_inst(block),
        ValueDef::Result(inst, _) => func.layout.next_inst(inst),
    };
    store(func, value, slot, next.expect("invariant: a terminator ends the block"));
}

fn store(func: &mut Function, value: Value, slot: Value, before: Inst) {
    let inst = func.dfg.make_inst(Op::Evm(Opcode::MSTORE), &[slot, value], Payload::None);
    func.layout.insert_inst_before(inst, before);
}

/// Loads the values that have slots in the blocks that use them and are not their own.
fn load_uses(func: &mut Function, slots: &SecondaryMap<Value, PackedOption<Value>>) {
    let blocks: Vec<Block> = func.layout.blocks().collect();
    for block in blocks {
        let mut loaded: Vec<(Value, Value)> = Vec::new();
        let mut next = func.layout.first_inst(block);
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            let mut wanted: Vec<Value> = Vec::new();
            func.dfg.for_each_use(inst, |value| {
                if slots[value].is_some() && defining_block(func, value) != Some(block) {
                    wanted.push(value);
                }
            });
            for value in &wanted {
                if !loaded.iter().any(|(known, _)| known == value) {
                    let slot = slots[*value].expect("invariant: only those are wanted");
                    loaded.push((*value, load(func, *value, slot, inst)));
                }
            }
            if !wanted.is_empty() {
                let new = |value| loaded.iter().find(|(known, _)| *known == value).map(|(_, load)| *load);
                func.dfg.map_uses(inst, |value| new(value).unwrap_or(value));
            }
        }
    }
}

fn load(func: &mut Function, value: Value, slot: Value, before: Inst) -> Value {
    let inst = func.dfg.make_inst(Op::Evm(Opcode::MLOAD), &[slot], Payload::None);
    let loaded = func.dfg.append_result(inst, func.dfg.ty(value));
    func.layout.insert_inst_before(inst, before);
    loaded
}
