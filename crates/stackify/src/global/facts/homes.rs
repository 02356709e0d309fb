//! Where each value lives: on the stack, in memory, or nowhere because it can be made again.
//!
//! Constants, addresses of the frame, and operations without operands that push a fixed word are made at
//! each use: that costs no more than a `DUP` and keeps the stack low. Long constants that a block uses several
//! times are pushed once (module [`shared`](crate::global::facts::shared)). The gas that a call is given is read
//! right before it: that needs no exchange, and ERC-4337 allows `GAS` nowhere else. When stack words are short,
//! cheap pure trees over them (`calldataload(4)`) are made again too, before anything goes to memory.

use super::live::Liveness;
use crate::allocas::{Allocas, alloca_size};
use crate::code::{FrameObject, FrameObjectData, FrameUse};
use crate::global::stack::slot::{ConstTable, Slot, SlotKind};
use cairn_evm::{Cost, Fork, Opcode, Word};
use cairn_ir::{Function, Inst, Op, SecondaryMap, Value, sized};
use cranelift_entity::{EntitySet, PrimaryMap};

/// Where a value lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Home {
    /// On the stack.
    #[default]
    Stack,
    /// Nowhere; made at each use, at this cost.
    Made(Cost),
    /// In memory: stored where it is defined, loaded at each use.
    Memory(FrameObject),
}

/// Largest gas of a pure tree that is made again rather than kept in memory.
const MAX_MADE_AGAIN_GAS: u64 = 9;

/// Homes of all values and the memory that they use.
pub(crate) struct Homes {
    /// Distinct constants.
    pub(crate) consts: ConstTable,
    /// Slots of values that are constants.
    const_slots: SecondaryMap<Value, Option<Slot>>,
    homes: SecondaryMap<Value, Home>,
    /// Frame memory.
    pub(crate) frame: PrimaryMap<FrameObject, FrameObjectData>,
    /// Values that are constant addresses of the frame.
    addresses: SecondaryMap<Value, Option<(FrameObject, u64)>>,
    fork: Fork,
}

impl Homes {
    /// Homes before anything is spilled, with some constants on the stack.
    pub(crate) fn classify(func: &Function, live: &Liveness, shared: &EntitySet<Value>, fork: Fork) -> Homes {
        let mut homes = Homes {
            consts: ConstTable::default(),
            const_slots: sized(func.dfg.num_values()),
            homes: sized(func.dfg.num_values()),
            frame: PrimaryMap::new(),
            addresses: SecondaryMap::new(),
            fork,
        };
        let mut allocas = Vec::new();
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let Some(word) = func.dfg.inst_const(inst) {
                let value = func.dfg.result(inst);
                let is_shared = shared.contains(value);
                homes.const_slots[value] = (!is_shared).then(|| homes.consts.slot(word));
            } else if let Some(cost) = made_from_nothing(func, inst, fork) {
                homes.homes[func.dfg.result(inst)] = Home::Made(cost);
            } else if can_be_read_at_call(func, live, inst) {
                homes.homes[func.dfg.result(inst)] = Home::Made(Cost::of_op(Opcode::GAS, fork));
            } else if func.dfg.op(inst) == Op::Alloca {
                allocas.push(inst);
            }
        }
        if !allocas.is_empty() {
            homes.place_allocas(func, live, &allocas);
        }
        homes
    }

    /// Gives each `alloca` its memory; its addresses at constant offsets are pushed, not added up.
    fn place_allocas(&mut self, func: &Function, live: &Liveness, insts: &[Inst]) {
        let allocas = Allocas::of(func);
        let mut objects: SecondaryMap<Inst, Option<FrameObject>> = SecondaryMap::new();
        for inst in insts.iter().filter(|inst| live.is_executed(func, **inst)) {
            let data = FrameObjectData { size: alloca_size(func, *inst), usage: FrameUse::Alloca(*inst) };
            objects[*inst] = Some(self.frame.push(data));
        }
        let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
        for value in insts.filter_map(|inst| func.dfg.results(inst).first().copied()) {
            let Some((alloca, offset)) = allocas.address(func, value) else { continue };
            self.addresses[value] = objects[alloca].map(|object| (object, offset));
            self.homes[value] = Home::Made(Cost::PUSH_PLACE);
        }
    }

    /// The memory and the offset in it of a value that is a constant address of the frame.
    pub(crate) fn address(&self, value: Value) -> Option<(FrameObject, u64)> {
        self.addresses[value]
    }

    /// The slot of a value.
    pub(crate) fn slot(&self, value: Value) -> Slot {
        self.const_slots[value].unwrap_or_else(|| Slot::value(value))
    }

    /// Where a value lives; constants live nowhere.
    pub(crate) fn home(&self, value: Value) -> Home {
        self.homes[value]
    }

    /// True for a value that stays on the stack until its last use.
    pub(crate) fn is_on_stack(&self, value: Value) -> bool {
        self.const_slots[value].is_none() && self.homes[value] == Home::Stack
    }

    /// True for the gas that a call is given and that is read right before it.
    pub(crate) fn is_gas_of_call(&self, func: &Function, slot: Slot) -> bool {
        slot.as_value().is_some_and(|value| {
            let is_gas = |inst| func.dfg.op(inst) == Op::Evm(Opcode::GAS);
            matches!(self.homes[value], Home::Made(_)) && func.dfg.def_inst(value).is_some_and(is_gas)
        })
    }

    /// True when values live in memory.
    pub(crate) fn uses_memory(&self) -> bool {
        self.frame.values().any(|data| data.usage == FrameUse::Spill)
    }

    /// What it costs to make a word without reading the stack.
    pub(crate) fn price(&self, slot: Slot) -> Option<Cost> {
        match slot.kind() {
            SlotKind::Const(index) => Some(Cost::of_push(self.consts.word(index), self.fork)),
            SlotKind::Junk => Some(Cost::of_push(Word::ZERO, self.fork)),
            SlotKind::Label(_) | SlotKind::ReturnAddress => None,
            SlotKind::Value(value) => match self.homes[value] {
                Home::Stack => None,
                Home::Made(cost) => Some(cost),
                Home::Memory(_) => Some(Cost::RELOAD),
            },
        }
    }

    /// Sends a value to memory, or makes it again at each use if that is cheap.
    pub(crate) fn spill(&mut self, func: &Function, value: Value, fork: Fork) {
        self.homes[value] = match self.made_again(func, value, fork) {
            Some(cost) => Home::Made(cost),
            None => Home::Memory(self.frame.push(FrameObjectData { size: 32, usage: FrameUse::Spill })),
        };
    }

    /// Makes a value again at each use if it is a cheap pure tree; whether it is.
    pub(crate) fn try_make_again(&mut self, func: &Function, value: Value, fork: Fork) -> bool {
        let price = self.made_again(func, value, fork);
        if let Some(cost) = price {
            self.homes[value] = Home::Made(cost);
        }
        price.is_some()
    }

    fn made_again(&self, func: &Function, value: Value, fork: Fork) -> Option<Cost> {
        let inst = func.dfg.def_inst(value)?;
        let Op::Evm(opcode) = func.dfg.op(inst) else {
            return None;
        };
        if !opcode.known().effects.is_pure() {
            return None;
        }
        let mut cost = Cost::of_op(opcode, fork);
        for arg in func.dfg.args(inst) {
            let is_made = self.const_slots[*arg].is_some() || matches!(self.homes[*arg], Home::Made(_));
            cost = cost + self.price(self.slot(*arg)).filter(|_| is_made)?;
        }
        (cost.gas <= MAX_MADE_AGAIN_GAS).then_some(cost)
    }
}

/// What an instruction costs that pushes a fixed word from nothing and costs no more than a
/// `DUP`, give or take its bytes.
fn made_from_nothing(func: &Function, inst: Inst, fork: Fork) -> Option<Cost> {
    match func.dfg.op(inst) {
        Op::HeapBase | Op::DataSize | Op::DataOffset => Some(Cost::PUSH_PLACE),
        Op::Evm(opcode) => {
            let info = opcode.known();
            let cost = Cost::of_op(opcode, fork);
            let is_fixed = info.inputs == 0 && info.outputs == 1 && info.effects.is_pure();
            (is_fixed && cost.gas <= Cost::DUP.gas).then_some(cost)
        }
        _ => None,
    }
}

/// True for gas that is read for a call, as its first operand, and for nothing else, if it may be read right
/// before it. Nothing that `gas` must keep its order with stands between, another `gas` neither: so this is
/// linear over a block.
fn can_be_read_at_call(func: &Function, live: &Liveness, inst: Inst) -> bool {
    if func.dfg.op(inst) != Op::Evm(Opcode::GAS) {
        return false;
    }
    let gas = func.dfg.result(inst);
    let Some(user) = live.only_user[gas].expand() else {
        return false;
    };
    let is_call = matches!(
        func.dfg.op(user),
        Op::Evm(Opcode::CALL | Opcode::CALLCODE | Opcode::DELEGATECALL | Opcode::STATICCALL)
    );
    if !is_call || func.dfg.args(user)[0] != gas {
        return false;
    }
    let mut behind = std::iter::successors(func.layout.next_inst(inst), |at| func.layout.next_inst(*at));
    let effects = func.dfg.op(inst).effects();
    behind.find(|at| *at == user || func.dfg.op(*at).effects().conflicts_with(effects)) == Some(user)
}
