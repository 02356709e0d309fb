//! `dead-stores`: removes stores to memory that nobody reads, or that say what is there ([`said`]), and moves those
//! of the first block to where somebody may read them ([`sink`]).
//!
//! ```text
//! evm.mstore 0, %a                       evm.mstore 0, %b
//! evm.mstore 0, %b                 =>    %h = evm.keccak256 0, 32
//! %h = evm.keccak256 0, 32               …
//! evm.mstore 64, %end                    evm.stop
//! evm.stop
//! ```
//!
//! Definitions: a *region* is a [`Place`] and a number of bytes, or everything from the place on.
//! The *demand* of a program point is what may be read from there on before it is written: some
//! regions, or everything but some that are written first ([`demand`]). It flows backwards, callees
//! before callers, and what a callee demands by constant address is known to its callers. A store
//! outside the demand behind it goes.
//!
//! Memory is nobody's when the frame has ended, so what is stored before `stop` or `return` and not
//! returned is dead. A base that is computed later is unknown before: what is read there is
//! everything, and that it is written first says nothing.
//! Nothing is done where the size of memory is observed (A2). Copies and stores through unknown
//! addresses demand nothing by themselves; external calls read their input only.
//!
//! Needs promotion. Preserves blocks. Cost: linear a round, demands are bounded by
//! a few regions (`demand`).

use crate::memory::only_writes;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::{CallGraph, Cfg, FuncEffects};
use cairn_ir::{EntityRef, Func, Function, Module, SecondaryMap};
use demand::{Demand, Flow, is_return, written};

pub(crate) mod demand;
mod region;
mod said;
mod sink;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "dead-stores",
    summary: "removes stores to memory that nobody reads, moves those that few read",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    if cx.summaries.observes_msize {
        return Changed::No;
    }
    let cfgs = Cfg::compute_all(module);
    let graph = CallGraph::compute_with(module, &cfgs);
    let effects = FuncEffects::compute_with(module, &graph, &cfgs);
    let mut demands: SecondaryMap<Func, Demand> = SecondaryMap::with_default(Demand::all());
    let mut changed = false;
    for id in graph.bottom_up() {
        let func = &mut module.funcs[id];
        let (options, heap) = (cx.options, cx.summaries.heap);
        let flow = Flow { options, heap, graph: &graph, effects: &effects, demands: &demands };
        let (at_entry, is_changed) = flow.run(func, &cfgs[id.index()]);
        changed |= is_changed;
        if !graph.is_recursive(id) {
            demands[id] = at_entry;
        }
    }
    Changed::from(changed)
}

impl Flow<'_> {
    /// Removes dead stores; the demand at the entry, as far as the function reads by itself.
    fn run(&self, func: &mut Function, cfg: &Cfg) -> (Demand, bool) {
        let own = self.solve(func, cfg, &Demand::default());
        let entry = func.layout.entry();
        let at_entry = own[entry.index()].clone();
        let returns = cfg.rpo().iter().any(|block| is_return(func, *block));
        let starts = if returns { self.solve(func, cfg, &Demand::all()) } else { own };
        let mut changed = false;
        for block in cfg.rpo() {
            let mut demand = self.demand_behind(func, *block, &starts, &Demand::all());
            let mut next = func.layout.last_inst(*block);
            while let Some(inst) = next {
                next = func.layout.prev_inst(inst);
                let is_dead = only_writes(func, inst) && !demand.wants(func, self.heap, &written(func, inst));
                if is_dead || said::is_said(func, self.heap, inst, &demand) {
                    func.layout.remove_inst(inst);
                    changed = true;
                    continue;
                }
                self.pass_inst(func, inst, &mut demand);
            }
        }
        changed |= sink::run(self, func, cfg, &starts);
        (at_entry, changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{body, lines, parse, run_module_pass};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut module = parse(&format!("module @m {{ func @f(%x : u256, %y : u256) {{\n{text}\n}} }}"));
        run_module_pass(&mut module, run);
        assert_eq!(body(&module, Func::from_u32(0)), lines(expected));
    }

    const WORDS: &str = "%a = evm.constant 0 : u256
               %b = evm.constant 32 : u256
               %c = evm.constant 64 : u256";

    #[test]
    fn overwritten_words_and_those_of_an_ended_frame_go() {
        check(
            &format!(
                "^e:
               {WORDS}
               evm.mstore %a, %x
               evm.mstore %b, %x
               evm.mstore %a, %y
               %h = evm.keccak256 %a, %c : u256
               evm.mstore %a, %y
               evm.sstore %h, %x
               evm.stop"
            ),
            &format!(
                "^e:
               {WORDS}
               evm.mstore %b, %x
               evm.mstore %a, %y
               %h = evm.keccak256 %a, %c : u256
               evm.sstore %h, %x
               evm.stop"
            ),
        );
    }

    #[test]
    fn what_is_overwritten_at_an_end_of_what_is_read_goes() {
        for end in ["%a", "%b"] {
            check(
                &format!(
                    "^e:
                   {WORDS}
                   evm.mstore {end}, %x
                   evm.mstore {end}, %y
                   %h = evm.keccak256 %a, %c : u256
                   evm.sstore %h, %x
                   evm.stop"
                ),
                &format!(
                    "^e:
                   {WORDS}
                   evm.mstore {end}, %y
                   %h = evm.keccak256 %a, %c : u256
                   evm.sstore %h, %x
                   evm.stop"
                ),
            );
        }
    }

    #[test]
    fn a_word_read_in_part_or_through_an_unknown_address_stays() {
        let text = format!(
            "^e:
               {WORDS}
               %d = evm.constant 33 : u256
               evm.mstore %b, %x
               evm.mstore8 %b, %y
               evm.mstore %c, %x
               %l = evm.mload %d : u256
               evm.mstore %a, %x
               %m = evm.mload %y : u256
               evm.sstore %l, %m
               evm.stop"
        );
        check(&text, &text);
    }

    #[test]
    fn what_a_later_round_of_a_loop_reads_stays() {
        let text = format!(
            "^e:
               {WORDS}
               evm.br ^loop
             ^loop:
               %l = evm.mload %a : u256
               evm.mstore %b, %l
               %m = evm.mload %b : u256
               evm.mstore %a, %m
               evm.condbr %m, ^loop, ^done
             ^done:
               evm.stop"
        );
        check(&text, &text);
    }

    #[test]
    fn callers_know_what_a_callee_reads() {
        let mut module = parse(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 %a = evm.constant 0 : u256
                 %b = evm.constant 32 : u256
                 evm.mstore %a, %x
                 evm.mstore %b, %x
                 evm.icall @g(%x)
                 evm.stop
               }
               func @g(%x : u256) {
               ^e:
                 %b = evm.constant 32 : u256
                 %l = evm.mload %b : u256
                 evm.sstore %l, %x
                 evm.iret
               }
             }",
        );
        run_module_pass(&mut module, run);
        let text = body(&module, Func::from_u32(0));
        assert!(text.contains("mstore %b") && !text.contains("mstore %a"), "{text}");
    }
}
