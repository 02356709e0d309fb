//! Edges: what is known at the start of a block, and terminators.

use super::order::Order;
use super::{BUDGET, Facts, Simplifier};
use crate::truth::Truth;
use crate::type_facts::facts_of_type;
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{Block, BlockCall, EntityRef, Inst, Op, Payload, SwitchData, Value};
use cairn_rules::transfer_back;
use smallvec::SmallVec;

/// How deep a condition is looked into.
const CONDITION_DEPTH: u32 = 8;

/// An edge into a block.
struct Incoming {
    terminator: Inst,
    /// Which target of the terminator.
    target: usize,
    args: SmallVec<[Value; 4]>,
}

impl Simplifier<'_> {
    /// Facts and leaders of parameters, and what the branch that leads here tells.
    pub(super) fn visit_edges(&mut self, block: Block) {
        let params: SmallVec<[Value; 4]> = self.func.dfg.params(block).iter().copied().collect();
        for param in &params {
            self.facts[*param] = facts_of_type(self.func.dfg.ty(*param));
            if let Some(most) = self.counters.facts(*param) {
                self.learn(*param, &most);
            }
            if let Some(steady) = self.inductive.facts(*param).copied() {
                self.learn(*param, &steady);
            }
        }
        if block == self.func.layout.entry() {
            for (index, param) in params.iter().enumerate() {
                self.refine(*param, self.calls.param(index));
            }
            return;
        }
        let has_unknown = self.cfg.preds(block).iter().any(|pred| !self.visited[pred.index()]);
        if has_unknown {
            return;
        }
        let edges = self.incoming_edges(block);
        for (index, param) in params.iter().enumerate() {
            self.visit_param(*param, index, &edges);
        }
        if let [edge] = &edges[..] {
            self.assume_edge(edge.terminator, edge.target);
        }
    }

    /// Edges from visited blocks that can be taken.
    fn incoming_edges(&self, block: Block) -> Vec<Incoming> {
        let mut edges = Vec::new();
        let mut last = None;
        for pred in self.cfg.preds(block) {
            // Repeated edges from one block stand together.
            if !self.visited[pred.index()] || last.replace(*pred) == Some(*pred) {
                continue;
            }
            let Some(terminator) = self.func.terminator(*pred) else {
                continue;
            };
            let mut target = 0;
            self.func.dfg.for_each_target(terminator, |call| {
                if call.block == block && self.is_taken(*pred) {
                    let args = self.func.dfg.call_args(call).iter().copied().collect();
                    edges.push(Incoming { terminator, target, args });
                }
                target += 1;
            });
        }
        edges
    }

    /// A visited block whose edges count: it was executable.
    fn is_taken(&self, block: Block) -> bool {
        self.reached[block.index()] || block == self.func.layout.entry()
    }

    fn visit_param(&mut self, param: Value, index: usize, edges: &[Incoming]) {
        if edges.is_empty() {
            return;
        }
        let facts = edges.iter().map(|edge| self.facts[edge.args[index]]);
        let joined = facts.reduce(|a, b| a.join(&b)).unwrap_or(Facts::ANY);
        self.facts[param] = self.facts[param].meet(&joined).unwrap_or(joined);
        let first = edges[0].args[index];
        if edges.iter().all(|edge| edge.args[index] == first) && first != param {
            let leader = self.resolve(first);
            self.set_leader(param, leader);
        }
    }

    /// Learns from the way a terminator was left.
    pub(super) fn assume_edge(&mut self, terminator: Inst, target: usize) {
        match self.func.dfg.inst(terminator).payload {
            Payload::Branch(calls) if calls[0].block != calls[1].block => {
                let condition = self.func.dfg.args(terminator)[0];
                self.assume(condition, Truth::behind(target), CONDITION_DEPTH);
            }
            Payload::Switch(id) => {
                let value = self.func.dfg.args(terminator)[0];
                if let Some((word, _)) = self.func.dfg.switch(id).cases.get(target) {
                    self.refine_behind(value, Facts::exactly(*word), CONDITION_DEPTH);
                }
            }
            _ => {}
        }
    }

    /// Learns that `condition` holds, or fails.
    fn assume(&mut self, condition: Value, truth: Truth, depth: u32) {
        let known = match truth {
            Truth::Holds => Facts::between(Word::from(1), Word::MAX),
            Truth::Fails => Facts::exactly(Word::ZERO),
        };
        self.refine_behind(condition, known, depth);
        let Some(inst) = self.func.dfg.def_inst(condition).filter(|_| depth > 0) else {
            return;
        };
        let Op::Evm(opcode) = self.func.dfg.op(inst) else {
            return;
        };
        let args: SmallVec<[Value; 3]> = self.func.dfg.args(inst).iter().copied().collect();
        match (opcode, truth) {
            (Opcode::ISZERO, _) => self.assume(args[0], !truth, depth - 1),
            (Opcode::AND, Truth::Holds) | (Opcode::OR, Truth::Fails) => {
                self.assume(args[0], truth, depth - 1);
                self.assume(args[1], truth, depth - 1);
            }
            (Opcode::EQ, Truth::Holds) | (Opcode::XOR | Opcode::SUB, Truth::Fails) => {
                self.assume_equal(args[0], args[1])
            }
            (Opcode::EQ, Truth::Fails) | (Opcode::XOR | Opcode::SUB, Truth::Holds) => {
                self.assume_different(args[0], args[1])
            }
            (Opcode::LT, Truth::Holds) => self.assume_order(args[0], args[1], Order::Below),
            (Opcode::GT, Truth::Fails) => self.assume_order(args[0], args[1], Order::AtMost),
            (Opcode::GT, Truth::Holds) => self.assume_order(args[1], args[0], Order::Below),
            (Opcode::LT, Truth::Fails) => self.assume_order(args[1], args[0], Order::AtMost),
            (Opcode::SLT, Truth::Fails) if self.facts[args[1]].is_nonnegative() => {
                self.assume_nonnegative(args[0])
            }
            (Opcode::SGT, Truth::Fails) if self.facts[args[0]].is_nonnegative() => {
                self.assume_nonnegative(args[1])
            }
            _ => {}
        }
    }

    fn assume_nonnegative(&mut self, value: Value) {
        self.refine(value, Facts::between(Word::ZERO, word::MAX_SIGNED));
    }

    fn assume_equal(&mut self, a: Value, b: Value) {
        let (a_facts, b_facts) = (self.facts[a], self.facts[b]);
        self.refine_behind(a, b_facts, CONDITION_DEPTH);
        self.refine_behind(b, a_facts, CONDITION_DEPTH);
    }

    fn assume_different(&mut self, a: Value, b: Value) {
        for (value, other) in [(a, b), (b, a)] {
            let Some(word) = self.facts[other].as_word() else {
                continue;
            };
            let (lo, hi) = (self.facts[value].lo(), self.facts[value].hi());
            if lo < hi && word == lo {
                self.refine(value, Facts::between(lo + Word::from(1), hi));
            } else if lo < hi && word == hi {
                self.refine(value, Facts::between(lo, hi - Word::from(1)));
            }
        }
    }

    /// Learns how the first stands to the second.
    fn assume_order(&mut self, first: Value, second: Value, order: Order) {
        let step = match order {
            Order::Below => Word::from(1),
            Order::AtMost => Word::ZERO,
        };
        let (low, high) = (self.facts[first], self.facts[second]);
        if let Some(most) = high.hi().checked_sub(step) {
            self.refine(first, Facts::between(Word::ZERO, most));
        }
        if let Some(least) = low.lo().checked_add(step) {
            self.refine(second, Facts::between(least, Word::MAX));
        }
        let is_told_by_bounds = [first, second].iter().any(|value| self.facts[*value].as_word().is_some());
        if !is_told_by_bounds {
            self.scope.add_above(first, second, order);
        }
    }

    /// Learns of a value and of what it was computed from: a word whose flag is 0 has a 0 in its place.
    fn refine_behind(&mut self, value: Value, known: Facts, depth: u32) {
        if !self.refine(value, known) {
            return;
        }
        let Some(inst) = self.func.dfg.def_inst(value).filter(|_| depth > 0) else {
            return;
        };
        let (Op::Evm(opcode), [a, b]) = (self.func.dfg.op(inst), self.func.dfg.args(inst)) else {
            return;
        };
        let operands = [*a, *b];
        for (index, operand) in operands.into_iter().enumerate() {
            let [a, b] = operands.map(|operand| self.facts[operand]);
            let known = transfer_back(opcode, [&a, &b], index, &self.facts[value]);
            if known != Facts::ANY {
                self.refine_behind(operand, known, depth - 1);
            }
        }
    }

    /// Learns of a value; true if that was news. A contradiction means that the code is never reached; it is not worth
    /// more than leaving the facts as they are.
    fn refine(&mut self, value: Value, known: Facts) -> bool {
        if self.func.dfg.as_const(value).is_some() {
            return false;
        }
        let Some(met) = self.facts[value].meet(&known).filter(|met| *met != self.facts[value]) else {
            return false;
        };
        self.scope.refine(value, met, &mut self.facts);
        true
    }

    pub(super) fn visit_terminator(&mut self, inst: Inst) {
        match self.func.dfg.inst(inst).payload {
            Payload::Branch(calls) => {
                self.visit_branch(inst, calls);
                self.leave_to_later(inst);
            }
            Payload::Switch(id) => {
                let data = self.func.dfg.switch(id).clone();
                self.visit_switch(inst, data);
            }
            _ if self.func.dfg.op(inst) == Op::Iret => {
                self.calls.saw_return(self.func, self.func.dfg.args(inst), &self.facts);
            }
            _ => self.visit_end(inst),
        }
        let reached = &mut self.reached;
        self.func.dfg.for_each_target(inst, |call| reached[call.block.index()] = true);
        self.foresee(inst);
    }

    /// Giving back no bytes needs no address: `return` is `stop` then.
    fn visit_end(&mut self, inst: Inst) {
        let (op, args) = (self.func.dfg.op(inst), self.func.dfg.args(inst));
        let [start, length] = args else {
            return;
        };
        let (start, length) = (*start, *length);
        if !self.facts[length].as_word().is_some_and(|word| word.is_zero()) {
            return;
        }
        match op {
            Op::Evm(Opcode::RETURN) => {
                self.func.dfg.replace_inst(inst, Op::Evm(Opcode::STOP), &[], Payload::None);
                self.changed = true;
            }
            Op::Evm(Opcode::REVERT) if start != length => {
                let zero = self.constant_like(Word::ZERO, length);
                self.func.dfg.replace_inst(inst, op, &[zero, zero], Payload::None);
                self.changed |= [start, length] != [zero, zero];
            }
            _ => {}
        }
    }

    /// Decides a branch, or strips what only turns its condition round.
    fn visit_branch(&mut self, inst: Inst, mut calls: [BlockCall; 2]) {
        let before = self.func.dfg.args(inst)[0];
        let mut condition = before;
        while let Some((tested, is_inverted)) = self.stripped(condition) {
            condition = self.resolve(tested);
            if is_inverted {
                calls.swap(0, 1);
            }
        }
        condition = self.tested(condition, inst, CONDITION_DEPTH);
        let facts = self.facts[condition];
        let decided = facts.is_nonzero().then_some(0).or(facts.as_word().map(|_| 1));
        if let Some(taken) = decided {
            self.func.dfg.replace_inst(inst, Op::Br, &[], Payload::Jump(calls[taken]));
            self.changed = true;
        } else if condition != before {
            self.func.dfg.replace_inst(inst, Op::CondBr, &[condition], Payload::Branch(calls));
            self.changed = true;
        }
    }

    /// Goes past a check that a later one makes again. Sweeps that look ahead leave it: others follow, which learn
    /// from it.
    fn leave_to_later(&mut self, inst: Inst) {
        if self.foresight.is_some() {
            return;
        }
        if let Some(rest) = self.way_past_implied(inst) {
            let call = self.func.dfg.block_call(rest, &[]);
            self.func.dfg.replace_inst(inst, Op::Br, &[], Payload::Jump(call));
            self.changed = true;
        }
    }

    /// The value whose being zero decides whether `condition` is zero, and whether the other way
    /// round.
    fn stripped(&self, condition: Value) -> Option<(Value, bool)> {
        let inst = self.func.dfg.def_inst(condition)?;
        let args = self.func.dfg.args(inst);
        let is_zero = |value: Value| self.func.dfg.as_const(value).is_some_and(|word| word.is_zero());
        match self.func.dfg.op(inst) {
            Op::Evm(Opcode::ISZERO) => Some((args[0], true)),
            Op::Evm(Opcode::GT) if is_zero(args[1]) => Some((args[0], false)),
            Op::Evm(Opcode::LT) if is_zero(args[0]) => Some((args[1], false)),
            _ => None,
        }
    }

    /// A value that is zero exactly if `condition` is, without what only makes it zero or one.
    fn tested(&mut self, condition: Value, at: Inst, depth: u32) -> Value {
        let Some(inst) = self.func.dfg.def_inst(condition).filter(|_| depth > 0) else {
            return condition;
        };
        let args: SmallVec<[Value; 3]> = self.func.dfg.args(inst).iter().copied().collect();
        if self.func.dfg.op(inst) == Op::Evm(Opcode::OR) {
            let sides = [0, 1].map(|index| self.resolve(args[index]));
            let tested = sides.map(|side| self.tested(side, at, depth - 1));
            if tested == sides {
                return condition;
            }
            return self.emit(Opcode::OR, &tested, at, &mut BUDGET.clone());
        }
        match self.stripped(condition) {
            Some((inner, false)) => {
                let inner = self.resolve(inner);
                self.tested(inner, at, depth - 1)
            }
            Some((inner, true)) => self.tested_negation(condition, inner, at, depth),
            None => condition,
        }
    }

    /// The same for `condition`, which is zero exactly if `inner` is not.
    fn tested_negation(&mut self, condition: Value, inner: Value, at: Inst, depth: u32) -> Value {
        let inner = self.resolve(inner);
        if let Some((value, true)) = self.stripped(inner) {
            let value = self.resolve(value);
            return self.tested(value, at, depth - 1);
        }
        let equality =
            self.func.dfg.def_inst(inner).filter(|inst| self.func.dfg.op(*inst) == Op::Evm(Opcode::EQ));
        match equality {
            Some(inst) => {
                let args: SmallVec<[Value; 3]> = self.func.dfg.args(inst).iter().copied().collect();
                let args: SmallVec<[Value; 3]> = args.into_iter().map(|arg| self.resolve(arg)).collect();
                self.emit(Opcode::XOR, &args, at, &mut BUDGET.clone())
            }
            None => condition,
        }
    }

    fn visit_switch(&mut self, inst: Inst, data: SwitchData) {
        let value = self.func.dfg.args(inst)[0];
        let facts = self.facts[value];
        if let Some(word) = facts.as_word() {
            let taken =
                data.cases.iter().find(|(case, _)| *case == word).map_or(data.default, |(_, call)| *call);
            self.func.dfg.replace_inst(inst, Op::Br, &[], Payload::Jump(taken));
            self.changed = true;
            return;
        }
        let n_before = data.cases.len();
        let cases: Vec<_> =
            data.cases.into_iter().filter(|(word, _)| facts.meet(&Facts::exactly(*word)).is_some()).collect();
        if cases.is_empty() {
            self.func.dfg.replace_inst(inst, Op::Br, &[], Payload::Jump(data.default));
            self.changed = true;
        } else if cases.len() < n_before {
            let id = self.func.dfg.make_switch(SwitchData { default: data.default, cases });
            self.func.dfg.replace_inst(inst, Op::Switch, &[value], Payload::Switch(id));
            self.changed = true;
        }
    }
}
