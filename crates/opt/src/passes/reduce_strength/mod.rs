//! `reduce-strength`: words that grow by a constant in each round of a loop are kept and added to, not computed
//! anew from the number of the round.
//!
//! ```text
//!   evm.br ^head(%zero)                       %first = evm.add %base, 32
//! ^head(%i : u256):                           %end = … %first + rotl(%n, 5) …
//!   %goes = evm.lt %i, %n : bool              evm.br ^head(%first)
//!   evm.condbr %goes, ^body, ^done          ^head(%at : u256):
//! ^body:                                      %goes = evm.xor %at, %end
//!   %k = evm.shl 5, %i                  =>    evm.condbr %goes, ^body, ^done
//!   %m = evm.add %k, 32                     ^body:
//!   %at = evm.add %base, %m                   … evm.mload %at …
//!   … evm.mload %at …                         %more = evm.add %at, 32
//!   %next = evm.add %i, 1                     evm.br ^head(%more)
//!   evm.br ^head(%next)
//! ```
//!
//! Definitions: a *counter* is a parameter of a loop's head that each way back brings with the same constant added,
//! its *step*. A word is *linear* in it if it is the counter times a constant factor, plus words that the loop does
//! not change times constants, plus a constant ([`linear`]); modulo 2^256, so that nothing is assumed of how large it
//! is. A *root* is a linear word that something uses that is not linear itself. Roots that differ by a constant are
//! one *family*.
//!
//! * Families become counters of their own: what they are in the first round is computed before the loop, and the
//!   factor times the step is added on each way back. The words between counter and root go.
//! * Where the counter begins at 0, has the step 1 and then only serves the test at the head that ends the loop
//!   (`i < n`, `i != n`), the test asks whether another counter, a family or one that was there, is what it is when
//!   `i` is `n`; and the counter goes with `dce`. See [`exit`] for why that is the same.
//!
//! What is changed is what saves most: one more word in all rounds costs stack operations, so does what is computed
//! before the loop; it must fit on the stack beside the others ([`MAX_LIVE`]).
//!
//! Needs and preserves promotion. Cost: linear in the loops' blocks, for each level of nesting and each parameter of
//! a head; a function is changed a bounded number of times.

mod change;
mod exit;
mod family;
mod linear;
mod place;
#[cfg(test)]
mod tests;

use crate::edit::split_edge;
use crate::guards::Guards;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::pressure::{MAX_LIVE, Pressure};
use cairn_analysis::{Cfg, Dominators, Frequency, Loops};
use cairn_ir::{Function, Op};
use family::{Round, Shape};
use place::{Place, blocks_of_loops, counters};

/// Changes of a function: after each, uses and live values are counted anew.
const MAX_CHANGES: usize = 64;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "reduce-strength",
    summary: "adds to words that grow in each round of a loop in place of computing them",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let mut cfg = Cfg::compute(func);
    if !cfg.has_cycle() {
        return Changed::No;
    }
    let mut loops = Loops::compute(&cfg, &Dominators::compute(&cfg));
    if loops.is_irreducible() {
        return Changed::No;
    }
    let is_split = split_entries(func, &cfg, &loops);
    if is_split {
        cfg = Cfg::compute(func);
        loops = Loops::compute(&cfg, &Dominators::compute(&cfg));
    }
    let frequency = Frequency::compute(func, &cfg, Some(&cx.summaries.graph));
    let shape = Shape { guards: Guards::compute(func, &cfg), frequency };
    let (mut pressure, mut uses) = (Pressure::compute(func, &cfg), func.count_uses());
    let mut blocks = blocks_of_loops(&cfg, &loops);
    let mut n_changes = 0;
    for id in loops.ids() {
        let Some(place) = Place::of(&cfg, &loops, id, std::mem::take(&mut blocks[id])) else { continue };
        // A counter that is made is not looked at again.
        for counter in counters(func, &place) {
            if n_changes == MAX_CHANGES {
                return Changed::Yes;
            }
            let most = place.blocks.iter().map(|block| pressure.of_block(*block)).max().unwrap_or(0);
            let round = Round::new(func, &place, counter, &shape, &uses, cx);
            let Some(change) = round.best_change(func, MAX_LIVE.saturating_sub(most)) else { continue };
            change.carry_out(func, &place, &counter);
            (pressure, uses) = (Pressure::compute(func, &cfg), func.count_uses());
            n_changes += 1;
        }
    }
    Changed::from(is_split || n_changes > 0)
}

/// Puts blocks where branches enter loops that have counters, so that there is a place before the loop. True if
/// there were any.
fn split_entries(func: &mut Function, cfg: &Cfg, loops: &Loops) -> bool {
    let mut changed = false;
    for id in loops.ids() {
        let Some(Place { head, before, .. }) =
            Place::of(cfg, loops, id, Vec::new()).filter(|place| !counters(func, place).is_empty())
        else {
            continue;
        };
        let is_branch = func.terminator(before).is_some_and(|end| func.dfg.op(end) != Op::Br);
        if is_branch && cfg.preds(head).iter().filter(|pred| **pred == before).count() == 1 {
            split_edge(func, before, head);
            changed = true;
        }
    }
    changed
}
