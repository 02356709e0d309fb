//! Schedules one function: plans it, and makes room where words are out of reach.

use super::context::Context;
use super::error::{StackError, stack_error};
use super::facts::func::FuncFacts;
use super::facts::homes::Homes;
use super::facts::spill;
use super::plan::plan;
use super::plan::planner::Stuck;
use super::write::write_code;
use crate::code::FuncCode;
use cairn_ir::Function;
use cranelift_entity::EntitySet;

/// Words that may be on the stack at once, by round, after a value was out of reach; after these
/// everything goes to memory.
const SPILL_LIMITS: [usize; 3] = [13, 10, 6];

/// Schedules a prepared function whose slots are promoted.
///
/// # Errors
/// When a word is out of reach and nothing may live in memory.
pub(super) fn schedule(func: &Function, cx: &Context<'_>) -> Result<FuncCode, StackError> {
    let mut facts = FuncFacts::gather(func, cx);
    let mut round = 0;
    loop {
        let stuck = match plan(&facts) {
            Ok(plan) => return Ok(write_code(&facts, &plan)),
            Err(stuck) => stuck,
        };
        while !relieve(&mut facts, round, &stuck) {
            if round > SPILL_LIMITS.len() + 2 {
                return Err(stack_error(&facts, &stuck));
            }
            round += 1;
        }
        round += 1;
    }
}

/// Makes room on the stack, more in each round; whether anything changed.
fn relieve(facts: &mut FuncFacts<'_>, round: usize, stuck: &Stuck) -> bool {
    match round {
        0 => push_constants_again(facts),
        1 => !std::mem::replace(&mut facts.is_crowded, true),
        _ => match (facts.cx.may_spill, SPILL_LIMITS.get(round - 2)) {
            (true, Some(limit)) => spill::spill_to_limit(facts, *limit, stuck.far.slot),
            (true, None) => spill::spill_everything(facts),
            (false, _) => spill::make_again(facts),
        },
    }
}

/// Takes shared constants off the stack.
fn push_constants_again(facts: &mut FuncFacts<'_>) -> bool {
    let shared = std::mem::take(&mut facts.shares_constants);
    if shared {
        let fork = facts.cx.module.options.fork;
        facts.homes = Homes::classify(facts.func, &facts.live, &EntitySet::new(), fork);
    }
    shared
}
