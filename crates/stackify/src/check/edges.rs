//! Entry, calls, exits and edges; demands on memory along the edges.

use super::Rule;
use super::memory::{Content, Demand, Event};
use super::replay::{FuncChecker, Stop};
use super::word::Sym;
use crate::code::{BlockCode, Convention, Exit, StackWord};
use crate::context::callee_of;
use cairn_ir::{Block, Func, Inst, Op, Payload, Value, table};

impl<'a> FuncChecker<'a> {
    /// The entry block comes first and finds the stack as callers leave it.
    pub(super) fn check_entry(&mut self) {
        let Some(first) = self.code.blocks.first() else {
            return self.report(Rule::ValidTarget, "the function has no code");
        };
        if first.block != self.func.layout.entry() {
            return self.report(Rule::ValidTarget, "the first block is not the entry");
        }
        let mut expected = Vec::new();
        if self.code.convention.returns && self.cx.module.entry != Some(self.id) {
            expected.push(StackWord::ReturnAddress);
        }
        for index in &self.code.convention.params {
            match self.func.params().get(*index as usize) {
                Some(value) => expected.push(StackWord::Value(*value)),
                None => return self.report(Rule::Convention, format!("parameter {index} does not exist")),
            }
        }
        let fits = |(have, want): (&StackWord, &StackWord)| have == want || *have == StackWord::Junk;
        if first.entry.len() != expected.len() || !first.entry.iter().zip(&expected).all(fits) {
            self.report(
                Rule::Convention,
                format!("the entry layout is {:?} instead of {expected:?}", first.entry),
            );
        }
    }

    fn convention(&self, func: Func) -> Option<&'a Convention> {
        self.module[func].as_ref().map(|scheduled| &scheduled.code.convention)
    }

    /// A return label is pushed for a call that comes back.
    pub(super) fn check_return_label(&mut self, call: Inst) -> Result<(), Stop> {
        let callee = callee_of(self.func, call).and_then(|callee| self.convention(callee));
        if callee.is_some_and(|convention| convention.returns) {
            return Ok(());
        }
        self.report(Rule::ValidTarget, format!("{call} does not come back"));
        Err(Stop)
    }

    pub(super) fn replay_call(&mut self, origin: Option<Inst>, callee: Func) -> Result<(), Stop> {
        let Some(inst) = origin.filter(|inst| callee_of(self.func, *inst) == Some(callee)) else {
            self.report(Rule::Origin, format!("no instruction calls {callee}"));
            return Err(Stop);
        };
        let Some(convention) = self.convention(callee) else {
            self.report(Rule::ValidTarget, format!("{callee} has no code"));
            return Err(Stop);
        };
        let args = self.func.dfg.args(inst);
        self.take_args(inst, args, convention)?;
        if convention.returns {
            self.take_label(Sym::CallReturn(inst))?;
        }
        self.carry_out_effects(inst)?;
        if self.cx.is_reentrant(self.id, callee) {
            self.memory.lose_all(self.at.0);
        }
        if convention.returns {
            let results = self.func.dfg.results(inst);
            for index in &convention.results {
                self.stack.push(Sym::of(self.func, results[*index as usize]));
            }
        }
        Ok(())
    }

    fn take_args(&mut self, inst: Inst, args: &[Value], convention: &Convention) -> Result<(), Stop> {
        if convention.params.iter().any(|index| *index as usize >= args.len()) {
            self.report(Rule::Convention, format!("{inst} passes too few arguments"));
            return Err(Stop);
        }
        let passed: Vec<Value> = convention.params.iter().rev().map(|index| args[*index as usize]).collect();
        self.take_operands(inst, &passed)
    }

    fn take_label(&mut self, expected: Sym) -> Result<(), Stop> {
        let word = self.pop()?;
        if self.matches(word, expected) {
            return Ok(());
        }
        self.report(Rule::Convention, format!("{word:?} lies below the arguments instead of {expected:?}"));
        Err(Stop)
    }

    /// Checks how a block ends; gives the instruction after which nothing is carried out.
    pub(super) fn check_exit(&mut self, code: &BlockCode) -> Option<Inst> {
        let terminator = self.func.terminator(code.block);
        match (code.exit, terminator) {
            (Exit::Halt, _) => return self.check_halt(code),
            (_, None) => self.report(Rule::ValidTarget, "the block has no terminator"),
            (Exit::Jump(target), Some(inst)) => self.check_jump(target, inst),
            (Exit::Branch { then, otherwise }, Some(inst)) => self.check_branch([then, otherwise], inst),
            (Exit::Table(switch), Some(inst)) => self.check_table(switch, inst),
            (Exit::Return, Some(inst)) => self.check_return(inst),
            (Exit::TailCall(callee), Some(inst)) => self.check_tail_call(callee, inst),
        }
        None
    }

    fn check_halt(&mut self, code: &BlockCode) -> Option<Inst> {
        let last = code.steps.last().and_then(|step| step.origin);
        let Some(inst) = last else {
            self.report(Rule::ValidTarget, "the last step does not halt");
            return None;
        };
        let is_lost = callee_of(self.func, inst)
            .is_some_and(|callee| self.convention(callee).is_some_and(|convention| !convention.returns));
        let op = self.func.dfg.op(inst);
        let halts = matches!(op, Op::Evm(opcode) if opcode.halts());
        if !is_lost && !halts {
            self.report(Rule::ValidTarget, format!("the last step, `{}`, does not halt", op.name()));
        }
        if halts && self.cx.options.strict_stack && !self.stack.is_empty() {
            self.report(Rule::NoDeadStack, format!("{:?} lies under the terminator", self.stack));
        }
        Some(inst)
    }

    fn check_jump(&mut self, target: Block, inst: Inst) {
        match self.func.dfg.inst(inst).payload {
            Payload::Jump(call) if call.block == target => {
                self.check_edge(target, self.func.dfg.call_args(&call));
            }
            _ => self.report(Rule::ValidTarget, format!("{inst} does not jump to {target}")),
        }
    }

    fn check_branch(&mut self, targets: [Block; 2], inst: Inst) {
        let Payload::Branch(calls) = self.func.dfg.inst(inst).payload else {
            return self.report(Rule::ValidTarget, format!("{inst} does not branch"));
        };
        if calls.map(|call| call.block) != targets {
            return self.report(Rule::ValidTarget, format!("{inst} does not branch to {targets:?}"));
        }
        if self.take_operands(inst, self.func.dfg.args(inst)).is_err() {
            return;
        }
        calls.iter().for_each(|call| self.check_edge(call.block, self.func.dfg.call_args(call)));
    }

    fn check_table(&mut self, switch: Inst, inst: Inst) {
        let Some(entries) = table::entries(self.func, inst).filter(|_| switch == inst) else {
            return self.report(Rule::ValidTarget, format!("{inst} is no jump through a table"));
        };
        if self.take_operands(inst, self.func.dfg.args(inst)).is_err() {
            return;
        }
        entries.iter().for_each(|call| self.check_edge(call.block, self.func.dfg.call_args(call)));
    }

    /// The stack is the successor's entry layout, parameters standing for the arguments passed.
    fn check_edge(&mut self, target: Block, args: &[Value]) {
        let Some(code) = self.by_block[target] else {
            return self.report(Rule::ValidTarget, format!("{target} has no code"));
        };
        if code.entry.len() != self.stack.len() {
            let detail = format!("{} words instead of {} for {target}", self.stack.len(), code.entry.len());
            let rule = if self.stack.len() > code.entry.len() { Rule::NoDeadStack } else { Rule::Layout };
            return self.report(rule, detail);
        }
        for (index, want) in code.entry.iter().enumerate() {
            let want = Sym::of_layout(self.func, *want);
            let expected = self.through_edge(target, args, want);
            let word = self.stack[index];
            if expected != Sym::Junk && !self.matches(word, expected) {
                let detail = format!("word {index} is {word:?} instead of {expected:?} for {target}");
                return self.report(Rule::Layout, detail);
            }
        }
    }

    /// What a word at the entry of `target` is before an edge that passes `args`.
    fn through_edge(&self, target: Block, args: &[Value], word: Sym) -> Sym {
        let Sym::Value(value) = word else { return word };
        let params = self.func.dfg.params(target);
        match params.iter().position(|param| *param == value) {
            Some(index) if index < args.len() => Sym::of(self.func, args[index]),
            Some(_) | None => word,
        }
    }

    fn check_return(&mut self, inst: Inst) {
        if self.func.dfg.op(inst) != Op::Iret || !self.code.convention.returns {
            return self.report(Rule::ValidTarget, format!("{inst} does not return"));
        }
        let args = self.func.dfg.args(inst);
        let results = &self.code.convention.results;
        if results.len() != args.len() || results.iter().any(|index| *index as usize >= args.len()) {
            return self.report(Rule::Convention, "not every result is returned");
        }
        let passed: Vec<Value> = results.iter().rev().map(|index| args[*index as usize]).collect();
        if self.take_label(Sym::ReturnAddress).is_err() || self.take_operands(inst, &passed).is_err() {
            return;
        }
        self.check_nothing_left();
    }

    fn check_nothing_left(&mut self) {
        if !self.stack.is_empty() {
            self.report(Rule::AllConsumed, format!("{:?} is left behind", self.stack));
        }
    }

    /// A call directly before an `iret` of its results, in the callee's order.
    fn check_tail_call(&mut self, callee: Func, iret: Inst) {
        let call =
            self.func.layout.prev_inst(iret).filter(|inst| callee_of(self.func, *inst) == Some(callee));
        let (Some(call), Some(convention)) = (call, self.convention(callee)) else {
            return self.report(Rule::ValidTarget, format!("no call of {callee} stands before {iret}"));
        };
        let (results, args) = (self.func.dfg.results(call), self.func.dfg.args(iret));
        let theirs = convention.results.iter().map(|index| results[*index as usize]);
        let ours = self.code.convention.results.iter().map(|index| args[*index as usize]);
        let is_iret = self.func.dfg.op(iret) == Op::Iret;
        if !is_iret || !convention.returns || !self.code.convention.returns || !theirs.eq(ours) {
            return self.report(Rule::Convention, format!("{call} does not leave the results of {iret}"));
        }
        let is_taken = self.take_args(call, self.func.dfg.args(call), convention).is_ok()
            && self.take_label(Sym::ReturnAddress).is_ok()
            && self.carry_out_effects(call).is_ok();
        if is_taken {
            self.check_nothing_left();
        }
    }

    /// Decides ambiguous demands, then follows all others.
    pub(super) fn settle_demands(&mut self) {
        for [first, second] in std::mem::take(&mut self.ambiguous) {
            let found = self.violations.len();
            let demands = self.memory.take_demands();
            first.into_iter().for_each(|demand| self.memory.demand(demand));
            self.follow_demands();
            let holds = self.violations.len() == found;
            self.violations.truncate(found);
            self.memory.put_back(demands);
            if !holds {
                second.into_iter().for_each(|demand| self.memory.demand(demand));
            }
        }
        self.follow_demands();
    }

    /// Follows all demands backwards to the stores that fulfil them.
    fn follow_demands(&mut self) {
        while let Some(demand) = self.memory.next_demand() {
            if demand.block == self.func.layout.entry() && matches!(demand.content, Content::Word(_)) {
                let detail = format!("nothing was stored in frame word {} on some path", demand.word);
                self.report_at(demand.origin.0, demand.origin.1, Rule::Reload, detail);
                continue;
            }
            let preds = self.preds[demand.block].clone();
            preds.into_iter().for_each(|pred| self.follow_to(demand, pred));
        }
    }

    fn follow_to(&mut self, demand: Demand, pred: Block) {
        let mut edges: Vec<Content> = Vec::new();
        if let Some(inst) = self.func.terminator(pred) {
            self.func.dfg.for_each_target(inst, |call| {
                if call.block == demand.block {
                    edges.push(match demand.content {
                        Content::Word(word) => {
                            Content::Word(self.through_edge(call.block, self.func.dfg.call_args(call), word))
                        }
                        Content::Owned(_) => demand.content,
                    });
                }
            });
        }
        edges.into_iter().for_each(|content| self.meet(Demand { block: pred, content, ..demand }));
    }

    /// A demand at the end of a block.
    fn meet(&mut self, demand: Demand) {
        let event = self.memory.last(demand.block, demand.word);
        let is_met = match (event, demand.content) {
            (None, _) => {
                self.memory.demand(demand);
                true
            }
            (Some(Event::Stored(Sym::AtEntry(word))), Content::Word(_)) => {
                self.memory.demand(Demand { word, ..demand });
                true
            }
            (Some(Event::Stored(held)), Content::Word(word)) => held == word,
            (Some(Event::Owned(owner)), Content::Owned(alloca)) => owner == alloca,
            (Some(_), _) => false,
        };
        if !is_met {
            let rule = match demand.content {
                Content::Word(_) => Rule::Reload,
                Content::Owned(_) => Rule::Intact,
            };
            let detail =
                format!("{:?} is not in frame word {} after {}", demand.content, demand.word, demand.block);
            self.report_at(demand.origin.0, demand.origin.1, rule, format!("{detail}: {event:?}"));
        }
    }
}
