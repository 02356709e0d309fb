//! Where each value of a function lives: stage 2 of the specification.
//!
//! A value is an immediate when its definition only pushes something; it stays on the stack when
//! all its uses are in the block that defines it; otherwise it lives in memory.

use crate::allocas::{Allocas, alloca_size};
use crate::code::{FrameObject, FrameObjectData, FrameUse, Place, Why};
use crate::context::{ModuleCx, callee_of};
use cairn_ir::{Block, Func, Function, Inst, Op, SecondaryMap, Value, ValueDef};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, PrimaryMap};

/// Where a value lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Home {
    /// Nobody uses it.
    #[default]
    Unused,
    /// Pushed again at each use by its instruction.
    Immediate(Inst),
    /// On the stack from definition to last use.
    Stack,
    /// Stored after its definition, loaded at each use.
    Memory(FrameObject),
}

/// The homes of a function's values and the frame they need.
#[derive(Debug, Default)]
pub(super) struct Homes {
    /// Where each value lives.
    pub(super) of: SecondaryMap<Value, Home>,
    /// Why values are in memory.
    reasons: SecondaryMap<Value, Option<Why>>,
    /// Number of uses of each value.
    pub(super) uses: SecondaryMap<Value, u32>,
    /// The memory of each `alloca`.
    pub(super) allocas: SecondaryMap<Inst, PackedOption<FrameObject>>,
    /// Constant addresses in the memory of an `alloca`: that, and the offset.
    pub(super) addresses: SecondaryMap<Value, Option<(Inst, u64)>>,
    /// All frame memory.
    pub(super) frame: PrimaryMap<FrameObject, FrameObjectData>,
    /// Where the return address is kept in front of an `iret` that it could not be dug out from.
    pub(super) return_address: PackedOption<FrameObject>,
}

/// Which values go to memory besides those that the rules send there.
#[derive(Debug)]
pub(super) enum Forced {
    /// These.
    Values(EntitySet<Value>),
    /// Every value that is not an immediate.
    All,
}

impl Forced {
    fn contains(&self, value: Value) -> bool {
        match self {
            Forced::Values(values) => values.contains(value),
            Forced::All => true,
        }
    }
}

/// True for operations that push something known before the program runs.
fn is_immediate(op: Op) -> bool {
    match op {
        Op::Constant | Op::Alloca | Op::HeapBase | Op::DataOffset | Op::DataSize => true,
        op => matches!(op, Op::LoadImmutable | Op::LinkerSymbol),
    }
}

/// Results of an `iret` that a single `SWAP` digs the return address out from.
pub(super) const MAX_SWAPPED_RESULTS: usize = 16;

/// Decides for the blocks given.
pub(super) fn decide(
    cx: &ModuleCx<'_>,
    id: Func,
    func: &Function,
    blocks: &[Block],
    forced: &Forced,
) -> Homes {
    let mut homes = Homes::default();
    let mut reasons: SecondaryMap<Value, Option<Why>> = SecondaryMap::new();
    for block in blocks {
        for inst in func.layout.insts(*block) {
            func.dfg.for_each_use(inst, |value| {
                homes.uses[value] += 1;
                if defining_block(func, value) != Some(*block) {
                    reasons[value] = Some(Why::AcrossBlocks);
                }
            });
            note_special(cx, id, func, inst, &mut reasons);
        }
    }
    let reason = |value: Value| reasons[value].or(forced.contains(value).then_some(Why::OutOfReach));
    let allocas = if func.has_alloca() { Allocas::of(func) } else { Allocas::default() };
    for value in func.params() {
        homes.settle(*value, reason(*value));
    }
    for block in blocks {
        for inst in func.layout.insts(*block) {
            let result = func.dfg.results(inst).first();
            if let Some(address) = result.and_then(|value| allocas.address(func, *value)) {
                homes.addresses[func.dfg.result(inst)] = Some(address);
            }
            homes.settle_results(func, inst, reason);
        }
    }
    let is_wide = func.signature.results.len() > MAX_SWAPPED_RESULTS && cx.returns(id);
    if is_wide {
        homes.return_address = homes.frame.push(SPILL).into();
    }
    homes
}

const SPILL: FrameObjectData = FrameObjectData { size: 32, usage: FrameUse::Spill };

impl Homes {
    /// True for an instruction whose result is pushed at each use.
    pub(super) fn is_pushed(&self, func: &Function, inst: Inst) -> bool {
        let result = func.dfg.results(inst).first();
        result.is_some_and(|value| matches!(self.of[*value], Home::Immediate(_)))
    }

    /// Decides about a value; `reason` says why it cannot stay on the stack.
    fn settle(&mut self, value: Value, reason: Option<Why>) {
        self.reasons[value] = reason;
        self.of[value] = match (self.uses[value], reason) {
            (0, _) => Home::Unused,
            (_, Some(_)) => Home::Memory(self.frame.push(SPILL)),
            (_, None) => Home::Stack,
        };
    }

    /// Where a value lives and why.
    pub(super) fn explain(&self, value: Value) -> (Place, Why) {
        match self.of[value] {
            Home::Unused => (Place::Nowhere, Why::Unused),
            Home::Immediate(_) => (Place::Nowhere, Why::Pushed),
            Home::Stack => (Place::Stack, Why::OneBlock),
            Home::Memory(object) => {
                (Place::Memory(object), self.reasons[value].expect("invariant: memory has a reason"))
            }
        }
    }

    fn settle_results(&mut self, func: &Function, inst: Inst, reason: impl Fn(Value) -> Option<Why>) {
        let results = func.dfg.results(inst);
        if is_immediate(func.dfg.op(inst))
            || results.first().is_some_and(|value| self.addresses[*value].is_some())
        {
            self.of[results[0]] = Home::Immediate(inst);
            if func.dfg.op(inst) == Op::Alloca && self.uses[results[0]] > 0 {
                let size = alloca_size(func, inst);
                self.allocas[inst] =
                    self.frame.push(FrameObjectData { size, usage: FrameUse::Alloca(inst) }).into();
            }
            return;
        }
        results.iter().for_each(|value| self.settle(*value, reason(*value)));
    }
}

/// Values that leave the stack for reasons of their own: several results of one call, the result
/// of a call that saves memory around it, several operands of an `iret`.
fn note_special(
    cx: &ModuleCx<'_>,
    id: Func,
    func: &Function,
    inst: Inst,
    reasons: &mut SecondaryMap<Value, Option<Why>>,
) {
    let results = func.dfg.results(inst);
    let saves = callee_of(func, inst).is_some_and(|callee| cx.is_reentrant(id, callee));
    if results.len() > 1 || saves {
        results.iter().for_each(|value| reasons[*value] = Some(Why::SeveralResults));
    }
    if func.dfg.op(inst) == Op::Iret && func.dfg.args(inst).len() > 1 {
        func.dfg.args(inst).iter().for_each(|value| reasons[*value] = Some(Why::ReturnedTogether));
    }
}

fn defining_block(func: &Function, value: Value) -> Option<Block> {
    match func.dfg.def(value) {
        ValueDef::Result(inst, _) => func.layout.inst_block(inst),
        ValueDef::Param(block, _) => Some(block),
    }
}
