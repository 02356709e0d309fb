//! `thread-branches`: leads an edge past a branch that is decided for those who come over it.
//!
//! ```text
//! ^a:                                      ^a:
//!   evm.condbr %x, ^b, ^m(%one)              evm.condbr %x, ^b, ^then
//! ^b:                                      ^b:
//!   %y = evm.lt %u, %v : bool                %y = evm.lt %u, %v : bool
//!   evm.br ^m(%y)                    =>      evm.br ^m(%y)
//! ^m(%c : u256):                           ^m(%c : u256):
//!   evm.condbr %c, ^then, ^else              evm.condbr %c, ^then, ^else
//! ```
//!
//! So `a || b`, clamping by the size of return data, and flags of loops become the jumps that they mean.
//!
//! Definitions: `^m` is the *crossing*; an edge to it is *foreseen* if the branch at its end is decided by
//! the edge's arguments, by what the branch before says and by what is known before it (`simplify`
//! finds them: this pass is one of its sweeps and what follows from it). The edge gets a copy of what the
//! crossing does, without what only the branch needed, and goes on to the right target, past the branch there
//! as well if that is decided too: a row of comparisons goes as a whole. What the crossing defines and other
//! blocks use has two definitions then, which block parameters join.
//!
//! An edge is led on past each branch where the copy costs no more than the branch is worth ([`BRANCH_GAS`]): at most
//! levels a few bytes, for size none. In functions with memory of their own (`alloca`) what a crossing
//! defines stays where it is: an address that has two definitions may be anybody's. Crossings that lead
//! back to the edge are left alone, so that the loops of the program keep their heads.
//!
//! Needs promotion, preserves it. Cost: that of `simplify`, and linear in the function for all edges
//! together.

mod detour;
mod join;

use crate::calls::CallFacts;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::passes::simplify::simplify_and_foresee;
use cairn_ir::Function;
use detour::Detours;

/// Gas that an edge saves on which a branch, its test and the jump to it are left out, about. Most
/// such edges are not taken in each execution, so it is half of what these cost.
const BRANCH_GAS: f64 = 12.0;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "thread-branches",
    summary: "leads edges past branches that are decided for them",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::CallersFirst(run),
};

/// Runs the pass.
fn run(func: &mut Function, cx: &mut PassContext<'_>, calls: &mut CallFacts) -> Changed {
    let (simplified, foreseen) = simplify_and_foresee(func, cx, calls);
    if foreseen.is_empty() {
        return simplified;
    }
    let mut detours = Detours::new(func, cx);
    for edges in foreseen.chunk_by(|a, b| a.from == b.from) {
        detours.lead_on(edges);
    }
    let copies = detours.finish();
    if copies.is_empty() {
        return simplified;
    }
    join::join_definitions(func, &copies);
    Changed::Yes
}
