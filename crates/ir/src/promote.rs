//! Turns slots into values: the inverse of phi elimination.
//!
//! A *slot* is an `alloca` of at most 32 bytes whose address is only ever the address operand of
//! `mload` and `mstore`. Loads become the value last stored (zero where there is none), merged by
//! block parameters; stores and the slot disappear. Parameters nobody uses are not made.
//!
//! Before: verified form, each block with one terminator at its end, nothing leads to the entry
//! block; functions that break this are left alone. After: verified form with block parameters.
//! Blocks and edges stay. Cost: see [`SsaBuilder`].

use crate::dfg::Payload;
use crate::function::Function;
use crate::ids::{Block, Inst, Value, sized};
use crate::op::{Family, Op};
use crate::ssa_builder::{SsaBuilder, Variable};
use crate::types::Type;
use cairn_evm::Opcode;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// What is known of an `alloca` that may be a slot.
#[derive(Clone, Default)]
struct Slot {
    /// False when it is none, or its address is used otherwise.
    is_slot: bool,
    /// Type of the loads.
    loaded: Option<Type>,
    stored: Vec<Type>,
    variable: PackedOption<Variable>,
}

/// Promotes every slot of a function; how many there were.
pub fn promote_slots(func: &mut Function) -> usize {
    // Most functions have no slots: one look at their operations is all they cost.
    if !func.has_alloca() {
        return 0;
    }
    let Some(order) = processing_order(func) else { return 0 };
    let mut ssa = SsaBuilder::new();
    let mut slots = find_slots(func);
    let mut allocas = Vec::new();
    for block in func.layout.blocks() {
        for inst in func.layout.insts(block).filter(|inst| func.dfg.op(*inst) == Op::Alloca) {
            let slot = &mut slots[func.dfg.result(inst)];
            if is_promotable(slot) {
                slot.variable = ssa.declare(slot.loaded.unwrap_or(Type::U256)).into();
                allocas.push(inst);
            }
        }
    }
    if allocas.is_empty() {
        return 0;
    }
    let variables = |value: Value| slots[value].variable.expand();
    rewrite(func, &mut ssa, &order, variables);
    for inst in &allocas {
        func.value_names.remove(&func.dfg.result(*inst));
        func.layout.remove_inst(*inst);
    }
    ssa.finish(func);
    allocas.len()
}

fn is_promotable(slot: &Slot) -> bool {
    let fits = |ty: Type| slot.stored.iter().all(|stored| stored.widens_to(ty));
    slot.is_slot && slot.loaded.is_none_or(fits)
}

/// Operations whose meaning depends on the type of an operand beyond its word: a promoted load may
/// be replaced by a value of a narrower type.
fn depends_on_operand_type(op: Op) -> bool {
    match op.family() {
        Family::Uniform | Family::Unary | Family::Rotate | Family::Count => true,
        Family::Select | Family::Float | Family::Parts => true,
        // Zero extension leaves the word as it is.
        Family::Cast => op != Op::Zext,
        Family::Opcode | Family::Push | Family::Pointer | Family::Access => false,
        Family::Call | Family::Terminator | Family::Mark => false,
    }
}

/// Finds the slots: allocas minus those with another use.
fn find_slots(func: &Function) -> SecondaryMap<Value, Slot> {
    let mut slots: SecondaryMap<Value, Slot> = sized(func.dfg.num_values());
    let insts = || func.layout.blocks().flat_map(|block| func.layout.insts(block));
    for inst in insts() {
        if let (Op::Alloca, Payload::Number(0..=32)) = (func.dfg.op(inst), func.dfg.inst(inst).payload) {
            slots[func.dfg.result(inst)].is_slot = true;
        }
    }
    for inst in insts() {
        note_uses(func, inst, &mut slots);
    }
    slots
}

fn note_uses(func: &Function, inst: Inst, slots: &mut SecondaryMap<Value, Slot>) {
    let (op, args) = (func.dfg.op(inst), func.dfg.args(inst));
    match op {
        Op::Evm(Opcode::MLOAD) if slots[args[0]].is_slot => {
            let (slot, ty) = (&mut slots[args[0]], func.dfg.ty(func.dfg.result(inst)));
            slot.is_slot = slot.loaded.is_none_or(|loaded| loaded == ty);
            slot.loaded = Some(ty);
        }
        Op::Evm(Opcode::MSTORE) if slots[args[0]].is_slot && args[0] != args[1] => {
            slots[args[0]].stored.push(func.dfg.ty(args[1]));
            note_other_use(func, args[1], op, slots);
        }
        _ => func.dfg.for_each_use(inst, |value| note_other_use(func, value, op, slots)),
    }
}

/// A use of a value other than as the address of a load or store.
fn note_other_use(func: &Function, value: Value, op: Op, slots: &mut SecondaryMap<Value, Slot>) {
    if slots[value].is_slot {
        slots[value].is_slot = false;
    }
    if !depends_on_operand_type(op) {
        return;
    }
    let Some(inst) = func.dfg.def_inst(value) else { return };
    if func.dfg.op(inst) == Op::Evm(Opcode::MLOAD) {
        slots[func.dfg.args(inst)[0]].is_slot = false;
    }
}

/// Reachable blocks in reverse postorder, then the others; `None` when the shape of the function
/// does not allow promotion.
fn processing_order(func: &Function) -> Option<Vec<Block>> {
    let entry = func.layout.first_block()?;
    for block in func.layout.blocks() {
        let last = func.layout.last_inst(block)?;
        let mut insts = func.layout.insts(block);
        if insts.any(|inst| func.dfg.op(inst).is_terminator() != (inst == last)) {
            return None;
        }
        let mut leads_to_entry = false;
        func.for_each_successor(block, |successor| leads_to_entry |= successor == entry);
        if leads_to_entry {
            return None;
        }
    }
    let mut is_seen: SecondaryMap<Block, bool> = sized(func.num_blocks());
    let mut order = Vec::with_capacity(func.num_blocks());
    let mut open = vec![(entry, successors(func, entry))];
    is_seen[entry] = true;
    while let Some((block, rest)) = open.last_mut() {
        match rest.pop() {
            Some(next) if !std::mem::replace(&mut is_seen[next], true) => {
                open.push((next, successors(func, next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order.extend(func.layout.blocks().filter(|block| !is_seen[*block]));
    Some(order)
}

fn successors(func: &Function, block: Block) -> SmallVec<[Block; 2]> {
    let mut successors = SmallVec::new();
    func.for_each_successor(block, |successor| successors.push(successor));
    successors
}

/// Replaces loads and stores of promoted slots.
fn rewrite(
    func: &mut Function,
    ssa: &mut SsaBuilder,
    order: &[Block],
    variable: impl Fn(Value) -> Option<Variable>,
) {
    let mut open_edges: SecondaryMap<Block, u32> = sized(func.num_blocks());
    for block in order {
        func.for_each_successor(*block, |successor| open_edges[successor] += 1);
    }
    for block in order {
        if open_edges[*block] == 0 && !ssa.is_sealed(*block) {
            ssa.seal_block(func, *block);
        }
        let mut next = func.layout.first_inst(*block);
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            rewrite_inst(func, ssa, *block, inst, &variable);
        }
        let terminator = func.terminator(*block).expect("invariant: the order has terminated blocks");
        ssa.add_edges(func, terminator);
        for successor in successors(func, *block) {
            open_edges[successor] -= 1;
            if open_edges[successor] == 0 {
                ssa.seal_block(func, successor);
            }
        }
    }
}

fn rewrite_inst(
    func: &mut Function,
    ssa: &mut SsaBuilder,
    block: Block,
    inst: Inst,
    variable: impl Fn(Value) -> Option<Variable>,
) {
    let args = func.dfg.args(inst);
    match func.dfg.op(inst) {
        Op::Evm(Opcode::MLOAD) => {
            let Some(var) = variable(args[0]) else { return };
            let value = ssa.use_var(func, var, block);
            let result = func.dfg.result(inst);
            if let Some(name) = func.value_names.remove(&result) {
                name_param(func, value, name);
            }
            ssa.replace(result, value);
        }
        Op::Evm(Opcode::MSTORE) => {
            let Some(var) = variable(args[0]) else { return };
            ssa.def(var, block, args[1]);
        }
        _ => return,
    }
    func.layout.remove_inst(inst);
}

/// A parameter without a name takes that of the load it replaces.
fn name_param(func: &mut Function, value: Value, name: Box<str>) {
    if func.dfg.def_inst(value).is_none() {
        func.value_names.entry(value).or_insert(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print};
    use crate::verify::{Form, verify};
    use cairn_diag::FileId;

    /// The body after promotion, which is verified before and after.
    fn promoted(body: &str) -> (usize, String) {
        let text = format!("module @M {{\n  func @__entry() {{\n{body}  }}\n}}\n");
        let mut module = parse(&text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}"));
        assert!(verify(&module, Form::Ssa).is_empty(), "{:?}", verify(&module, Form::Ssa));
        let func = module.funcs.values_mut().next().expect("one function");
        let count = promote_slots(func);
        assert!(verify(&module, Form::Ssa).is_empty(), "{:?}\n{module}", verify(&module, Form::Ssa));
        let text = print(&module);
        let body = text.lines().skip(2).map(|line| format!("{line}\n")).collect::<String>();
        (count, body.strip_suffix("  }\n}\n").expect("the end of the module").to_owned())
    }

    #[test]
    fn the_legalizers_example_backwards() {
        let before = "  ^entry:
    %slot = evm.alloca : ptr<0>
    %v1 = evm.constant 10 : u256
    %v2 = evm.constant 20 : u256
    evm.condbr %v1, ^a, ^b
  ^a:
    evm.mstore %slot, %v1
    evm.br ^merge
  ^b:
    evm.mstore %slot, %v2
    evm.br ^merge
  ^merge:
    %x = evm.mload %slot : u256
    evm.return %x, %x
";
        let after = "  ^entry:
    %v1 = evm.constant 10 : u256
    %v2 = evm.constant 20 : u256
    evm.condbr %v1, ^a, ^b
  ^a:
    evm.br ^merge(%v1)
  ^b:
    evm.br ^merge(%v2)
  ^merge(%x : u256):
    evm.return %x, %x
";
        assert_eq!(promoted(before), (1, after.to_owned()));
    }

    #[test]
    fn a_swap_in_a_loop() {
        let before = "  ^entry:
    %a = evm.alloca : ptr<0>
    %b = evm.alloca : ptr<0>
    %dead = evm.alloca : ptr<0>
    %one = evm.constant 1 : u256
    evm.mstore %a, %one
    evm.br ^loop
  ^loop:
    %x = evm.mload %a : u256
    %y = evm.mload %b : u256
    evm.mstore %a, %y
    evm.mstore %b, %x
    evm.mstore %dead, %x
    evm.condbr %x, ^loop, ^done
  ^done:
    %last = evm.mload %b : u256
    evm.return %last, %one
";
        let after = "  ^entry:
    %0 = evm.constant 0 : u256
    %one = evm.constant 1 : u256
    evm.br ^loop(%one, %0)
  ^loop(%x : u256, %y : u256):
    evm.condbr %x, ^loop(%y, %x), ^done
  ^done:
    evm.return %x, %one
";
        assert_eq!(promoted(before), (3, after.to_owned()));
    }

    #[test]
    fn a_slot_unchanged_in_a_loop_needs_no_parameter() {
        let before = "  ^entry:
    %a = evm.alloca : ptr<0>
    %one = evm.constant 1 : u256
    evm.mstore %a, %one
    evm.br ^loop
  ^loop:
    %x = evm.mload %a : u256
    evm.mstore %a, %x
    evm.condbr %x, ^loop, ^done
  ^done:
    evm.stop
";
        let after = "  ^entry:
    %one = evm.constant 1 : u256
    evm.br ^loop
  ^loop:
    evm.condbr %one, ^loop, ^done
  ^done:
    evm.stop
";
        assert_eq!(promoted(before), (1, after.to_owned()));
    }

    /// A body that must stay as it is.
    fn stays(use_of_slot: &str) {
        let body = format!(
            "  ^entry:
    %p = evm.alloca : ptr<0>
    %c = evm.constant 1 : u256
    evm.mstore %p, %c
    %x = evm.mload %p : u256
{use_of_slot}    evm.stop
"
        );
        assert_eq!(promoted(&body), (0, body));
    }

    #[test]
    fn an_address_that_escapes_is_no_slot() {
        stays("    evm.mstore %p, %p\n");
        stays("    evm.mstore %c, %p\n");
        stays("    %q = evm.ptr_add %p, %c : ptr<0>\n");
        stays("    %q = evm.ptrtoint %p : u256\n");
        stays("    evm.log0 %p, %c\n");
        stays("    evm.mstore8 %p, %c\n");
    }

    #[test]
    fn loads_and_stores_of_other_types_stay() {
        stays("    %y = evm.mload %p : bool\n");
        stays(
            "    %q = evm.alloca : ptr<0>\n    %b = evm.gas : u256\n    evm.mstore %q, %b\n    %y = evm.mload %q : u160\n    evm.mstore %p, %p\n",
        );
    }

    #[test]
    fn a_narrower_value_takes_the_place_of_a_word() {
        let before = "  ^entry:
    %p = evm.alloca 32 : ptr<0>
    %c = evm.constant true : bool
    evm.mstore %p, %c
    %x = evm.mload %p : u256
    evm.sstore %x, %x
    evm.stop
";
        let after = "  ^entry:
    %c = evm.constant true : bool
    evm.sstore %c, %c
    evm.stop
";
        assert_eq!(promoted(before), (1, after.to_owned()));
    }

    #[test]
    fn a_buffer_is_no_slot() {
        let body = "  ^entry:
    %p = evm.alloca 64 : ptr<0>
    %c = evm.mload %p : u256
    evm.stop
";
        assert_eq!(promoted(body), (0, body.to_owned()));
    }
}
