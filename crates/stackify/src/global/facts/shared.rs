//! Which constants are pushed once and copied.
//!
//! A constant is pushed at each use: that costs about as much as a `DUP` and keeps the stack low. A
//! long one costs more, in bytes or in the operations that the assembler makes it by. It is an ordinary
//! value, which its definition pushes, where its block uses it several times, and where other blocks use it
//! whose pushes would cost more than the one and the copies of it.

use super::graph::Graph;
use super::live::executed;
use super::prices::weights;
use crate::global::context::Context;
use cairn_asm::{PassOptions, word_cost};
use cairn_evm::{Cost, Word};
use cairn_ir::{Block, Function, Inst, SecondaryMap, Value, sized};
use cranelift_entity::EntitySet;
use cranelift_entity::packed_option::PackedOption;

/// A push must cost as much as this many `DUP`s: one for the copy, the rest for bringing it where
/// it is used and for what lies deeper meanwhile.
const MIN_DUPS: u64 = 2;

/// Constants that lie on the stack for other blocks at most, those first that save most: more are out of
/// reach, and each takes room in the sets of what is live in each block.
const MAX_ELSEWHERE: usize = 32;

/// What is known of a long constant.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// What a push of it costs.
    push: Cost,
    /// The block that was seen to use it last.
    last: PackedOption<Block>,
    is_used_elsewhere: bool,
    /// It pays within its block.
    is_dear: bool,
    /// What it costs to push it at each use, and to copy it there.
    pushed: u64,
    copied: u64,
}

/// See the head of this module.
pub(crate) fn shared_constants(func: &Function, graph: &Graph, cx: &Context<'_>) -> EntitySet<Value> {
    let options = cx.module.options;
    let options = PassOptions { fork: options.fork, runs: options.runs, ..PassOptions::default() };
    let price = |block: Block| {
        let (gas, byte) = weights(cx, graph, block);
        move |cost: Cost| cost.gas * u64::from(gas) + cost.bytes * u64::from(byte)
    };
    let mut uses: SecondaryMap<Value, Uses> = sized(func.dfg.num_values());
    let mut used = Vec::new();
    for block in &graph.order {
        let weigh = price(*block);
        for inst in executed(func, graph, *block) {
            func.dfg.for_each_use(inst, |value| {
                let Some((def, word)) = long_constant(func, value) else {
                    return;
                };
                let seen = &mut uses[value];
                if seen.last.is_none() {
                    seen.push = word_cost(word, &options);
                    used.push((value, def));
                }
                let again = std::mem::replace(&mut seen.last, (*block).into()).expand() == Some(*block);
                let (push, copy) = (weigh(seen.push), weigh(Cost::DUP));
                if func.layout.inst_block(def) != Some(*block) {
                    seen.is_used_elsewhere = true;
                } else if again {
                    seen.is_dear |= push >= MIN_DUPS * copy;
                }
                seen.pushed += push;
                seen.copied += copy;
            });
        }
    }
    let mut shared = EntitySet::new();
    let mut elsewhere = Vec::new();
    for (value, def) in used {
        let Uses { push, is_used_elsewhere, is_dear, pushed, copied, .. } = uses[value];
        if is_used_elsewhere {
            let block = func.layout.inst_block(def).expect("invariant: what is used is in the layout");
            let made = price(block)(push) + copied;
            elsewhere.extend(pushed.checked_sub(made).filter(|saved| *saved > 0).map(|saved| (saved, value)));
        } else if is_dear {
            shared.insert(value);
        }
    }
    elsewhere.sort_by_key(|(saved, _)| std::cmp::Reverse(*saved));
    shared.extend(elsewhere.into_iter().take(MAX_ELSEWHERE).map(|(_, value)| value));
    shared
}

/// The definition of a constant that may be long enough.
fn long_constant(func: &Function, value: Value) -> Option<(Inst, Word)> {
    let def = func.dfg.def_inst(value)?;
    let word = func.dfg.inst_const(def)?;
    (word.byte_len() > 2).then_some((def, word))
}
