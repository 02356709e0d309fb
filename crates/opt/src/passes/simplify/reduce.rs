//! Simplifies one instruction.

use super::scope::{Expression, Operand};
use super::{BUDGET, Facts, Simplifier, transfer};
use crate::linked::facts_of_linked;
use crate::pointer_word;
use crate::rules::Built;
use crate::type_facts::facts_of_type;
use crate::view::View;
use cairn_analysis::callgraph;
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::builder::opcode_result_type;
use cairn_ir::{EntityRef, Func, Inst, Op, Payload, Type, Value};
use smallvec::SmallVec;

/// What becomes of an operation.
enum Reduced {
    /// This value is the same and simpler.
    To(Value),
    /// It stays, and this is known of its result.
    Stays(Facts),
}

impl Simplifier<'_> {
    pub(super) fn visit_inst(&mut self, inst: Inst) {
        let op = self.func.dfg.op(inst);
        if let Some(id) = self.func.dfg.inst_const_id(inst) {
            let result = self.func.dfg.result(inst);
            let leader = self.pooled_constant(id, self.func.dfg.ty(result));
            self.facts[result] = Facts::exactly(self.func.dfg.word(id));
            return self.set_leader(result, leader);
        }
        let results: SmallVec<[Value; 2]> = self.func.dfg.results(inst).iter().copied().collect();
        for result in &results {
            self.facts[*result] = facts_of_type(self.func.dfg.ty(*result));
        }
        if let Some(callee) = callgraph::callee(self.func, inst) {
            return self.visit_call(inst, callee, &results);
        }
        let [result] = results[..] else {
            return;
        };
        let args: SmallVec<[Value; 3]> = self.func.dfg.args(inst).iter().copied().collect();
        let reduced = match op {
            Op::Evm(opcode) => self.reduce(opcode, &args, inst, &mut BUDGET.clone()),
            _ => self.reduce_other(inst, &args, result),
        };
        match reduced {
            Reduced::To(leader) => return self.set_leader(result, leader),
            Reduced::Stays(known) => self.learn(result, &known),
        }
        if self.has_free_pointer && pointer_word::is_loaded(self.func, inst) {
            self.facts[result] = Facts::low_bits(pointer_word::BITS);
        }
        if !is_shareable(op) {
            return;
        }
        let expression = self.expression(op, &args, self.func.dfg.inst(inst).payload, result);
        match self.scope.leader(&expression) {
            Some(leader) => self.set_leader(result, leader),
            None => self.scope.add_leader(expression, result),
        }
    }

    /// Drops a call that is known to come back with the results of an earlier one.
    fn visit_call(&mut self, inst: Inst, callee: Func, results: &[Value]) {
        for (index, result) in results.iter().enumerate() {
            let known = self.calls.result(callee, index);
            self.facts[*result] = self.facts[*result].meet(&known).unwrap_or(known);
            if let Some((param, offset)) = self.calls.source(callee, index) {
                let offset = self.constant(offset, Type::U256);
                let arg = self.func.dfg.args(inst)[param];
                let leader = self.emit(Opcode::ADD, &[arg, offset], inst, &mut BUDGET.clone());
                self.set_leader(*result, leader);
            }
        }
        self.calls.saw_call(callee, self.func.dfg.args(inst), &self.facts);
        let effects = self.effects.of_func_on_return(callee) - Effects::HALT;
        if !effects.is_pure() {
            return;
        }
        let args: SmallVec<[Value; 3]> = self.func.dfg.args(inst).iter().copied().collect();
        let operands = args.iter().map(|arg| self.operand(*arg)).collect();
        let expression =
            Expression { op: Op::Icall, operands, payload: u64::from(callee.as_u32()), ty: None };
        let Some(earlier) = self.scope.call(&expression) else {
            return self.scope.add_call(expression, inst);
        };
        for (result, leader) in results.iter().zip(self.func.dfg.results(earlier).to_vec()) {
            self.set_leader(*result, leader);
        }
        self.func.layout.remove_inst(inst);
        self.changed = true;
    }

    fn known_result(&self, opcode: Opcode, args: &[Value]) -> Facts {
        let facts: SmallVec<[&Facts; 3]> = args.iter().map(|arg| &self.facts[*arg]).collect();
        transfer(opcode, &facts)
    }

    /// Adds to what is known of a value.
    pub(super) fn learn(&mut self, value: Value, known: &Facts) {
        self.facts[value] = self.facts[value].meet(known).unwrap_or(*known);
    }

    /// A simpler value equal to `opcode` on `args`, placed before `at` as far as it is new.
    fn reduce(&mut self, opcode: Opcode, args: &[Value], at: Inst, budget: &mut u32) -> Reduced {
        let known = self.known_result(opcode, args);
        if !opcode.is_arithmetic() {
            return Reduced::Stays(known);
        }
        if let Some(word) = known.as_word() {
            return Reduced::To(self.constant(word, opcode_result_type(opcode)));
        }
        if let Some(holds) = self.compared(opcode, args) {
            return Reduced::To(self.constant(Word::from(u64::from(holds)), opcode_result_type(opcode)));
        }
        if *budget == 0 {
            return Reduced::Stays(known);
        }
        *budget -= 1;
        if let Some((opcode, args)) = self.compare_plainly(opcode, args) {
            return Reduced::To(self.emit(opcode, &args, at, budget));
        }
        let view = View { func: self.func, facts: |value| self.facts[value] };
        match self.rules.rewrite(&view, opcode, args) {
            Some((_, built)) => Reduced::To(self.realize(built, at, budget)),
            None => Reduced::Stays(known),
        }
    }

    /// A comparison that says the same for operands within the bounds that are known: unsigned
    /// instead of signed, and without a difference that cannot wrap.
    fn compare_plainly(&mut self, opcode: Opcode, args: &[Value]) -> Option<(Opcode, [Value; 2])> {
        let [a, b] = *args else {
            return None;
        };
        if matches!(opcode, Opcode::SLT | Opcode::SGT) {
            let unsigned = if opcode == Opcode::SLT { Opcode::LT } else { Opcode::GT };
            let is_nonnegative = |value: Value| self.facts[value].is_nonnegative();
            return (is_nonnegative(a) && is_nonnegative(b)).then_some((unsigned, [a, b]));
        }
        if !matches!(opcode, Opcode::LT | Opcode::GT) {
            return None;
        }
        let limit = self.facts[b].as_word()?;
        let inst =
            self.func.dfg.def_inst(a).filter(|inst| self.func.dfg.op(*inst) == Op::Evm(Opcode::SUB))?;
        let [minuend, subtrahend] = *self.func.dfg.args(inst) else {
            return None;
        };
        let less = self.facts[subtrahend].as_word().filter(|less| *less <= self.facts[minuend].lo())?;
        let limit = limit.checked_add(less)?;
        Some((opcode, [minuend, self.constant(limit, Type::U256)]))
    }

    fn realize(&mut self, built: Built<Value>, at: Inst, budget: &mut u32) -> Value {
        match built {
            Built::Value(value) => self.resolve(value),
            Built::Word(word) | Built::Constant(word, _) => self.constant(word, Type::U256),
            Built::Op(opcode, args) => {
                let args: SmallVec<[Value; 3]> =
                    args.into_iter().map(|arg| self.realize(*arg, at, budget)).collect();
                self.emit(opcode, &args, at, budget)
            }
        }
    }

    /// The value of `opcode` on `args`: reduced, found or made.
    pub(super) fn emit(&mut self, opcode: Opcode, args: &[Value], at: Inst, budget: &mut u32) -> Value {
        let known = match self.reduce(opcode, args, at, budget) {
            Reduced::To(value) => return value,
            Reduced::Stays(known) => known,
        };
        let op = Op::Evm(opcode);
        let inst = self.func.dfg.make_inst(op, args, Payload::None);
        let value = self.func.dfg.append_result(inst, opcode_result_type(opcode));
        let expression = self.expression(op, args, Payload::None, value);
        if let Some(leader) = self.scope.leader(&expression) {
            return self.resolve(leader);
        }
        self.func.dfg.inst_mut(inst).loc = self.func.dfg.inst(at).loc;
        self.func.layout.insert_inst_before(inst, at);
        self.facts[value] = facts_of_type(self.func.dfg.ty(value));
        self.learn(value, &known);
        self.scope.add_leader(expression, value);
        self.changed = true;
        value
    }

    /// Operations that are not opcodes.
    fn reduce_other(&mut self, inst: Inst, args: &[Value], result: Value) -> Reduced {
        let op = self.func.dfg.op(inst);
        if let Some(known) = facts_of_linked(op, self.func.dfg.inst(inst).payload, 0) {
            return Reduced::Stays(known);
        }
        if matches!(op, Op::Zext | Op::PtrToInt | Op::IntToPtr) {
            self.facts[result] = self.facts[args[0]];
        }
        let simpler = match op {
            Op::Zext => Some(args[0]),
            Op::PtrToInt => self.defined_by(args[0], Op::IntToPtr),
            Op::IntToPtr => self
                .defined_by(args[0], Op::PtrToInt)
                .filter(|p| self.func.dfg.ty(*p) == self.func.dfg.ty(result)),
            Op::Trunc if self.facts[args[0]].hi() <= self.facts[result].hi() => Some(args[0]),
            Op::Select => match (self.facts[args[0]].as_word(), self.facts[args[0]].is_nonzero()) {
                (_, true) => Some(args[1]),
                (Some(_), false) => Some(args[2]),
                (None, false) => Some(args[1]).filter(|first| *first == args[2]),
            },
            _ => None,
        };
        simpler.map_or(Reduced::Stays(Facts::ANY), Reduced::To)
    }

    fn defined_by(&self, value: Value, op: Op) -> Option<Value> {
        let inst = self.func.dfg.def_inst(value)?;
        (self.func.dfg.op(inst) == op).then(|| self.func.dfg.args(inst)[0])
    }

    pub(super) fn expression(&self, op: Op, args: &[Value], payload: Payload, result: Value) -> Expression {
        let mut operands: SmallVec<[Operand; 3]> = args.iter().map(|arg| self.operand(*arg)).collect();
        let mut op = op;
        if let (Op::Evm(opcode), [first, second]) = (op, &mut operands[..])
            && let Some(swapped) = opcode.with_swapped_operands().filter(|_| first > second)
        {
            std::mem::swap(first, second);
            op = Op::Evm(swapped);
        }
        let payload = match payload {
            Payload::Number(size) => size,
            Payload::Symbol(symbol) => symbol.index() as u64,
            Payload::None
            | Payload::Const(_)
            | Payload::Func(_)
            | Payload::Jump(_)
            | Payload::Branch(_)
            | Payload::Switch(_) => 0,
        };
        let ty = (!matches!(op, Op::Evm(_))).then(|| self.func.dfg.ty(result));
        Expression { op, operands, payload, ty }
    }

    fn operand(&self, value: Value) -> Operand {
        self.func.dfg.const_id(value).map_or(Operand::Value(value), Operand::Const)
    }
}

/// True for pure operations of which one serves all. Opcodes without operands cost no more than
/// copying their result, but what a branch tells of one then holds for all; `localize` gives each
/// block its own again. Every `alloca` is memory of its own.
fn is_shareable(op: Op) -> bool {
    let is_same_everywhere = match op {
        Op::Evm(_) if op.inputs() == Some(0) => op.effects().is_empty(),
        _ => op.effects().is_pure() && op.inputs() != Some(0),
    };
    is_same_everywhere && !matches!(op, Op::DbgTrace | Op::DbgLabel)
}
