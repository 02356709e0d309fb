//! Writes a plan as stack code.

use super::facts::func::FuncFacts;
use super::plan::planner::{BlockPlan, Plan};
use crate::code::{BlockCode, FuncCode, Place, Step, StepKind, Why};
use crate::context::callee_of;
use crate::explain::homes_in_order;
use crate::global::facts::homes::Home;
use crate::global::stack::shuffle::Move;
use crate::global::stack::slot::{Slot, SlotKind};
use crate::global::stack::trail::Action;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Inst, Op, Value};

struct Writer<'a> {
    facts: &'a FuncFacts<'a>,
    steps: Vec<Step>,
}

/// The code of a planned function.
pub(crate) fn write_code(facts: &FuncFacts<'_>, plan: &Plan) -> FuncCode {
    let blocks = plan.blocks.iter().map(|block| write_block(facts, block)).collect();
    let convention = facts.cx.conventions[facts.cx.own].clone();
    let homes = match facts.cx.module.wants_homes() {
        true => homes_in_order(facts.func, |value| home_of(facts, value)),
        false => Vec::new(),
    };
    FuncCode { blocks, frame: facts.homes.frame.clone(), convention, homes }
}

fn home_of(facts: &FuncFacts<'_>, value: Value) -> (Place, Why) {
    match facts.homes.home(value) {
        _ if !facts.live.needed.contains(value) => (Place::Nowhere, Why::Unused),
        Home::Memory(object) => (Place::Memory(object), Why::Crowded),
        Home::Stack if facts.homes.is_on_stack(value) => (Place::Stack, Why::InReach),
        Home::Stack => (Place::Nowhere, Why::Pushed),
        Home::Made(cost) => (Place::Nowhere, Why::MadeAgain(cost)),
    }
}

fn write_block(facts: &FuncFacts<'_>, plan: &BlockPlan) -> BlockCode {
    let mut writer = Writer { facts, steps: Vec::with_capacity(plan.actions.len()) };
    plan.actions.iter().for_each(|action| writer.write(*action));
    let entry = plan.entry.iter().map(|slot| facts.homes.consts.stack_word(*slot)).collect();
    BlockCode { block: plan.block, entry, steps: writer.steps, exit: plan.exit }
}

impl Writer<'_> {
    fn push(&mut self, kind: StepKind, origin: Option<Inst>) {
        self.steps.push(Step { kind, origin });
    }

    fn write(&mut self, action: Action) {
        match action {
            Action::Move(Move::Dup(depth)) => self.push(StepKind::Dup(depth), None),
            Action::Move(Move::Swap(depth)) => self.push(StepKind::Swap(depth), None),
            Action::Move(Move::Pop) => self.push(StepKind::Pop, None),
            Action::Move(Move::Make(slot)) => self.make(slot),
            Action::Exec(inst, opcode) => self.carry_out(inst, opcode),
            Action::Store(value) => self.access_memory(value, Opcode::MSTORE),
        }
    }

    fn access_memory(&mut self, value: Value, opcode: Opcode) {
        let Home::Memory(object) = self.facts.homes.home(value) else {
            unreachable!("invariant: {value} lives in memory");
        };
        self.push(StepKind::PushFrame(object, 0), None);
        self.push(StepKind::Op(opcode), None);
    }

    fn make(&mut self, slot: Slot) {
        match slot.kind() {
            SlotKind::Const(index) => self.push(StepKind::Push(self.facts.homes.consts.word(index)), None),
            SlotKind::Junk => self.push(StepKind::Push(Word::ZERO), None),
            SlotKind::Label(call) => self.push(StepKind::PushReturnLabel(call), None),
            SlotKind::ReturnAddress => unreachable!("invariant: a return address is not made"),
            SlotKind::Value(value) => match self.facts.homes.home(value) {
                Home::Memory(_) => self.access_memory(value, Opcode::MLOAD),
                Home::Made(_) => self.make_again(value),
                Home::Stack => unreachable!("invariant: {value} is on the stack only"),
            },
        }
    }

    /// Carries out the instruction of a made value after making its operands; trees of made values
    /// are at most two deep.
    fn make_again(&mut self, value: Value) {
        let inst = self.facts.func.dfg.def_inst(value).expect("invariant: a made value has an instruction");
        if let Some((object, offset)) = self.facts.homes.address(value) {
            return self.push(StepKind::PushFrame(object, offset), Some(inst));
        }
        for arg in self.facts.func.dfg.args(inst).iter().rev() {
            self.make(self.facts.homes.slot(*arg));
        }
        self.carry_out(inst, None);
    }

    fn carry_out(&mut self, inst: Inst, opcode: Option<Opcode>) {
        let kind = match self.facts.func.dfg.op(inst) {
            Op::CondBr | Op::Switch => return,
            Op::Evm(own) => StepKind::Op(opcode.unwrap_or(own)),
            Op::Icall => {
                let callee = callee_of(self.facts.func, inst).expect("invariant: a call has a callee");
                StepKind::Call(callee)
            }
            Op::HeapBase => StepKind::PushHeapBase,
            Op::Constant => {
                let word = self.facts.func.dfg.inst_const(inst).expect("invariant: a constant has a word");
                StepKind::Push(word)
            }
            _ => StepKind::Symbolic,
        };
        self.push(kind, Some(inst));
    }
}
