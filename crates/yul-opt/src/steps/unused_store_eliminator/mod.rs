//! UnusedStoreEliminator: removes stores to storage and memory that nobody reads.
//!
//! ```text
//! sstore(k, 1) sstore(k, 2)   →   sstore(k, 2)
//! mstore(p, 1) stop()         →   stop()
//! ```
//! A store is *active* from where it stands to where it may be read or is covered by another. A store
//! that is never read while it is active goes. Storage is read by `sload`, by calls and by the
//! successful end of the execution; memory by what reads its region. The end of a function reads
//! everything. See [`operation`] for when two accesses overlap.
//!
//! Only keys in variables that are declared alone and never assigned to count as known, not those in
//! parameters: the step is safe on any code and good on split code in SSA form. In loops, a variable declared in the body is another one in
//! each round. Memory is left alone where the program observes its size. Bodies of loops are walked
//! over twice, where stores are left at their end; those of deeply nested ones once, and all stores
//! left there count as read. At most [`MAX_ACTIVE`] stores are active at a time.
//!
//! Needs unique names and no declarations in loop inits. Near linear for bounded nesting of loops.

mod analysis;
mod operation;

use cairn_yul::{Block, Statement};
use rustc_hash::FxHashSet;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::walk::child_blocks_mut;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "UnusedStoreEliminator",
    letter: Some('S'),
    summary: "remove stores nobody reads",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS).union(Form::SSA),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let unused = analysis::unused_stores(cx, code);
    if !unused.is_empty() {
        remove(code, &unused);
    }
}

/// Removes statements by their address; the addresses in a block are looked at before it changes.
fn remove(block: &mut Block, unused: &FxHashSet<usize>) {
    for statement in &mut block.statements {
        child_blocks_mut(statement, &mut |child| remove(child, unused));
    }
    let is_unused: Vec<bool> =
        block.statements.iter().map(|statement| unused.contains(&address(statement))).collect();
    let mut flags = is_unused.into_iter();
    block.statements.retain(|_| !flags.next().unwrap_or(false));
}

/// The address of a statement, which tells statements apart while the tree does not change.
fn address(statement: &Statement) -> usize {
    std::ptr::from_ref(statement) as usize
}
