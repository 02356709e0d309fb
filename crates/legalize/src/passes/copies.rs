//! Finds block parameters that are copies of one value.
//!
//! A parameter is a *copy* of a value if on every way into its block that value arrives, directly
//! or through other copies of it. The search is optimistic: a parameter is a copy of the first
//! value that arrives until another one does, so that parameters which only pass each other along
//! around a loop are found. The value dominates the block of each of its copies, because every
//! path into the cycle of copies passes it.
//!
//! Cost: linear in edge arguments: parameters are visited in reverse postorder, and one that still
//! changes after [`MAX_CHANGES`] visits is taken to be no copy, which is always correct.

use crate::graph::{IncomingEdges, edge_call};
use cairn_ir::{Block, Function, SecondaryMap, Value, ValueDef};
use std::collections::VecDeque;

/// How often the opinion about one parameter may change.
const MAX_CHANGES: u8 = 8;

/// What is known about the values that arrive at a parameter.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Arrival {
    /// Nothing seen yet.
    #[default]
    Nothing,
    /// This value on every way seen.
    One(Value),
    /// Different values, or not a parameter: it stands for itself.
    Itself,
}

#[derive(Clone, Copy, Default)]
struct State {
    arrival: Arrival,
    changes: u8,
    is_param: bool,
    is_queued: bool,
    /// Range in [`Copies::passes`].
    passes: (u32, u32),
}

/// The values that parameters are copies of.
pub(crate) struct Copies {
    states: SecondaryMap<Value, State>,
    /// Parameters that parameters are passed to, by parameter passed.
    passes: Vec<Value>,
    has_any: bool,
}

impl Copies {
    /// Looks at the parameters of `merges`, given in reverse postorder.
    pub(crate) fn compute(func: &Function, merges: &[Block], incoming: &IncomingEdges) -> Self {
        let mut copies = Copies { states: SecondaryMap::new(), passes: Vec::new(), has_any: false };
        let params = || merges.iter().flat_map(|block| func.dfg.params(*block)).copied();
        let mut queue: VecDeque<Value> = params().collect();
        for param in &queue {
            let state = &mut copies.states[*param];
            (state.is_param, state.is_queued) = (true, true);
        }
        copies.collect_passes(func, merges, incoming);
        while let Some(param) = queue.pop_front() {
            copies.states[param].is_queued = false;
            if copies.update(func, param, incoming) {
                let (start, end) = copies.states[param].passes;
                for index in start..end {
                    let target = copies.passes[index as usize];
                    if !std::mem::replace(&mut copies.states[target].is_queued, true) {
                        queue.push_back(target);
                    }
                }
            }
        }
        copies.has_any = params().any(|param| copies.is_copy(param));
        copies
    }

    /// True if there is a copy.
    pub(crate) fn has_any(&self) -> bool {
        self.has_any
    }

    /// True if this is a parameter that is a copy.
    pub(crate) fn is_copy(&self, value: Value) -> bool {
        matches!(self.states[value].arrival, Arrival::One(_))
    }

    /// The value that this is a copy of; itself if it is none.
    pub(crate) fn resolve(&self, value: Value) -> Value {
        match self.states[value].arrival {
            Arrival::One(original) => original,
            Arrival::Nothing | Arrival::Itself => value,
        }
    }

    /// Looks at all arguments of a parameter again; true if its state changed.
    fn update(&mut self, func: &Function, param: Value, incoming: &IncomingEdges) -> bool {
        let old = self.states[param];
        let ValueDef::Param(block, index) = func.dfg.def(param) else { return false };
        let mut arrival = Arrival::Nothing;
        for edge in incoming.of(block) {
            let arg = func.dfg.call_args(&edge_call(func, *edge))[usize::from(index)];
            let state = &self.states[arg];
            if state.is_param && state.arrival == Arrival::Nothing {
                continue;
            }
            let value = self.resolve(arg);
            match arrival {
                _ if value == param => {}
                Arrival::Nothing => arrival = Arrival::One(value),
                Arrival::One(other) if other == value => {}
                Arrival::One(_) | Arrival::Itself => {
                    arrival = Arrival::Itself;
                    break;
                }
            }
        }
        if arrival == old.arrival || old.arrival == Arrival::Itself {
            return false;
        }
        let changes = old.changes + 1;
        let arrival = if changes > MAX_CHANGES { Arrival::Itself } else { arrival };
        self.states[param] = State { arrival, changes, ..old };
        true
    }

    fn collect_passes(&mut self, func: &Function, merges: &[Block], incoming: &IncomingEdges) {
        let mut passes = Vec::new();
        for merge in merges {
            let params = func.dfg.params(*merge);
            for edge in incoming.of(*merge) {
                let call = edge_call(func, *edge);
                for (param, arg) in params.iter().zip(func.dfg.call_args(&call)) {
                    if self.states[*arg].is_param && arg != param {
                        passes.push((*arg, *param));
                    }
                }
            }
        }
        passes.sort_unstable();
        passes.dedup();
        for (index, (arg, _)) in passes.iter().enumerate() {
            let (start, end) = &mut self.states[*arg].passes;
            if *end == 0 {
                *start = index as u32;
            }
            *end = index as u32 + 1;
        }
        self.passes = passes.into_iter().map(|(_, param)| param).collect();
    }
}
