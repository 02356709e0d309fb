//! Removes dead code.
//!
//! Establishes: no operation and no parameter of a block that nothing needs; no branch that leads to one
//! block whatever its condition.
//!
//! *Needed* is what has an effect, and all that it is computed from. Values that only keep each other alive
//! around a loop are dead, and so are stores to a slot that is never read. An access to memory may run out
//! of gas, and `evm.msize` sees it: it stays, but for slots, which are the function's own. So do calls, of
//! which nothing is known here, and what `evm.heap_base` reserves. A trace goes with its value.
//!
//! A branch without a choice is [folded](crate::folding) with what only its condition needed; that may
//! empty the block before it, so branches around branches fold together, from the inside out.
//!
//! A constant that comes first in a function and has a location stays: it says where the function itself stands
//! in the source (results begin as zeros there), for frames of debuggers, and costs nothing.
//!
//! The runner calls this pass behind those that may [leave](Leaves) dead code, so that what a pass leaves dead is
//! gone before the next one: none legalizes what nobody needs, and what is dead in the end is dead at once.
//!
//! Cost: linear, for each time that a folded branch leaves values dead that go around a loop.

use crate::context::PassContext;
use crate::faults::warn_of_removed;
use crate::folding::fold_branches;
use crate::names::{shown, shown_block};
use crate::observable::is_removable;
use crate::pass::{Leaves, Pass, Property};
use crate::passes::remove_unreachable::delete_unreachable;
use cairn_analysis::Needed;
use cairn_ir::{Function, Inst, Op};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "remove-dead",
    summary: "nothing is computed that nothing needs",
    needs: &[Property::OneTerminator, Property::Reachable],
    gives: Property::NothingDead,
    leaves: Leaves::Nothing,
    run: remove_dead,
};

/// Removes what nothing needs until no branch folds.
fn remove_dead(func: &mut Function, cx: &mut PassContext<'_>) {
    loop {
        remove_unneeded(func, cx);
        if !fold_branches(func, cx) {
            return;
        }
        delete_unreachable(func, cx);
    }
}

/// Removes operations and parameters that nothing needs.
fn remove_unneeded(func: &mut Function, cx: &mut PassContext<'_>) {
    let own_place = own_place(func);
    let needed = Needed::compute(func, |inst| !is_removable(func, inst) || own_place == Some(inst));
    let entry = func.layout.entry();
    let before = cx.report.total();
    for block in func.layout.blocks() {
        let params =
            func.dfg.params(block).iter().filter(|param| block != entry && !needed.has_value(**param));
        for param in params {
            cx.changed(func, block, || {
                format!(
                    "{} of {} was dropped: nothing needs it",
                    shown(func, *param),
                    shown_block(func, block)
                )
            });
        }
        for inst in func.layout.insts(block).filter(|inst| !needed.has_inst(*inst)) {
            warn_of_removed(func, inst, cx);
            cx.changed(func, inst, || {
                format!("`evm.{}` was removed: nothing needs it", func.dfg.op(inst).name())
            });
        }
    }
    if cx.report.total() != before {
        needed.remove_others(func);
    }
}

/// The constant that says where a function stands in the source, if its first instruction does.
fn own_place(func: &Function) -> Option<Inst> {
    let first = func.layout.insts(func.layout.entry()).next()?;
    let is_placed = func.dfg.op(first) == Op::Constant && func.dfg.inst(first).loc.expand().is_some();
    is_placed.then_some(first)
}
