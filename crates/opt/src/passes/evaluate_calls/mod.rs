//! `evaluate-calls`: puts what calls with constant arguments give back in the place of the calls.
//!
//! ```text
//! %p = evm.icall @power(10, 18)      =>      %p = evm.constant 1000000000000000000
//! ```
//!
//! The function is run on the constants. Only the way that they choose counts: a function that fails for other
//! arguments, or writes memory before it does, may still be evaluated for these. A run that reads or writes
//! anything but its values, that fails, or that takes too many steps leaves the call as it is.
//!
//! A call goes where the constants take no more bytes than it does, or where what it runs is worth the bytes by
//! `--runs`; of many calls of a function only some are expected to run. A function that nobody calls any more is left for `prune`.
//!
//! Needs promotion, preserves it. Cost: linear in the module, and steps of runs, which are bounded.

mod evaluator;

use crate::cost;
use crate::edit::{Renaming, rename_everywhere};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::{Cfg, Frequency, callgraph};
use cairn_evm::Word;
use cairn_ir::{Func, Function, Inst, Module, SecondaryMap, Value};
use evaluator::{Evaluated, Evaluator, Obstacle, Words};
use rustc_hash::FxHashMap;
use std::cell::LazyCell;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "evaluate-calls",
    summary: "computes what calls with constant arguments give back",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    let mut search =
        Search { evaluator: Evaluator::new(module, cx.options.fork), n_sites: count_sites(module), cx };
    let mut found: Vec<(Func, Vec<Site>)> = Vec::new();
    for (id, func) in &module.funcs {
        let sites = search.find_sites(func);
        if !sites.is_empty() {
            found.push((id, sites));
        }
    }
    for (id, sites) in &found {
        replace(&mut module.funcs[*id], sites);
    }
    Changed::from(!found.is_empty())
}

/// How many calls of each function there are.
fn count_sites(module: &Module) -> SecondaryMap<Func, u32> {
    let mut n_sites: SecondaryMap<Func, u32> = SecondaryMap::new();
    for func in module.funcs.values() {
        let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
        insts.filter_map(|inst| callgraph::callee(func, inst)).for_each(|callee| n_sites[callee] += 1);
    }
    n_sites
}

/// A call that goes, and what it gives back.
struct Site {
    call: Inst,
    words: Words,
}

/// Looks for calls that go.
struct Search<'a> {
    evaluator: Evaluator<'a>,
    n_sites: SecondaryMap<Func, u32>,
    cx: &'a PassContext<'a>,
}

impl Search<'_> {
    /// The calls of a function that can be evaluated and are worth it.
    fn find_sites(&mut self, func: &Function) -> Vec<Site> {
        let uses = LazyCell::new(|| func.count_uses());
        let frequency = LazyCell::new(|| Frequency::compute(func, &Cfg::compute(func), None));
        let mut known: FxHashMap<Value, Word> = FxHashMap::default();
        let mut sites = Vec::new();
        for block in func.layout.blocks() {
            for call in func.layout.insts(block) {
                let Some(callee) = callgraph::callee(func, call) else { continue };
                let Some(args) = constant_args(func, call, &known) else { continue };
                let runs = || if frequency.is_cold(block) { 0.0 } else { frequency.of(block).max(1.0) };
                match self.evaluator.evaluate(callee, args) {
                    Ok(given) if self.pays(func, call, callee, &given, &uses, &runs) => {
                        self.remark(func, call, "is computed");
                        let results = func.dfg.results(call).iter().copied();
                        known.extend(results.zip(given.words.iter().copied()));
                        sites.push(Site { call, words: given.words });
                    }
                    Ok(_) => self.remark(func, call, "stays: its results take more bytes than it is worth"),
                    Err(Obstacle::Steps) => self.remark(func, call, "stays: it takes too many steps"),
                    // Most calls that have only constants as arguments do something.
                    Err(Obstacle::Effect) => {}
                }
            }
        }
        sites
    }

    /// True when the constants in the place of a call are worth their bytes.
    fn pays(
        &self,
        func: &Function,
        call: Inst,
        callee: Func,
        given: &Evaluated,
        uses: &SecondaryMap<Value, u32>,
        runs: &dyn Fn() -> f64,
    ) -> bool {
        let results = func.dfg.results(call);
        let pushed = |(value, word): (&Value, &Word)| u64::from(uses[*value]) * cost::push_bytes(*word);
        let bytes: u64 = results.iter().zip(&given.words).map(pushed).sum();
        let site = cost::of_call(func, call);
        if bytes <= site.bytes {
            return true;
        }
        let saved_gas = (site.gas + given.gas) as f64 * runs() * cost::reached_share(self.n_sites[callee]);
        saved_gas > (bytes - site.bytes) as f64 * self.cx.options.gas_per_byte()
    }

    fn remark(&self, func: &Function, call: Inst, verdict: &str) {
        self.cx.remark(PASS.name, func, || {
            let words = func.dfg.args(call).iter().map(|arg| func.dfg.as_const(*arg));
            let words: Vec<String> =
                words.map(|word| word.map_or("_".to_owned(), |word| word.to_string())).collect();
            format!("a call with constant arguments ({}) {verdict}", words.join(", "))
        });
    }
}

/// The arguments of a call if all are constants or become some, and its results are numbers.
fn constant_args(func: &Function, call: Inst, known: &FxHashMap<Value, Word>) -> Option<Words> {
    let results = func.dfg.results(call);
    if results.is_empty() || results.iter().any(|value| func.dfg.ty(*value).bits().is_none()) {
        return None;
    }
    let word = |value: &Value| func.dfg.as_const(*value).or_else(|| known.get(value).copied());
    func.dfg.args(call).iter().map(word).collect()
}

fn replace(func: &mut Function, sites: &[Site]) {
    let mut renaming = Renaming::new();
    for Site { call, words } in sites {
        let results = func.dfg.results(*call).to_vec();
        for (result, word) in results.into_iter().zip(words) {
            let made = func.make_constant(*word, func.dfg.ty(result));
            func.dfg.inst_mut(made).loc = func.dfg.inst(*call).loc;
            func.layout.insert_inst_before(made, *call);
            renaming[result] = func.dfg.result(made).into();
        }
        func.layout.remove_inst(*call);
    }
    rename_everywhere(func, &renaming);
}

#[cfg(test)]
mod tests;
