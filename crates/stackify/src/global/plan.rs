//! Plans a function: entry stacks of blocks, actions of each block, and what it all costs.
//!
//! Blocks are taken in reverse postorder. A block behind a two-way branch inherits the stack of its
//! only predecessor; the one that is entered more often is planned together with it (module
//! [`chain`](super::chain)). The entry stack of a merge is chosen when all its forward predecessors are
//! searched: each offers the stack it would leave, with and without its dead words, and the one
//! that is cheapest to reach from all of them and to go on from wins. Back edges must then reach
//! it, so a loop is planned on trial from several entry stacks first (module
//! [`trial`](super::trial)).

use super::Context;
use super::classify::{Home, Homes};
use super::graph::Graph;
use super::live::{Liveness, edge_args, stack_operands};
use super::order::{Item, OrderCx, halts};
use super::search::{BlockCx, BlockPrices, Future, Search, State};
use super::shuffle::{Moves, Prices, Unreachable, shuffle};
use super::slot::{Slot, Stack};
use super::trail::{Action, TRAIL_START, Trail};
use super::trial::Trial;
use crate::code::Exit;
use crate::context::callee_of;
use cairn_ir::{Block, Function, Inst, Op, Payload, SecondaryMap, Value, ValueDef};
use cranelift_entity::EntitySet;

/// Everything known of a function before it is planned.
pub(crate) struct FuncFacts<'a> {
    pub(crate) cx: &'a Context<'a>,
    pub(crate) func: &'a Function,
    pub(crate) graph: Graph,
    pub(crate) live: Liveness,
    pub(crate) homes: Homes,
    /// Calls that take the place of their function's return.
    pub(crate) tail_calls: EntitySet<Inst>,
    pub(crate) num_insts: usize,
    /// Some constants are on the stack.
    pub(crate) shares_constants: bool,
    /// Words have been out of reach.
    pub(crate) is_crowded: bool,
}

/// A planned block.
pub(crate) struct BlockPlan {
    pub(crate) block: Block,
    pub(crate) entry: Stack,
    pub(crate) actions: Vec<Action>,
    pub(crate) exit: Exit,
}

/// A planned function.
pub(crate) struct Plan {
    pub(crate) blocks: Vec<BlockPlan>,
    /// Sum of the costs of all blocks.
    pub(crate) cost: u64,
}

/// A word out of reach, and the stack it lies in.
#[derive(Clone, Debug)]
pub(crate) struct Stuck {
    /// The word.
    pub(crate) far: Unreachable,
    /// Words above it and it, deepest first, as far as known.
    pub(crate) above: Stack,
    /// The block that was planned.
    pub(crate) block: Block,
}

/// Merges with more predecessors than this look at the first ones only for offers.
const MAX_OFFERING: usize = 4;
/// Words on the stack at which values go to memory, whether they are in reach in time or not.
const MAX_HEIGHT: usize = 192;
/// The same where nothing may live in memory: what the EVM's stack holds for a function.
const MAX_HEIGHT_WITHOUT_MEMORY: usize = 960;
/// One unit of gas in the entry block and one byte at λ = 1 cost this much.
const COST_SCALE: f32 = 16.0;
/// Gas of a byte of code when it is deployed.
const DEPOSIT: f32 = 200.0;
/// Costs of gas are kept within this range, so that ties are broken and sums fit.
const COST_RANGE: (f32, f32) = (1.0, 4096.0);

/// A function while it is planned.
pub(crate) struct Planner<'a> {
    pub(crate) facts: &'a FuncFacts<'a>,
    pub(crate) trail: Trail,
    future: Future,
    pub(crate) entry: SecondaryMap<Block, Option<Stack>>,
    /// States at the end of blocks whose successor's entry is not chosen yet.
    pub(crate) waiting: SecondaryMap<Block, Vec<State>>,
    pub(crate) plan: Plan,
    /// The trial that is running.
    pub(crate) trial: Option<Trial>,
    /// Instructions that trials may still plan.
    pub(crate) trial_budget: usize,
    /// Blocks that have a plan.
    pub(crate) planned: EntitySet<Block>,
}

/// Plans a function.
pub(crate) fn plan(facts: &FuncFacts<'_>) -> Result<Plan, Stuck> {
    let mut planner = Planner::new(facts);
    for block in &facts.graph.order {
        let result = planner.choose_entry(*block).and_then(|()| planner.plan_block(*block));
        result.map_err(|far| Stuck { far, above: planner.words_above(*block, far), block: *block })?;
    }
    let index = &facts.graph.index;
    planner.plan.blocks.sort_by_key(|plan| index[plan.block]);
    Ok(planner.plan)
}

/// What a unit of gas in a block costs, and a byte.
pub(crate) fn weights(cx: &Context<'_>, graph: &Graph, block: Block) -> (u32, u32) {
    let runs = cx.module.options.runs.max(1) as f32;
    let (low, high) = COST_RANGE;
    let is_cold = graph.cold.contains(block);
    let frequency = graph.frequency[block];
    let gas = if is_cold { 1.0 } else { (frequency.max(1.0) * COST_SCALE).clamp(low, high) };
    let byte = (DEPOSIT / runs * COST_SCALE).clamp(low, high);
    (gas as u32, byte as u32)
}

impl FuncFacts<'_> {
    /// What the order of blocks is made from.
    pub(crate) fn order_cx(&self) -> OrderCx<'_> {
        OrderCx {
            module: self.cx.module,
            own: self.cx.own,
            func: self.func,
            graph: &self.graph,
            live: &self.live,
            homes: &self.homes,
            conventions: self.cx.conventions,
            tail_calls: &self.tail_calls,
        }
    }

    /// Prices in a block.
    pub(crate) fn prices(&self, block: Block) -> BlockPrices<'_> {
        let (gas, byte) = weights(self.cx, &self.graph, block);
        BlockPrices { homes: &self.homes, gas, byte, reach: self.cx.reach }
    }

    /// Words that may be on the stack in a block: what is passed at once, and some.
    fn greatest_height(&self, items: &[Item]) -> usize {
        let most = if self.cx.may_spill { MAX_HEIGHT } else { MAX_HEIGHT_WITHOUT_MEMORY };
        let operands = |item: &Item| match item {
            Item::Exec(inst) => self.func.dfg.args(*inst).len() + self.func.dfg.results(*inst).len(),
            Item::Save(_) => self.homes.frame.len(),
            Item::Label(_) | Item::Fetch { .. } => 0,
        };
        let passed = items.iter().map(operands).max().unwrap_or(0);
        most + self.func.params().len() + passed
    }

    /// What a block needs on its entry stack: words that live in, then parameters that stay on the
    /// stack, then those to be stored.
    pub(crate) fn needs(&self, block: Block) -> Vec<Slot> {
        let mut needs = Vec::new();
        if self.graph.returning.contains(block) && self.cx.conventions[self.cx.own].returns {
            needs.push(Slot::RETURN_ADDRESS);
        }
        let live = self.live.live_in[block].iter().filter(|value| self.homes.is_on_stack(**value));
        needs.extend(live.map(|value| Slot::value(*value)));
        let params = self.func.dfg.params(block).iter().filter(|value| self.live.needed.contains(**value));
        needs.extend(params.clone().filter(|value| self.homes.is_on_stack(**value)).map(|v| Slot::value(*v)));
        needs.extend(self.stored_params(block));
        needs
    }

    /// The block's parameters that are stored on entry.
    fn stored_params(&self, block: Block) -> Vec<Slot> {
        let is_stored = |value: &&Value| {
            matches!(self.homes.home(**value), Home::Memory(_)) && self.live.needed.contains(**value)
        };
        self.func.dfg.params(block).iter().filter(is_stored).map(|value| Slot::value(*value)).collect()
    }

    /// What a predecessor must leave so that `block` finds `layout`.
    pub(crate) fn edge_target(&self, pred: Block, block: Block, layout: &Stack) -> Stack {
        let last = self.graph.last[pred].expect("invariant: a predecessor has a terminator");
        let args: Vec<(Value, Value)> = edge_args(self.func, last).collect();
        let translate = |slot: &Slot| {
            let index = slot.as_value().and_then(|value| match self.func.dfg.def(value) {
                ValueDef::Param(owner, index) if owner == block => Some(index as usize),
                ValueDef::Param(..) | ValueDef::Result(..) => None,
            });
            index.and_then(|index| args.get(index)).map_or(*slot, |(_, arg)| self.homes.slot(*arg))
        };
        layout.iter().map(translate).collect()
    }

    /// The stack of a predecessor in the words of `block`, words that it lacks on top. Dead words
    /// stay as junk below the highest needed one, or go.
    pub(crate) fn project(&self, pred: Block, block: Block, stack: &Stack, keeps_junk: bool) -> Stack {
        let last = self.graph.last[pred].expect("invariant: a predecessor has a terminator");
        let mut missing = self.needs(block);
        let stored = self.stored_params(block);
        missing.retain(|slot| !stored.contains(slot));
        let args: Vec<(Slot, Slot)> = edge_args(self.func, last)
            .map(|(param, arg)| (Slot::value(param), self.homes.slot(arg)))
            .collect();
        let mut layout = Stack::new();
        for word in stack {
            let found = missing
                .iter()
                .position(|need| need == word)
                .or_else(|| missing.iter().position(|need| args.contains(&(*need, *word))));
            match found {
                Some(at) => layout.push(missing.remove(at)),
                None if keeps_junk => layout.push(Slot::JUNK),
                None => {}
            }
        }
        while layout.last() == Some(&Slot::JUNK) {
            layout.pop();
        }
        layout.extend(missing);
        layout.extend(stored);
        layout
    }
}

impl<'a> Planner<'a> {
    /// Nothing planned yet.
    pub(crate) fn new(facts: &'a FuncFacts<'a>) -> Planner<'a> {
        Planner {
            facts,
            trail: Trail::default(),
            future: Future::new(),
            entry: SecondaryMap::new(),
            waiting: SecondaryMap::new(),
            plan: Plan { blocks: Vec::new(), cost: 0 },
            trial: None,
            trial_budget: super::trial::budget(facts.num_insts),
            planned: EntitySet::new(),
        }
    }
}

impl Planner<'_> {
    /// The entry stack of the block from the far word up, or all of it.
    fn words_above(&self, block: Block, far: Unreachable) -> Stack {
        let stack = self.entry[block].clone().unwrap_or_default();
        let from = stack.iter().position(|slot| *slot == far.slot).unwrap_or(0);
        stack[from..].iter().copied().collect()
    }

    pub(crate) fn choose_entry(&mut self, block: Block) -> Result<(), Unreachable> {
        if self.entry[block].is_some() {
            return Ok(());
        }
        let facts = self.facts;
        if block == facts.graph.order[0] {
            self.set_entry(block, self.function_entry(block));
            return Ok(());
        }
        let forward = |pred: &&Block| !facts.graph.is_back_edge(**pred, block);
        let preds: Vec<Block> = facts.graph.preds[block].iter().filter(forward).copied().collect();
        let layout = match self.try_loop(block, &preds) {
            Some(layout) => layout,
            None => self.choose_layout(block, &preds)?,
        };
        for pred in preds {
            let states = std::mem::take(&mut self.waiting[pred]);
            let target = facts.edge_target(pred, block, &layout);
            self.finish(pred, states, Some(&target), Exit::Jump(block))?;
        }
        self.set_entry(block, layout);
        Ok(())
    }

    /// The offer that is cheapest to reach from all predecessors and to go on from.
    fn choose_layout(&mut self, block: Block, preds: &[Block]) -> Result<Stack, Unreachable> {
        let offers = self.offers_for(block, preds);
        let ahead = (offers.len() > 1).then(|| self.view(block));
        let mut best: Option<(u64, Stack)> = None;
        let mut failure = None;
        for offer in offers {
            match self.price_entry(block, preds, &offer) {
                Ok(mut cost) => {
                    if let Some(ahead) = &ahead {
                        let limit = best.as_ref().map_or(u64::MAX, |(least, _)| *least);
                        cost =
                            cost.saturating_add(self.price_ahead(ahead, &offer, limit.saturating_sub(cost)));
                    }
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, offer));
                    }
                }
                Err(far) => failure = Some(far),
            }
        }
        best.map(|(_, layout)| layout).ok_or_else(|| failure.expect("invariant: a merge has an offer"))
    }

    pub(crate) fn set_entry(&mut self, block: Block, layout: Stack) {
        if let Some(trial) = &mut self.trial {
            trial.entered.push(block);
        }
        self.entry[block] = Some(layout);
    }

    fn set_waiting(&mut self, block: Block, states: Vec<State>) {
        if let Some(trial) = &mut self.trial {
            trial.left.push(block);
        }
        self.waiting[block] = states;
    }

    pub(crate) fn function_entry(&self, block: Block) -> Stack {
        let facts = self.facts;
        let convention = &facts.cx.conventions[facts.cx.own];
        let params = facts.func.dfg.params(block);
        let mut stack = Stack::new();
        if convention.returns && facts.cx.module.module.entry != Some(facts.cx.own) {
            stack.push(Slot::RETURN_ADDRESS);
        }
        stack.extend(convention.params.iter().map(|index| Slot::value(params[*index as usize])));
        stack
    }

    pub(crate) fn offers_for(&self, block: Block, preds: &[Block]) -> Vec<Stack> {
        let mut offers: Vec<Stack> = Vec::new();
        let mut add = |offer: Stack| {
            if !offers.contains(&offer) {
                offers.push(offer);
            }
        };
        for pred in preds.iter().take(MAX_OFFERING) {
            let Some(state) = self.waiting[*pred].first() else {
                continue;
            };
            add(self.facts.project(*pred, block, &state.stack, false));
            add(self.facts.project(*pred, block, &state.stack, true));
        }
        offers
    }

    /// What it costs all predecessors to leave `layout`, and the block to drop its junk.
    pub(crate) fn price_entry(
        &self,
        block: Block,
        preds: &[Block],
        layout: &Stack,
    ) -> Result<u64, Unreachable> {
        let facts = self.facts;
        let mut total: u64 = 0;
        for pred in preds {
            let target = facts.edge_target(*pred, block, layout);
            let prices = facts.prices(*pred);
            let mut least = None;
            let mut failure = None;
            for state in &self.waiting[*pred] {
                let mut stack = state.stack.clone();
                match shuffle(&mut stack, &target, &prices, &mut Moves::new()) {
                    Ok(cost) => {
                        let cost = state.cost + u64::from(cost);
                        least = Some(least.map_or(cost, |least: u64| least.min(cost)));
                    }
                    Err(far) => failure = Some(far),
                }
            }
            total += least.ok_or_else(|| failure.expect("invariant: a predecessor has states"))?;
        }
        if facts.graph.returning.contains(block) {
            let prices = facts.prices(block);
            let junk = layout.iter().filter(|slot| **slot == Slot::JUNK).count() as u64;
            total += junk * u64::from(prices.pop() + prices.swap() / 2);
        }
        Ok(total)
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
            trial.offer = Some(facts.project(block, target, &states[0].stack, false));
        }
        let wanted = facts.edge_target(block, target, &layout);
        self.finish(block, states, Some(&wanted), Exit::Jump(target)).map(|_| ())
    }

    pub(crate) fn search_block(
        &mut self,
        block: Block,
        entries: &[State],
        items: &[Item],
        end: &End,
        effort: Effort,
    ) -> Result<Vec<State>, Unreachable> {
        let facts = self.facts;
        let returns = facts.graph.returning.contains(block);
        if matches!(effort, Effort::Full | Effort::Ahead(_)) {
            self.future.begin(returns);
            self.mark_live_out(block, end);
        } else {
            self.future.begin_again();
        }
        let in_memory = |value: &&Value| matches!(facts.homes.home(**value), Home::Memory(_));
        let params = facts.func.dfg.params(block).iter();
        let values = facts.live.live_in[block].iter().chain(params).filter(in_memory);
        self.future.available.extend(values.copied());
        let cx = BlockCx {
            func: facts.func,
            conventions: facts.cx.conventions,
            prices: facts.prices(block),
            is_lazy: !returns && !facts.cx.module.options.strict_stack && !facts.is_crowded,
            greatest_height: facts.greatest_height(items),
            width: match effort {
                Effort::Below(_) => 1,
                Effort::Ahead(_) => WIDTH_AHEAD,
                Effort::Full | Effort::Again => {
                    width(items.len(), facts.num_insts) * if facts.is_crowded { 2 } else { 1 }
                }
            },
            is_crowded: facts.is_crowded,
            limit: match effort {
                Effort::Below(limit) => Some(limit),
                Effort::Full | Effort::Again | Effort::Ahead(_) => None,
            },
            least: match effort {
                Effort::Ahead(least) => least,
                Effort::Full | Effort::Again | Effort::Below(_) => u64::MAX,
            },
        };
        let mut stored = facts.stored_params(block);
        stored.sort_by_key(|slot| entries[0].stack.iter().position(|word| word == slot));
        let mut search = Search::new(cx, &mut self.trail, &mut self.future, entries, items);
        search.run(items, &stored)?;
        Ok(search.into_states())
    }

    fn mark_live_out(&mut self, block: Block, end: &End) {
        let facts = self.facts;
        let mut successors: smallvec::SmallVec<[Block; 2]> = smallvec::SmallVec::new();
        facts.graph.for_each_successor(facts.func, block, |next| successors.push(next));
        for next in successors {
            facts.live.live_in[next].iter().for_each(|value| self.future.add_live_out(*value));
        }
        if let Some(last) = facts.graph.last[block] {
            let args = edge_args(facts.func, last).filter(|(param, _)| facts.live.needed.contains(*param));
            args.for_each(|(_, arg)| self.future.add_live_out(arg));
        }
        if let End::Leave { target, .. } = end {
            target.iter().filter_map(|slot| slot.as_value()).for_each(|v| self.future.add_live_out(v));
        }
    }

    pub(crate) fn block_end(&self, block: Block) -> End {
        let facts = self.facts;
        let last = facts.graph.last[block].expect("invariant: a block has a last instruction");
        let data = facts.func.dfg.inst(last);
        match (data.op, data.payload) {
            (Op::Br, Payload::Jump(call)) => End::Jump(call.block),
            (Op::CondBr, Payload::Branch([then, otherwise])) => {
                End::Branch { then: then.block, otherwise: otherwise.block }
            }
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

    /// Ends a block in its cheapest state, shuffled to `target` if there is one; its stack.
    fn finish(
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
}

/// How a block is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// For the first time, with as many states as is worth it.
    Full,
    /// Like `Full`, right after another search of the block.
    Again,
    /// With one state, to see what an entry stack leads to, until it costs as much as this.
    Ahead(u64),
    /// With one state, right after another search of the block, as long as it costs less than this.
    Below(u64),
}

/// How a block ends.
pub(crate) enum End {
    Jump(Block),
    Branch {
        then: Block,
        otherwise: Block,
    },
    Halt,
    /// With exactly these words on the stack.
    Leave {
        target: Stack,
        exit: Exit,
    },
}

/// States kept to see what an entry stack leads to.
const WIDTH_AHEAD: usize = 1;

/// States kept side by side in a block.
fn width(num_items: usize, num_insts: usize) -> usize {
    match num_items.max(num_insts / 8) {
        0..=256 => 24,
        257..=1024 => 4,
        _ => 2,
    }
}
