//! Which constants a block pushes once and copies.
//!
//! A constant is pushed at each use: that costs about as much as a `DUP` and keeps the stack low. A
//! long one costs more, in bytes or in the operations that the assembler makes it by. Where a block
//! uses such a constant several times it is an ordinary value of the block, which its definition
//! pushes. One that other blocks use too is not: it would lie in the way there.

use super::graph::Graph;
use super::live::executed;
use super::prices::weights;
use crate::global::context::Context;
use cairn_asm::{PassOptions, word_cost};
use cairn_evm::{Cost, Word};
use cairn_ir::{Function, Inst, Value};
use cranelift_entity::EntitySet;

/// A push must cost as much as this many `DUP`s: one for the copy, the rest for bringing it where
/// it is used and for what lies deeper meanwhile.
const MIN_DUPS: u64 = 2;

/// See the head of this module.
pub(crate) fn shared_constants(func: &Function, graph: &Graph, cx: &Context<'_>) -> EntitySet<Value> {
    let options = cx.module.options;
    let options = PassOptions { fork: options.fork, runs: options.runs, ..PassOptions::default() };
    let mut is_used: EntitySet<Value> = EntitySet::new();
    let mut used_elsewhere = EntitySet::new();
    let mut dear = Vec::new();
    for block in &graph.order {
        let (gas, byte) = weights(cx, graph, *block);
        let weigh = |cost: Cost| cost.gas * u64::from(gas) + cost.bytes * u64::from(byte);
        let is_dear = |word: Word| weigh(word_cost(word, &options)) >= MIN_DUPS * weigh(Cost::DUP);
        for inst in executed(func, graph, *block) {
            func.dfg.for_each_use(inst, |value| {
                let Some((def, word)) = long_constant(func, value) else {
                    return;
                };
                if func.layout.inst_block(def) != Some(*block) {
                    used_elsewhere.insert(value);
                } else if !is_used.insert(value) && is_dear(word) {
                    dear.push(value);
                }
            });
        }
    }
    let mut shared = EntitySet::new();
    shared.extend(dear.into_iter().filter(|value| !used_elsewhere.contains(*value)));
    shared
}

/// The definition of a constant that may be long enough.
fn long_constant(func: &Function, value: Value) -> Option<(Inst, Word)> {
    let def = func.dfg.def_inst(value)?;
    let word = func.dfg.inst_const(def)?;
    (word.byte_len() > 2).then_some((def, word))
}
