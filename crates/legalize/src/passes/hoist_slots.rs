//! Hoists slots.
//!
//! Establishes: every `evm.alloca` stands at the start of the entry block, before every other
//! operation. An `alloca` is one piece of the frame however often it is executed, so its place
//! says nothing.
//!
//! Cost: one walk over the instructions.

use crate::context::PassContext;
use crate::names::{shown, shown_block};
use crate::pass::{Leaves, Pass, Property};
use cairn_ir::{Block, Function, Inst, Op, Payload, Type, Value};

/// Makes slots, each after those at the start of the entry block.
pub(crate) struct Slots {
    last: Option<Inst>,
}

impl Slots {
    /// Starts after the slots that the function has.
    pub(crate) fn of(func: &Function) -> Self {
        Slots { last: last_of_prefix(func, func.layout.entry()) }
    }

    /// A new slot of `bytes` bytes.
    pub(crate) fn make(&mut self, func: &mut Function, bytes: u64) -> Value {
        let inst = func.dfg.make_inst(Op::Alloca, &[], Payload::Number(bytes));
        let slot = func.dfg.append_result(inst, Type::MEMORY);
        self.place(func, inst);
        slot
    }

    fn place(&mut self, func: &mut Function, inst: Inst) {
        match self.last {
            Some(last) => func.layout.insert_inst_after(inst, last),
            None => func.layout.prepend_inst(inst, func.layout.entry()),
        }
        self.last = Some(inst);
    }
}

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "hoist-slots",
    summary: "every `alloca` at the start of the entry block",
    needs: &[Property::OneTerminator],
    gives: Property::SlotsFirst,
    leaves: Leaves::Nothing,
    run: hoist_slots,
};

/// Moves every `alloca` to the start of the entry block, keeping their order.
fn hoist_slots(func: &mut Function, cx: &mut PassContext<'_>) {
    let entry = func.layout.entry();
    let mut slots = Slots::of(func);
    let first_other = match slots.last {
        Some(slot) => func.layout.next_inst(slot),
        None => func.layout.first_inst(entry),
    };
    let mut place = first_other.map(|inst| (entry, inst)).or_else(|| next_start(func, entry));
    while let Some((block, inst)) = place {
        place = match func.layout.next_inst(inst) {
            Some(next) => Some((block, next)),
            None => next_start(func, block),
        };
        if func.dfg.op(inst) != Op::Alloca {
            continue;
        }
        func.layout.remove_inst(inst);
        slots.place(func, inst);
        let slot = func.dfg.result(inst);
        cx.changed(func, inst, || {
            let [slot, block] = [shown(func, slot), shown_block(func, block)];
            format!("slot {slot} moved from {block} to the start of the entry block: frames are static")
        });
    }
}

/// The last of the slots that the entry block begins with.
fn last_of_prefix(func: &Function, entry: Block) -> Option<Inst> {
    func.layout.insts(entry).take_while(|inst| func.dfg.op(*inst) == Op::Alloca).last()
}

/// The first instruction of the next block that has one.
fn next_start(func: &Function, block: Block) -> Option<(Block, Inst)> {
    let mut next = func.layout.next_block(block);
    while let Some(block) = next {
        if let Some(inst) = func.layout.first_inst(block) {
            return Some((block, inst));
        }
        next = func.layout.next_block(block);
    }
    None
}
