//! Eliminates phis.
//!
//! Establishes: no block but the entry has parameters, no edge has arguments, and the entry has no
//! predecessor. The parameters of the entry are those of the function.
//!
//! A parameter that is one value on every way into its block is replaced by that value; this is
//! found optimistically, so that parameters that only pass each other along disappear too. A
//! parameter without a use is dropped. Each other parameter gets a slot:
//!
//! ```text
//! ^a:                              %slot = evm.alloca 32 : ptr<0>      (entry)
//!   evm.br ^merge(%v1)           ^a:
//! ^b:                              evm.mstore %slot, %v1
//!   evm.br ^merge(%v2)      =>     evm.br ^merge
//! ^merge(%x : u256):             ^b:
//!   …                              evm.mstore %slot, %v2
//!                                  evm.br ^merge
//!                                ^merge:
//!                                  %x = evm.mload %slot : u256
//! ```
//!
//! All stores of an edge happen after every load of the blocks before it, and what they store are
//! values, not slots: so a swap of two parameters in a loop and a parameter that is used after the
//! loop come out right. Stores go to the end of a block that ends in `evm.br`, else to a new block
//! on the edge. An edge that passes a parameter to itself stores nothing: the slot holds it.
//!
//! Cost: linear in instructions and edge arguments.

use crate::context::PassContext;
use crate::graph::{Edge, IncomingEdges, edge_call, reverse_postorder};
use crate::names::{shown, shown_block};
use crate::pass::{Leaves, Pass, Property};
use crate::passes::copies::Copies;
use crate::passes::hoist_slots::Slots;
use cairn_evm::Opcode;
use cairn_ir::cursor::Cursor;
use cairn_ir::{
    Block, BlockCall, EntityList, Function, Inst, Op, Payload, SecondaryMap, Type, Value, ValueDef,
};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "eliminate-phis",
    summary: "no block arguments; nothing leads to the entry block",
    needs: &[Property::OneTerminator, Property::Reachable, Property::NoSwitches],
    gives: Property::NoPhis,
    leaves: Leaves::DeadCode,
    run: eliminate_phis,
};

/// Turns block parameters into slots. No switch and no unreachable block is left.
fn eliminate_phis(func: &mut Function, cx: &mut PassContext<'_>) {
    separate_entry(func, cx);
    let entry = func.layout.entry();
    let is_merge = |block: &Block| *block != entry && !func.dfg.params(*block).is_empty();
    if !func.layout.blocks().any(|block| is_merge(&block)) {
        return;
    }
    let merges: Vec<Block> = reverse_postorder(func).into_iter().filter(is_merge).collect();
    let incoming = IncomingEdges::compute(func);
    let copies = Copies::compute(func, &merges, &incoming);
    if copies.has_any() {
        let Function { dfg, layout, .. } = func;
        for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
            dfg.map_uses(inst, |value| copies.resolve(value));
        }
    }
    let is_used = find_used(func, &incoming);
    let mut slots = Slots::of(func);
    for merge in merges {
        lower_merge(func, merge, incoming.of(merge), &copies, &is_used, &mut slots, cx);
    }
}

/// Gives the function a new entry block if there are edges into the entry.
fn separate_entry(func: &mut Function, cx: &mut PassContext<'_>) {
    let entry = func.layout.entry();
    let mut is_target = false;
    for block in func.layout.blocks() {
        func.for_each_successor(block, |target| is_target |= target == entry);
    }
    if !is_target {
        return;
    }
    let start = cx.append_block(func, "start");
    let mut params = Vec::new();
    for old in func.params().to_vec() {
        let ty = func.dfg.ty(old);
        let new = func.dfg.append_param(start, ty);
        let role = func.value_names.get(&old).map_or_else(|| "arg".to_owned(), |name| name.to_string());
        cx.name_value(func, new, &role);
        params.push(new);
    }
    Cursor::at_end(func, start).br(entry, &params);
    let others: Vec<Block> = func.layout.blocks().filter(|block| *block != start).collect();
    for block in others {
        func.layout.remove_block(block);
        func.layout.append_block(block);
    }
    cx.changed(func, entry, || {
        let [entry, start] = [entry, start].map(|block| shown_block(func, block));
        format!("{start} was put before {entry}: nothing may lead to the entry block")
    });
}

/// Parameters of blocks that an operation uses, directly or through other parameters.
fn find_used(func: &Function, incoming: &IncomingEdges) -> SecondaryMap<Value, bool> {
    let mut is_used: SecondaryMap<Value, bool> = SecondaryMap::with_capacity(func.dfg.num_values());
    let mut work = Vec::new();
    let mut visit = |arg: Value, work: &mut Vec<(Block, u16)>| {
        if let ValueDef::Param(block, index) = func.dfg.def(arg)
            && !std::mem::replace(&mut is_used[arg], true)
        {
            work.push((block, index));
        }
    };
    for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
        func.dfg.args(inst).iter().for_each(|arg| visit(*arg, &mut work));
    }
    while let Some((block, index)) = work.pop() {
        for edge in incoming.of(block) {
            let call = edge_call(func, *edge);
            visit(func.dfg.call_args(&call)[usize::from(index)], &mut work);
        }
    }
    is_used
}

/// Replaces the parameters of one block by loads, and the arguments of its edges by stores.
fn lower_merge(
    func: &mut Function,
    merge: Block,
    incoming: &[Edge],
    copies: &Copies,
    is_used: &SecondaryMap<Value, bool>,
    slots: &mut Slots,
    cx: &mut PassContext<'_>,
) {
    let params = func.dfg.params(merge).to_vec();
    func.dfg.retain_params(merge, |_, _| false);
    let mut params_in_slots = Vec::new();
    for (index, param) in params.into_iter().enumerate() {
        if copies.is_copy(param) {
            cx.changed(func, merge, || {
                let [param, source] = [param, copies.resolve(param)].map(|value| shown(func, value));
                format!("{param} of {} is {source} on every way and needs no slot", shown_block(func, merge))
            });
        } else if !is_used[param] {
            cx.changed(func, merge, || {
                let [param, merge] = [shown(func, param), shown_block(func, merge)];
                format!("{param} of {merge} was dropped: it has no use")
            });
        } else {
            let slot = slots.make(func, 32);
            cx.name_value(func, slot, "slot");
            cx.changed(func, merge, || {
                let [param, slot] = [param, slot].map(|value| shown(func, value));
                let merge = shown_block(func, merge);
                format!("{param} of {merge} became slot {slot}: merged values pass through memory")
            });
            params_in_slots.push((index, param, slot));
        }
    }
    let first = func.layout.first_inst(merge).expect("invariant: a block has a terminator");
    for (_, param, slot) in &params_in_slots {
        load_param(func, first, *param, *slot);
    }
    for edge in incoming {
        store_args(func, *edge, &params_in_slots, cx);
    }
}

/// Defines `param` by a load from `slot`. Pointers are converted, because slots hold words.
fn load_param(func: &mut Function, first: Inst, param: Value, slot: Value) {
    let load = func.dfg.make_inst(Op::Evm(Opcode::MLOAD), &[slot], Payload::None);
    func.layout.insert_inst_before(load, first);
    if !matches!(func.dfg.ty(param), Type::Ptr(..)) {
        func.dfg.attach_result(load, param);
        return;
    }
    let word = func.dfg.append_result(load, Type::U256);
    let convert = func.dfg.make_inst(Op::IntToPtr, &[word], Payload::None);
    func.dfg.attach_result(convert, param);
    func.layout.insert_inst_before(convert, first);
}

/// Stores the arguments of one edge to the slots of their parameters.
fn store_args(func: &mut Function, edge: Edge, params: &[(usize, Value, Value)], cx: &mut PassContext<'_>) {
    let call = edge_call(func, edge);
    let args = func.dfg.call_args(&call);
    let is_store = |(index, param, _): &&(usize, Value, Value)| args[*index] != *param;
    let stores: Vec<(Value, Value)> =
        params.iter().filter(is_store).map(|(index, _, slot)| (*slot, args[*index])).collect();
    let mut target = BlockCall { block: call.block, args: EntityList::new() };
    let mut place = edge.from;
    if !stores.is_empty() && func.dfg.op(edge.inst) == Op::CondBr {
        place = cx.append_block(func, "edge");
        let jump = func.dfg.make_inst(Op::Br, &[], Payload::Jump(target));
        func.layout.append_inst(jump, place);
        target.block = place;
    }
    let data = func.dfg.inst_mut(edge.inst);
    match &mut data.payload {
        Payload::Branch(calls) => calls[edge.index as usize] = target,
        payload => *payload = Payload::Jump(target),
    }
    let mut cursor = Cursor::before_terminator(func, place);
    for (slot, mut arg) in stores {
        if matches!(cursor.func.dfg.ty(arg), Type::Ptr(..)) {
            arg = cursor.value(Op::PtrToInt, &[arg], Type::U256);
        }
        cursor.insert(Op::Evm(Opcode::MSTORE), &[slot, arg], Payload::None, &[]);
    }
}
