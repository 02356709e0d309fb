//! Chooses what lives in memory when the stack is too deep.
//!
//! *Pressure*: words that must be on the stack at a point, operands of the instruction included. Where it
//! passes a limit, values go to memory: those first that relieve many such points for little, cost
//! being the frequencies of the store and of the reloads. The limit falls with each round; the last
//! round sends everything to memory, after which nothing is out of reach.

use super::func::FuncFacts;
use super::homes::Home;
use super::live::{edge_args, executed, stack_operands};
use crate::global::stack::slot::Slot;
use cairn_evm::Cost;
use cairn_ir::{Block, Inst, SecondaryMap, Value, ValueDef};
use cranelift_entity::EntitySet;

/// Parameters of a function that may stay on the stack: those deeper are in reach only when the
/// ones above are gone.
const MAX_STACK_PARAMS: usize = 10;
/// Gas of storing a copy of a value.
const STORE_GAS: f32 = (Cost::DUP.gas + Cost::STORE.gas) as f32;
/// Gas of loading a value instead of copying it.
const RELOAD_GAS: f32 = (Cost::RELOAD.gas - Cost::DUP.gas) as f32;

/// What a value costs in memory and how many crowded points it relieves.
#[derive(Clone, Copy, Default)]
struct Weight {
    cost: f32,
    relief: f32,
}

/// Sends values to memory so that no point needs more than `limit` words, and the word that was
/// out of reach; whether there were any.
pub(crate) fn spill_to_limit(facts: &mut FuncFacts<'_>, limit: usize, far: Slot) -> bool {
    let mut chosen: EntitySet<Value> = EntitySet::new();
    if let Some(value) = far.as_value().filter(|value| facts.homes.is_on_stack(*value)) {
        chosen.insert(value);
    }
    let weights = weigh(facts, limit);
    let mut live = LiveWords::default();
    for block in &facts.graph.order {
        for_each_point(facts, *block, &mut live, |live, extra| {
            let mut on_stack: Vec<Value> =
                live.iter().filter(|value| !chosen.contains(**value)).copied().collect();
            let pressure = on_stack.len() + extra;
            if pressure > limit {
                let rank = |value: &Value| weights[*value].cost / weights[*value].relief.max(1.0);
                on_stack.sort_by(|a, b| rank(a).total_cmp(&rank(b)).then(a.cmp(b)));
                chosen.extend(on_stack.into_iter().take(pressure - limit));
            }
        });
    }
    spill_all(facts, chosen)
}

/// Sends every value to memory; whether there were any left.
pub(crate) fn spill_everything(facts: &mut FuncFacts<'_>) -> bool {
    let mut chosen: EntitySet<Value> = EntitySet::new();
    for block in &facts.graph.order {
        chosen.extend(facts.func.dfg.params(*block).iter().copied());
        for inst in executed(facts.func, &facts.graph, *block) {
            chosen.extend(facts.func.dfg.results(inst).iter().copied());
        }
    }
    spill_all(facts, chosen)
}

/// Makes cheap pure trees again at each use; whether there were any.
pub(crate) fn make_again(facts: &mut FuncFacts<'_>) -> bool {
    let fork = facts.cx.module.options.fork;
    let mut changed = false;
    for block in facts.graph.order.clone() {
        for inst in executed(facts.func, &facts.graph, block) {
            if let [value] = facts.func.dfg.results(inst) {
                let is_kept = facts.homes.is_on_stack(*value);
                changed |= is_kept && facts.homes.try_make_again(facts.func, *value, fork);
            }
        }
    }
    changed
}

fn spill_all(facts: &mut FuncFacts<'_>, mut chosen: EntitySet<Value>) -> bool {
    add_params_above(facts, &mut chosen);
    let fork = facts.cx.module.options.fork;
    let mut changed = false;
    for block in facts.graph.order.clone() {
        let params = facts.func.dfg.params(block).iter().copied();
        let results = executed(facts.func, &facts.graph, block)
            .flat_map(|inst| facts.func.dfg.results(inst).iter().copied());
        for value in params.chain(results).collect::<Vec<_>>() {
            let is_spilled = chosen.contains(value) && facts.live.needed.contains(value);
            if is_spilled && facts.homes.is_on_stack(value) {
                facts.homes.spill(facts.func, value, fork);
                changed = true;
            }
        }
    }
    changed
}

/// A parameter of the function in memory must be reached when it is stored: those that lie above
/// it go too, and those beyond what can stay.
fn add_params_above(facts: &FuncFacts<'_>, chosen: &mut EntitySet<Value>) {
    let convention = &facts.cx.conventions[facts.cx.own];
    let params = facts.func.dfg.params(facts.graph.order[0]);
    let order: Vec<Value> = convention.params.iter().map(|index| params[*index as usize]).collect();
    let deepest = order
        .iter()
        .position(|value| chosen.contains(*value) || matches!(facts.homes.home(*value), Home::Memory(_)));
    let reach = facts.cx.reach.swap as usize;
    let is_far = deepest.is_some_and(|at| order.len() - at > reach);
    if order.len() > MAX_STACK_PARAMS {
        chosen.extend(order[MAX_STACK_PARAMS..].iter().copied());
    }
    if is_far {
        chosen.extend(order[deepest.unwrap_or(0)..].iter().copied());
    }
}

/// Costs of all values, and how many points above the limit each would relieve.
fn weigh(facts: &FuncFacts<'_>, limit: usize) -> SecondaryMap<Value, Weight> {
    let mut weights: SecondaryMap<Value, Weight> = SecondaryMap::new();
    for block in &facts.graph.order {
        let frequency = facts.graph.frequency[*block];
        facts.func.dfg.params(*block).iter().for_each(|value| weights[*value].cost += STORE_GAS * frequency);
        for inst in executed(facts.func, &facts.graph, *block) {
            for value in facts.func.dfg.results(inst) {
                weights[*value].cost += STORE_GAS * frequency;
            }
            for value in stack_operands(facts.func, facts.cx.conventions, inst) {
                weights[value].cost += RELOAD_GAS * frequency;
            }
            edge_args(facts.func, inst).for_each(|(_, value)| weights[value].cost += RELOAD_GAS * frequency);
        }
    }
    let mut live = LiveWords::default();
    for block in &facts.graph.order {
        for_each_point(facts, *block, &mut live, |live, extra| {
            if live.len() + extra > limit {
                live.iter().for_each(|value| weights[*value].relief += 1.0);
            }
        });
    }
    weights
}

/// A set of values that can be listed, in no order that means anything.
#[derive(Default)]
struct LiveWords {
    words: Vec<Value>,
    places: SecondaryMap<Value, PackedPlace>,
}

/// A place in a list plus one; 0 for none.
type PackedPlace = u32;

impl LiveWords {
    /// Costs as much as there is in the set.
    fn clear(&mut self) {
        self.words.drain(..).for_each(|value| self.places[value] = 0);
    }

    fn contains(&self, value: Value) -> bool {
        self.places[value] != 0
    }

    fn insert(&mut self, value: Value) {
        if !self.contains(value) {
            self.words.push(value);
            self.places[value] = self.words.len() as PackedPlace;
        }
    }

    fn remove(&mut self, value: Value) {
        let place = std::mem::take(&mut self.places[value]);
        if place != 0 {
            self.words.swap_remove(place as usize - 1);
            if let Some(moved) = self.words.get(place as usize - 1) {
                self.places[*moved] = place;
            }
        }
    }
}

/// Calls `f` with the values on the stack at each point of a block, last first, and the number of
/// other words there. `live` is room to work in.
fn for_each_point(
    facts: &FuncFacts<'_>,
    block: Block,
    live: &mut LiveWords,
    mut f: impl FnMut(&[Value], usize),
) {
    let most = facts.effort().max_examined_words;
    let on_stack = |value: &Value| facts.homes.is_on_stack(*value);
    live.clear();
    let add = |live: &mut LiveWords, value: Value| {
        if on_stack(&value) {
            live.insert(value);
        }
    };
    facts.graph.for_each_successor(facts.func, block, |next| {
        facts.live.live_in[next].iter().for_each(|value| add(live, *value));
    });
    let base = usize::from(facts.graph.returning.contains(block));
    let insts: Vec<Inst> = executed(facts.func, &facts.graph, block).collect();
    for (at, inst) in insts.iter().enumerate().rev() {
        if !facts.live.is_executed(facts.func, *inst) {
            continue;
        }
        let results = facts.func.dfg.results(*inst);
        results.iter().for_each(|value| live.remove(*value));
        let operands = stack_operands(facts.func, facts.cx.conventions, *inst);
        let copied = operands.iter().filter(|value| live.contains(**value) || !on_stack(value)).count();
        operands.iter().for_each(|value| add(live, *value));
        let passed = edge_args(facts.func, *inst).filter(|(param, _)| facts.live.needed.contains(*param));
        passed.for_each(|(_, value)| add(live, value));
        if live.words.len() <= most || at.is_multiple_of(most) {
            f(&live.words, base + copied);
        }
    }
    let is_param =
        |value: &&Value| matches!(facts.func.dfg.def(**value), ValueDef::Param(owner, _) if owner == block);
    debug_assert!(
        live.words.iter().all(|value| is_param(&value) || facts.live.live_in[block].contains(value)),
        "a value is live in without being known to be",
    );
}
