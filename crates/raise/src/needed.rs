//! Which values a graph needs, and how often each is read.
//!
//! A parameter that its function does not need is not passed: return addresses are such.

use crate::graph::{Graph, Source};
use crate::tree::Var;
use cairn_ir::{Func, Inst, Op, Payload, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rounds in which parameters are found that nobody needs.
const MAX_ROUNDS: usize = 8;

/// Parameters that functions do not need, by their place.
pub(crate) type Unneeded = FxHashSet<(Func, usize)>;

/// What the graph of each function needs.
pub(crate) fn needed_by_all(graphs: &[(Func, Graph<'_>)]) -> Vec<Needed> {
    let mut unneeded = Unneeded::default();
    for _ in 0..MAX_ROUNDS {
        let before = unneeded.len();
        for (id, graph) in graphs {
            let needed = Needed::of(graph, &unneeded);
            let params = graph.func.params().iter().enumerate();
            unneeded.extend(
                params.filter(|(_, param)| needed.reads(**param) == 0).map(|(place, _)| (*id, place)),
            );
        }
        if unneeded.len() == before {
            break;
        }
    }
    graphs.iter().map(|(_, graph)| Needed::of(graph, &unneeded)).collect()
}

/// What is read.
#[derive(Default)]
pub(crate) struct Needed {
    /// Parameters that are not passed.
    unneeded: Unneeded,
    /// Reads of each needed value in the text; those that are constants are not counted.
    reads: FxHashMap<Value, u32>,
    /// In how many nodes an instruction stands, where that is more than one.
    copies: FxHashMap<Inst, u32>,
}

impl Needed {
    /// Walks back from what has an effect and what decides.
    fn of(graph: &Graph<'_>, unneeded: &Unneeded) -> Needed {
        let mut needed = Needed { unneeded: unneeded.clone(), ..Needed::default() };
        let order = graph.order();
        let mut work: Vec<Value> = Vec::new();
        // What is read once an instruction is needed: with the node, as names are its own.
        let mut nodes_of: FxHashMap<Inst, Vec<usize>> = FxHashMap::default();
        let mut moves: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
        for node in &order {
            let of = &graph.nodes[*node];
            for inst in &of.insts {
                nodes_of.entry(*inst).or_default().push(*node);
                if !is_removable(graph, *inst) {
                    work.extend(needed.args(graph, *inst).map(|value| graph.resolve_in(*node, value)));
                }
            }
            of.for_each_edge(|edge| {
                for (var, source) in &edge.moves {
                    if let (Var::Value(param), Source::Value(value)) = (var, source) {
                        moves.entry(*param).or_default().push(graph.resolve_in(*node, *value));
                    }
                }
            });
            work.extend(of.decides().map(|value| graph.resolve_in(*node, value)));
        }
        while let Some(value) = work.pop() {
            if graph.number(value).is_some() {
                continue;
            }
            let reads = needed.reads.entry(value).or_insert(0);
            *reads += 1;
            if *reads > 1 {
                continue;
            }
            match graph.func.dfg.def(value) {
                ValueDef::Param(..) => work.extend(moves.get(&value).into_iter().flatten()),
                ValueDef::Result(inst, _)
                    if is_removable(graph, inst) && is_first(graph, &needed, inst, value) =>
                {
                    for node in nodes_of.get(&inst).into_iter().flatten() {
                        work.extend(needed.args(graph, inst).map(|read| graph.resolve_in(*node, read)));
                    }
                }
                ValueDef::Result(..) => {}
            }
        }
        let copied = nodes_of.into_iter().filter(|(_, nodes)| nodes.len() > 1);
        needed.copies = copied.map(|(inst, nodes)| (inst, nodes.len() as u32)).collect();
        needed
    }

    /// The operands of an instruction that stand in the text.
    pub(crate) fn args<'g>(
        &self,
        graph: &Graph<'g>,
        inst: Inst,
    ) -> impl Iterator<Item = Value> + use<'g, '_> {
        let data = graph.func.dfg.inst(inst);
        let callee = match data.payload {
            Payload::Func(callee) => Some(callee),
            _ => None,
        };
        let is_mark = matches!(data.op(), Op::DbgTrace | Op::DbgLabel);
        let args = graph.func.dfg.args(inst).iter().copied().enumerate();
        let is_passed = move |place: &usize| {
            !is_mark && callee.is_none_or(|callee| !self.unneeded.contains(&(callee, *place)))
        };
        args.filter(move |(place, _)| is_passed(place)).map(|(_, value)| value)
    }

    /// Reads of a value in all the text.
    pub(crate) fn reads(&self, value: Value) -> u32 {
        self.reads.get(&value).copied().unwrap_or(0)
    }

    /// In how many places the text has an instruction.
    pub(crate) fn copies(&self, inst: Inst) -> u32 {
        self.copies.get(&inst).copied().unwrap_or(1)
    }

    /// True when the instruction has to stand in the text.
    pub(crate) fn has(&self, graph: &Graph<'_>, inst: Inst) -> bool {
        let is_read = graph.func.dfg.results(inst).iter().any(|value| self.reads(*value) > 0);
        is_read || !is_removable(graph, inst)
    }
}

/// True when no other result of the instruction was seen to be read before this one.
fn is_first(graph: &Graph<'_>, needed: &Needed, inst: Inst, value: Value) -> bool {
    let mut others = graph.func.dfg.results(inst).iter().filter(|other| **other != value);
    others.all(|other| needed.reads(*other) == 0)
}

/// True for an instruction that may go when nobody reads its results.
pub(crate) fn is_removable(graph: &Graph<'_>, inst: Inst) -> bool {
    let op = graph.func.dfg.op(inst);
    let is_mark = matches!(op, Op::DbgTrace | Op::DbgLabel);
    is_mark || (op.effects().is_removable() && !op.is_terminator())
}
