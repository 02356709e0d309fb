//! The default scheduler: keeps values on the stack by layouts chosen for the whole function, and
//! spills only what is out of reach.
//!
//! *Slot*: a stack word. *Item*: one thing a block does in order (fetch an operand early, carry
//! out an instruction). *State*: a possible stack at one point of a block with the steps that led
//! there. Blocks are taken in reverse postorder; each is searched with a few states side by side;
//! the entry stack of a merge is chosen among what its predecessors leave.

mod ahead;
mod chain;
mod classify;
pub mod convention;
mod forecast;
mod graph;
mod live;
mod module;
mod order;
mod params;
mod plan;
mod reorder;
mod search;
mod setup;
mod shared;
pub(crate) mod shuffle;
pub(crate) mod slot;
mod spill;
mod trail;
mod trial;
mod write;

pub use convention::choose_convention;
pub use module::{Limits, Scheduled, schedule_module, schedule_module_within};

use crate::code::{Convention, FuncCode, Reach};
use crate::context::{ModuleCx, callee_of};
use cairn_diag::{Diagnostic, Span};
use cairn_ir::{Func, Function, Inst, Op, SecondaryMap};
use classify::Homes;
use cranelift_entity::EntitySet;
use graph::Graph;
use live::{Liveness, executed};
use plan::{FuncFacts, Stuck};
use shared::shared_constants;

/// What scheduling one function needs to know.
#[derive(Debug)]
pub struct Context<'a> {
    /// The module and its options.
    pub module: &'a ModuleCx<'a>,
    /// The function that is scheduled.
    pub own: Func,
    /// How each function is called.
    pub conventions: &'a SecondaryMap<Func, Convention>,
    /// Whether values may live in memory.
    pub may_spill: bool,
    /// How far stack instructions reach.
    pub reach: Reach,
}

/// A function that needs more words at once than stack instructions reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackError {
    /// Name of the function.
    pub function: String,
    /// Names of the values that were in the way, deepest first.
    pub variables: Vec<String>,
    /// Name of the value that was needed, if it has one.
    pub value: Option<String>,
    /// How deep the word lies that was needed (1 = top).
    pub depth: u16,
    /// Place of what needs it, in the input text.
    pub span: Option<Span>,
}

/// Words that may be on the stack at once, by round, after a value was out of reach; after these
/// everything goes to memory.
const SPILL_LIMITS: [usize; 3] = [13, 10, 6];

/// Schedules a prepared function whose slots are promoted.
///
/// # Errors
/// When a word is out of reach and nothing may live in memory.
pub fn schedule(func: &Function, cx: &Context<'_>) -> Result<FuncCode, StackError> {
    let mut facts = gather_facts(func, cx);
    let mut round = 0;
    loop {
        let stuck = match plan::plan(&facts) {
            Ok(plan) => return Ok(write::write_code(&facts, &plan)),
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
            (true, Some(limit)) => spill::spill_to_limit(facts, *limit, stuck),
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

fn gather_facts<'a>(func: &'a Function, cx: &'a Context<'a>) -> FuncFacts<'a> {
    let graph = Graph::compute(func, cx.module);
    let live = Liveness::compute(func, &graph, cx.conventions);
    let shared = shared_constants(func, &graph, cx);
    let homes = Homes::classify(func, &live, &shared, cx.module.options.fork);
    let tail_calls = find_tail_calls(func, &graph, cx);
    let num_insts = graph.order.iter().map(|block| executed(func, &graph, *block).count()).sum();
    let shares_constants = !shared.is_empty();
    FuncFacts { cx, func, graph, live, homes, tail_calls, num_insts, shares_constants, is_crowded: false }
}

/// Calls whose results are returned as they are.
fn find_tail_calls(func: &Function, graph: &Graph, cx: &Context<'_>) -> EntitySet<Inst> {
    let own = &cx.conventions[cx.own];
    let mut found = EntitySet::new();
    for block in &graph.order {
        let last = graph.last[*block].filter(|inst| func.dfg.op(*inst) == Op::Iret);
        let Some((iret, call)) = last.and_then(|iret| Some((iret, func.layout.prev_inst(iret)?))) else {
            continue;
        };
        let Some(callee) = callee_of(func, call).map(|callee| &cx.conventions[callee]) else {
            continue;
        };
        let (args, results) = (func.dfg.args(iret), func.dfg.results(call));
        let passed = own.results.iter().map(|index| args[*index as usize]);
        let given = callee.results.iter().map(|index| results[*index as usize]);
        if callee.returns && own.returns && passed.eq(given) {
            found.insert(call);
        }
    }
    found
}

fn stack_error(facts: &FuncFacts<'_>, stuck: &Stuck) -> StackError {
    let name = |slot: &slot::Slot| {
        let value = slot.as_value()?;
        let name = facts.func.value_names.get(&value);
        match facts.cx.module.options.source_names {
            true => name.map(|name| format!("`{name}`")),
            false => Some(name.map_or_else(|| value.to_string(), |name| format!("%{name}"))),
        }
    };
    let block = stuck.block;
    let needs = |inst: &Inst| {
        let mut found = false;
        facts.func.dfg.for_each_use(*inst, |value| found |= stuck.far.slot.as_value() == Some(value));
        found
    };
    let insts = || facts.func.layout.insts(block);
    let place = insts().find(needs).or_else(|| insts().last());
    StackError {
        function: facts.func.name.clone(),
        variables: stuck.above.iter().filter_map(name).collect(),
        value: name(&stuck.far.slot),
        depth: stuck.far.depth,
        span: place.map_or(facts.func.span, |inst| facts.func.inst_place(inst)),
    }
}

/// Code of the diagnostic for a value that is out of reach and has no other place.
pub const STACK_TOO_DEEP: &str = "stack-too-deep";

impl StackError {
    /// The error as a message with help.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let value = self.value.as_deref().unwrap_or("a value");
        let mut text =
            format!("stack too deep in function `{}`: {value} lies {} words deep", self.function, self.depth);
        if !self.variables.is_empty() {
            text.push_str(&format!(", below {}", self.variables.join(", ")));
        }
        Diagnostic::error(text).with_code(STACK_TOO_DEEP).with_span(self.span).with_help(
            "reserve memory with `memoryguard` so that values can be kept there, or split the function",
        )
    }
}
