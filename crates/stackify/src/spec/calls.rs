//! Calls and returns of internal functions in spec mode.
//!
//! A call that can come back to this function while it waits saves the frame memory that it needs
//! afterwards below the return label: `[saved…, return label, arguments…]`.

use super::block::BlockScheduler;
use super::homes::MAX_SWAPPED_RESULTS;
use crate::code::{Exit, StackWord, StepKind};
use cairn_evm::Opcode;
use cairn_ir::{Func, Inst, Value};

impl BlockScheduler<'_> {
    /// Calls `callee` and sends the results home.
    pub(super) fn schedule_call(&mut self, inst: Inst, callee: Func) {
        let convention = &self.cx.conventions[callee];
        let args = self.cx.func.dfg.args(inst);
        let order: Vec<Value> = convention.params.iter().map(|index| args[*index as usize]).collect();
        let is_passed = |index: usize| convention.params.contains(&(index as u16));
        let left_out: Vec<Value> =
            (0..args.len()).filter(|index| !is_passed(*index)).map(|index| args[index]).collect();
        self.consume(&left_out);
        let below = self.stack.len();
        self.save_frame(inst);
        let is_saving = !self.cx.saves.around(inst).is_empty();
        let in_place = if is_saving { 0 } else { self.num_in_place(&order) };
        self.consume(&order[..in_place]);
        if convention.returns {
            self.emit(StepKind::PushReturnLabel(inst));
            self.stack.push(StackWord::CallReturn(inst));
            (1..=in_place).rev().for_each(|depth| self.swap(depth));
        }
        self.bring_above(&order[in_place..], self.stack.len() - below + in_place);
        self.check_height();
        self.emit_call(inst, callee, order.len());
        self.check_height();
        if convention.returns {
            self.settle_results(inst);
            self.restore_frame(inst);
            self.tidy();
        }
    }

    fn emit_call(&mut self, inst: Inst, callee: Func, num_args: usize) {
        let convention = &self.cx.conventions[callee];
        self.steps.push(crate::code::Step { kind: StepKind::Call(callee), origin: Some(inst) });
        let taken = num_args + usize::from(convention.returns);
        self.stack.truncate(self.stack.len() - taken);
        if convention.returns {
            let results = self.cx.func.dfg.results(inst);
            self.stack
                .extend(convention.results.iter().map(|index| StackWord::Value(results[*index as usize])));
        }
    }

    fn save_frame(&mut self, inst: Inst) {
        let saves = self.cx.saves;
        for (object, offset) in saves.around(inst) {
            self.emit(StepKind::PushFrame(*object, *offset));
            self.emit(StepKind::Op(Opcode::MLOAD));
            self.stack.push(StackWord::Junk);
        }
    }

    fn restore_frame(&mut self, inst: Inst) {
        let saves = self.cx.saves;
        for (object, offset) in saves.around(inst).iter().rev() {
            self.emit(StepKind::PushFrame(*object, *offset));
            self.emit(StepKind::Op(Opcode::MSTORE));
            self.stack.pop();
        }
    }

    /// Returns: `[return address]` becomes `[results…, return address]`.
    pub(super) fn schedule_iret(&mut self, inst: Inst) -> Exit {
        let func = self.cx.func;
        let args = func.dfg.args(inst);
        let order: Vec<Value> =
            self.cx.conventions[self.cx.id].results.iter().map(|index| args[*index as usize]).collect();
        if order.len() > MAX_SWAPPED_RESULTS {
            let kept =
                self.cx.homes.return_address.expect("invariant: a wide return has a place for its address");
            self.store(kept);
            order.iter().for_each(|value| self.push_use(*value));
            self.load(kept, StackWord::ReturnAddress);
            return Exit::Return;
        }
        let in_place = if order.len() == 1 { self.num_in_place(&order) } else { 0 };
        self.consume(&order[..in_place]);
        let (first, rest) = match order.split_first() {
            Some((first, rest)) if in_place == 0 => (Some(*first), rest),
            Some(_) | None => (None, &order[..0]),
        };
        rest.iter().copied().chain(first).for_each(|value| self.push_use(value));
        self.swap(order.len());
        Exit::Return
    }
}
