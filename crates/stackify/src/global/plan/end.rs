//! How blocks end: what a terminator asks of the stack, and the state that is cheapest to end in.

use super::planner::{BlockPlan, End, Planner};
use crate::code::Exit;
use crate::context::callee_of;
use crate::global::facts::edges::DeadWords;
use crate::global::facts::live::stack_operands;
use crate::global::facts::order::halts;
use crate::global::search::state::State;
use crate::global::stack::shuffle::{Moves, Unreachable, shuffle};
use crate::global::stack::slot::{Slot, Stack};
use crate::global::stack::trail::{Action, TRAIL_START};
use cairn_ir::{Block, Inst, Op, Payload};

impl Planner<'_> {
    pub(crate) fn block_end(&self, block: Block) -> End {
        let facts = self.facts;
        let last = facts.graph.last[block].expect("invariant: a block has a last instruction");
        let data = facts.func.dfg.inst(last);
        match (data.op(), data.payload) {
            (Op::Br, Payload::Jump(call)) => End::Jump(call.block),
            (Op::CondBr, Payload::Branch([then, otherwise])) => {
                End::Branch { then: then.block, otherwise: otherwise.block }
            }
            (Op::Switch, _) => End::Table(last),
            (Op::Iret, _) => self.leave(last),
            (op, _) if halts(op) && facts.cx.module.options.strict_stack => {
                let operands = stack_operands(facts.func, facts.cx.conventions, last);
                let target = operands.iter().map(|value| facts.homes.slot(*value)).collect();
                End::Leave { target, exit: Exit::Halt }
            }
            _ => End::Halt,
        }
    }

    fn leave(&self, iret: Inst) -> End {
        let facts = self.facts;
        let before = facts.func.layout.prev_inst(iret).filter(|inst| facts.tail_calls.contains(*inst));
        if let Some(call) = before {
            let callee = callee_of(facts.func, call).expect("invariant: a tail call has a callee");
            let args = stack_operands(facts.func, facts.cx.conventions, call);
            let mut target: Stack = smallvec::smallvec![Slot::RETURN_ADDRESS];
            target.extend(args.iter().map(|value| facts.homes.slot(*value)));
            return End::Leave { target, exit: Exit::TailCall(callee) };
        }
        let convention = &facts.cx.conventions[facts.cx.own];
        let args = facts.func.dfg.args(iret);
        let mut target: Stack =
            convention.results.iter().map(|index| facts.homes.slot(args[*index as usize])).collect();
        target.push(Slot::RETURN_ADDRESS);
        End::Leave { target, exit: Exit::Return }
    }

    /// Ends a block in one of these states, all with the same past.
    pub(crate) fn end_block(
        &mut self,
        block: Block,
        end: End,
        states: Vec<State>,
    ) -> Result<(), Unreachable> {
        match end {
            End::Jump(target) => self.end_with_jump(block, target, states),
            End::Branch { then, otherwise } => {
                let stack = self.finish(block, states, None, Exit::Branch { then, otherwise })?;
                self.set_entry(then, stack.clone());
                self.set_entry(otherwise, stack);
                Ok(())
            }
            End::Table(switch) => {
                let stack = self.finish(block, states, None, Exit::Table(switch))?;
                let targets = Exit::Table(switch).targets(self.facts.func);
                targets.into_iter().for_each(|target| self.set_entry(target, stack.clone()));
                Ok(())
            }
            End::Halt => self.finish(block, states, None, Exit::Halt).map(|_| ()),
            End::Leave { target, exit } => self.finish(block, states, Some(&target), exit).map(|_| ()),
        }
    }

    fn end_with_jump(&mut self, block: Block, target: Block, states: Vec<State>) -> Result<(), Unreachable> {
        let Some(layout) = self.entry[target].clone() else {
            self.set_waiting(block, states);
            return Ok(());
        };
        let facts = self.facts;
        if let Some(trial) = self.trial.as_mut().filter(|trial| trial.header == target) {
            trial.offer = Some(facts.project(block, target, &states[0].stack, DeadWords::Go));
        }
        let wanted = facts.edge_target(block, target, &layout);
        self.finish(block, states, Some(&wanted), Exit::Jump(target)).map(|_| ())
    }

    fn set_waiting(&mut self, block: Block, states: Vec<State>) {
        if let Some(trial) = &mut self.trial {
            trial.left.push(block);
        }
        self.waiting[block] = states;
    }

    /// Ends a block in its cheapest state, shuffled to `target` if there is one; its stack.
    pub(super) fn finish(
        &mut self,
        block: Block,
        states: Vec<State>,
        target: Option<&Stack>,
        exit: Exit,
    ) -> Result<Stack, Unreachable> {
        let prices = self.facts.prices(block);
        let mut best: Option<(u64, Stack, Moves, u32)> = None;
        let mut failure = None;
        for state in states {
            let mut stack = state.stack;
            let mut moves = Moves::new();
            let cost = match target {
                Some(target) => match shuffle(&mut stack, target, &prices, &mut moves) {
                    Ok(cost) => state.cost + u64::from(cost),
                    Err(far) => {
                        failure = Some(far);
                        continue;
                    }
                },
                None => state.cost,
            };
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, stack, moves, state.last));
            }
            if target.is_none() {
                break;
            }
        }
        let Some((cost, stack, moves, last)) = best else {
            return Err(failure.expect("invariant: a block has a state"));
        };
        let mut last = self.trail.extend(last, &moves);
        if let (Exit::Halt, Some(_)) = (exit, target) {
            let inst = self.facts.graph.last[block].expect("invariant: a block has a last instruction");
            last = self.trail.push(last, Action::Exec(inst, None));
        }
        let actions = if last == TRAIL_START { Vec::new() } else { self.trail.actions(last) };
        let entry = self.entry[block].clone().expect("invariant: the entry was chosen");
        self.plan.cost += cost;
        self.plan.blocks.push(BlockPlan { block, entry, actions, exit });
        Ok(stack)
    }

    /// What it costs to end a block in the best of these states, as far as known, and which it is.
    pub(crate) fn price_end(&self, block: Block, states: &[State], end: &End) -> (u64, usize) {
        let facts = self.facts;
        let layout = match end {
            End::Jump(next) => {
                self.entry[*next].as_ref().map(|layout| facts.edge_target(block, *next, layout))
            }
            End::Leave { target, .. } => Some(target.clone()),
            End::Branch { .. } | End::Table(_) => None,
            End::Halt => return (states[0].cost, 0),
        };
        let Some(layout) = layout else {
            return (states[0].cost + states[0].outlook, 0);
        };
        let prices = facts.prices(block);
        let price = |state: &State| {
            let mut stack = state.stack.clone();
            let cost = shuffle(&mut stack, &layout, &prices, &mut Moves::new());
            cost.map_or(u64::MAX, |cost| state.cost + u64::from(cost))
        };
        let prices = states.iter().map(price).zip(0..);
        prices.min().expect("invariant: a block that was searched has a state")
    }
}
