//! `split-failures`: moves what a function does when it fails out of it, so that the rest can be inlined.
//!
//! ```text
//! func @require(%ok, %text)                 func @require(%ok, %text)
//!   evm.condbr %ok, ^done, ^fail              evm.condbr %ok, ^done, ^fail
//! ^fail:                                    ^fail:
//!   … twenty instructions …          =>       evm.icall @require_fails(%text)
//!   evm.revert %p, %n                         evm.unreachable
//! ^done:                                    ^done:
//!   evm.iret                                  evm.iret
//! ```
//!
//! Fires for a function that is called from several places, does not fit in the place of its calls, but
//! does without what blocks do that only fail: then `inline` takes the rest, and where it was called stands
//! a check. Moved is a block that only fails, with all that it leads to, if nothing else leads there; what
//! it uses is passed to it, at most [`MAX_PARAMS`] values and no `alloca`. What is moved runs at most once
//! and ends the frame: a call more costs nothing that counts.
//!
//! `inline` does not put it back as long as the function is called from several places.
//! The entry function stays, so does every function of a module without one, `[noinline]` and recursive
//! functions. Needs promotion, preserves it. Cost: linear in the functions that are split, which are small but
//! for what fails.

use super::inline;
use crate::cost;
use crate::failing::{MAX_PARAMS, Names, Region};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::{CallGraph, Cfg, Dominators, Frequency};
use cairn_ir::{Block, Func, Function, Module};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "split-failures",
    summary: "moves what functions do when they fail out of them, so that the rest can be inlined",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    if module.entry.is_none() {
        return Changed::No;
    }
    let graph = CallGraph::compute(module);
    let candidates = module.funcs.keys().filter(|id| is_candidate(module, &graph, *id));
    let found: Vec<(Func, Region)> = candidates
        .flat_map(|id| regions(&module.funcs[id], &graph, cx).into_iter().map(move |region| (id, region)))
        .collect();
    if found.is_empty() {
        return Changed::No;
    }
    let mut names = Names::of(module);
    for (id, region) in found {
        let name = names.free(&module.funcs[id].name, "fails");
        let made = module.funcs.push(region.as_function(&module.funcs[id], name));
        region.replace(&mut module.funcs[id], made, &[]);
    }
    Changed::Yes
}

fn is_candidate(module: &Module, graph: &CallGraph, id: Func) -> bool {
    let attrs = &module.funcs[id].attrs;
    let stays = module.entry == Some(id) || attrs.noinline || attrs.cold || graph.is_recursive(id);
    !stays && graph.call_sites(id) > 1 && !graph.ends(id).only_fails()
}

/// What to move out of a function; nothing if the rest would not be inlined.
fn regions(func: &Function, graph: &CallGraph, cx: &PassContext<'_>) -> Vec<Region> {
    let limit = inline::always_fits(func);
    let bytes = |block: Block| inline::block_cost(func, block, cx).bytes;
    let whole = inline::body_cost(func, cx).bytes;
    if whole <= limit || func.has_alloca() {
        return Vec::new();
    }
    let cfg = Cfg::compute(func);
    let frequency = Frequency::compute(func, &cfg, Some(graph));
    let warm = cfg.rpo().iter().filter(|block| !frequency.is_cold(**block));
    if warm.map(|block| bytes(*block)).sum::<u64>() > limit {
        return Vec::new();
    }
    let dominators = Dominators::compute(&cfg);
    let mut rest = whole;
    let mut found = Vec::new();
    for block in cfg.rpo() {
        let is_start = frequency.is_cold(*block)
            && dominators.idom(*block).is_some_and(|above| !frequency.is_cold(above));
        let Some(region) = is_start.then(|| Region::at(func, &cfg, &dominators, *block)).flatten() else {
            continue;
        };
        let moved: u64 = region.blocks.iter().map(|block| bytes(*block)).sum();
        let n_params = region.inputs(func).len();
        let call = cost::CALL_BYTES + n_params as u64;
        if moved > call && n_params <= MAX_PARAMS {
            rest = rest - moved + call;
            found.push(region);
        }
    }
    if rest <= limit { found } else { Vec::new() }
}
