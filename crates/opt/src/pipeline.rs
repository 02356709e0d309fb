//! Which passes run, in which order.
//!
//! The whole order of each level stands here. Why one pass must come before another stands in
//! [`ORDER`], which the tests check against every level.

use crate::options::Options;
use crate::pass::{Pass, Property};
use crate::passes::{
    chain_shifts, copy_constants, copy_loops, dce, dead_args, dead_storage, dead_stores, drop_masks,
    elide_allocations, evaluate_calls, forward, free_pointer, hoist_guards, hoist_invariants, inline,
    localize, merge_failures, merge_functions, merge_guards, merge_stores, narrow_immutables, promote, prune,
    reduce_strength, refuse_value, regroup, relative_args, relocate_buffers, relocate_output, rematerialize,
    share_constants, short_calls, simplify, simplify_cfg, split_failures, test_differences, thread_branches,
    uncap_args,
};
use crate::runner::{Fault, Hooks, Report, run_passes};
use cairn_ir::Module;
use std::sync::LazyLock;

/// How hard to optimize, and for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// No pass.
    O0,
    /// What earns most for its time.
    O1,
    /// Everything that pays for the expected executions.
    #[default]
    O2,
    /// Size before execution gas.
    Os,
    /// Execution gas before size.
    O3,
}

/// Every pass.
pub const PASSES: &[Pass] = &[
    promote::PASS,
    simplify::PASS,
    thread_branches::PASS,
    simplify_cfg::PASS,
    dce::PASS,
    free_pointer::PASS,
    narrow_immutables::PASS,
    drop_masks::PASS,
    evaluate_calls::PASS,
    copy_loops::PASS,
    forward::PASS,
    elide_allocations::PASS,
    dead_stores::PASS,
    dead_storage::PASS,
    merge_stores::PASS,
    copy_constants::PASS,
    hoist_guards::PASS,
    short_calls::PASS,
    merge_guards::PASS,
    refuse_value::PASS,
    merge_failures::PASS,
    merge_functions::PASS,
    relative_args::PASS,
    uncap_args::PASS,
    dead_args::PASS,
    split_failures::PASS,
    inline::PASS,
    prune::PASS,
    relocate_output::PASS,
    relocate_buffers::PASS,
    hoist_invariants::PASS,
    reduce_strength::PASS,
    test_differences::PASS,
    regroup::PASS,
    chain_shifts::PASS,
    rematerialize::PASS,
    localize::PASS,
    share_constants::PASS,
];

/// What earns most for its time: one round of inlining, and the passes behind it that the first blocks and
/// the ends of functions gain from. Bodies are simplified in the place of their calls alone, with their
/// arguments known.
const O1: &[Pass] = &[
    promote::PASS,
    dce::PASS,
    inline::PASS,
    prune::PASS,
    forward::PASS,
    hoist_guards::PASS,
    short_calls::PASS,
    merge_guards::PASS,
    simplify::PASS,
    refuse_value::PASS,
    simplify_cfg::PASS,
    relocate_output::PASS,
    dce::PASS,
    rematerialize::PASS,
    localize::PASS,
];

/// Makes functions simple and puts the bodies in place of calls that this makes worth it.
const INLINING: &[Pass] = &[
    thread_branches::PASS,
    simplify_cfg::PASS,
    dce::PASS,
    copy_loops::PASS,
    merge_functions::PASS,
    relative_args::PASS,
    dead_args::PASS,
    split_failures::PASS,
    evaluate_calls::PASS,
    inline::PASS,
    prune::PASS,
];

/// What comes after all inlining.
const FINISH: &[Pass] = &[
    uncap_args::PASS,
    drop_masks::PASS,
    simplify::PASS,
    simplify_cfg::PASS,
    elide_allocations::PASS,
    forward::PASS,
    hoist_guards::PASS,
    short_calls::PASS,
    merge_guards::PASS,
    thread_branches::PASS,
    refuse_value::PASS,
    simplify_cfg::PASS,
    relocate_output::PASS,
    dead_stores::PASS,
    relocate_buffers::PASS,
    dead_storage::PASS,
    merge_stores::PASS,
    dce::PASS,
    merge_failures::PASS,
    merge_functions::PASS,
    prune::PASS,
    dead_args::PASS,
    copy_constants::PASS,
    hoist_invariants::PASS,
    reduce_strength::PASS,
    test_differences::PASS,
    dce::PASS,
    regroup::PASS,
    chain_shifts::PASS,
    dce::PASS,
    rematerialize::PASS,
    localize::PASS,
    share_constants::PASS,
];

/// The pointer to free memory is looked for when the first inlining has shown where stores go, but
/// early enough for the second to see the checks gone.
static O2: LazyLock<Vec<Pass>> = LazyLock::new(|| {
    [&[promote::PASS], INLINING, &[free_pointer::PASS, narrow_immutables::PASS], INLINING, FINISH].concat()
});

/// Like [`O2`] with a third round of inlining: bodies grown small by the second become cheaper than
/// their calls.
static OS: LazyLock<Vec<Pass>> = LazyLock::new(|| {
    let third = &[
        thread_branches::PASS,
        simplify_cfg::PASS,
        dce::PASS,
        relative_args::PASS,
        dead_args::PASS,
        split_failures::PASS,
        inline::PASS,
        prune::PASS,
    ];
    [&[promote::PASS], INLINING, &[free_pointer::PASS, narrow_immutables::PASS], INLINING, third, FINISH]
        .concat()
});

/// An order requirement: every `before` stands before the last `after`.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Name of the pass that comes first.
    pub before: &'static str,
    /// Name of the pass that comes after it.
    pub after: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// What each level's order has to respect.
pub const ORDER: &[Order] = &[
    Order {
        before: "simplify",
        after: "simplify-cfg",
        reason: "decided branches leave blocks that nothing reaches",
    },
    Order { before: "simplify", after: "dce", reason: "a simplified value leaves its old definition behind" },
    Order { before: "simplify-cfg", after: "dce", reason: "an edge that is gone used its arguments" },
    Order {
        before: "split-failures",
        after: "inline",
        reason: "what is left of a function is put in the place of its calls",
    },
    Order {
        before: "evaluate-calls",
        after: "inline",
        reason: "a body that is copied is no call with constant arguments any more",
    },
    Order {
        before: "relative-args",
        after: "uncap-args",
        reason: "a length is the smaller of two, an end is not",
    },
    Order { before: "uncap-args", after: "dce", reason: "a smaller word that nobody wants any more goes" },
    Order {
        before: "uncap-args",
        after: "simplify-cfg",
        reason: "a branch that only chose the smaller of two words goes",
    },
    Order { before: "inline", after: "prune", reason: "a function whose calls are all inlined is left over" },
    Order {
        before: "inline",
        after: "thread-branches",
        reason: "a body is worth simplifying with its arguments known",
    },
    Order { before: "thread-branches", after: "rematerialize", reason: "sharing would undo it" },
    Order {
        before: "merge-functions",
        after: "copy-constants",
        reason: "functions that differ in constants are one that is passed them",
    },
    Order { before: "merge-stores", after: "copy-constants", reason: "zeros need not lie in the code" },
    Order {
        before: "copy-constants",
        after: "dce",
        reason: "nobody wants the words that were stored any more",
    },
    Order {
        before: "forward",
        after: "thread-branches",
        reason: "a load that became a known value decides more",
    },
    Order {
        before: "hoist-guards",
        after: "simplify-cfg",
        reason: "decided checks leave blocks that only jump",
    },
    Order {
        before: "hoist-guards",
        after: "merge-guards",
        reason: "a check that is joined with another is no check of value any more",
    },
    Order {
        before: "hoist-guards",
        after: "short-calls",
        reason: "one check of value before the dispatch is one way to fail, in each function it hides others",
    },
    Order {
        before: "short-calls",
        after: "merge-guards",
        reason: "a check that goes need not be joined with another",
    },
    Order {
        before: "free-pointer",
        after: "thread-branches",
        reason: "what the pointer can be decides checks",
    },
    Order {
        before: "narrow-immutables",
        after: "thread-branches",
        reason: "masks of words that have no more bits go",
    },
    Order {
        before: "free-pointer",
        after: "copy-loops",
        reason: "a loop that copies memory must write to a buffer of its own",
    },
    Order {
        before: "copy-loops",
        after: "simplify-cfg",
        reason: "what was the head of a loop only joins two ways",
    },
    Order {
        before: "thread-branches",
        after: "refuse-value",
        reason: "a check that the dispatch makes needless can't be found out anew",
    },
    Order {
        before: "hoist-guards",
        after: "refuse-value",
        reason: "only one check before the dispatch can go with it",
    },
    Order {
        before: "refuse-value",
        after: "simplify-cfg",
        reason: "a check that is gone leaves blocks with one way in",
    },
    Order { before: "merge-guards", after: "thread-branches", reason: "joined checks have simpler forms" },
    Order {
        before: "inline",
        after: "hoist-guards",
        reason: "the checks of called bodies stand behind calls",
    },
    Order { before: "forward", after: "relocate-output", reason: "a load that is forwarded reads no memory" },
    Order { before: "relocate-output", after: "dce", reason: "the pointer that is not needed any more goes" },
    Order { before: "inline", after: "forward", reason: "calls hide what they leave alone" },
    Order {
        before: "free-pointer",
        after: "elide-allocations",
        reason: "memory is only allocated where a pointer is kept",
    },
    Order {
        before: "elide-allocations",
        after: "forward",
        reason: "a pointer that is forwarded instead of loaded is a use of the buffer before",
    },
    Order {
        before: "thread-branches",
        after: "simplify-cfg",
        reason: "an edge that is led on goes by a block that only jumps, and leaves one with one way in",
    },
    Order {
        before: "elide-allocations",
        after: "thread-branches",
        reason: "sizes that are not needed any more need no bounds",
    },
    Order {
        before: "forward",
        after: "dead-stores",
        reason: "a load or hash that became a known value reads nothing any more",
    },
    Order {
        before: "dead-stores",
        after: "relocate-buffers",
        reason: "a store that nobody reads would be one more to the buffer, and keep it where it is",
    },
    Order {
        before: "relocate-buffers",
        after: "dce",
        reason: "the pointer that is not needed any more goes",
    },
    Order {
        before: "relocate-output",
        after: "dead-stores",
        reason: "output at a known address reads nothing else",
    },
    Order {
        before: "forward",
        after: "dead-storage",
        reason: "a load that became a known value reads nothing any more",
    },
    Order {
        before: "dead-stores",
        after: "merge-stores",
        reason: "a store that nobody reads need not be in a row with others",
    },
    Order {
        before: "relocate-buffers",
        after: "merge-stores",
        reason: "what is built in scratch memory must be stores",
    },
    Order { before: "merge-stores", after: "dce", reason: "words that are copied need not be loaded" },
    Order { before: "dead-storage", after: "dce", reason: "a store that is gone used its operands" },
    Order { before: "dead-stores", after: "dce", reason: "a store that is gone used its operands" },
    Order {
        before: "merge-functions",
        after: "prune",
        reason: "the functions merged into another are left over",
    },
    Order {
        before: "dead-args",
        after: "dce",
        reason: "an argument that is dropped leaves its computation behind",
    },
    Order {
        before: "merge-failures",
        after: "dce",
        reason: "a block that became a call leaves its constants behind",
    },
    Order {
        before: "hoist-invariants",
        after: "reduce-strength",
        reason: "a sum of words that no round changes is one word then",
    },
    Order {
        before: "reduce-strength",
        after: "dce",
        reason: "a counter that nothing asks for any more keeps itself alive",
    },
    Order {
        before: "hoist-invariants",
        after: "rematerialize",
        reason: "sums that crowd the stack in a loop are computed there anew",
    },
    Order {
        before: "simplify",
        after: "test-differences",
        reason: "it compares what differences are made of",
    },
    Order {
        before: "test-differences",
        after: "dce",
        reason: "a comparison that is not tested any more is left over",
    },
    Order { before: "merge-guards", after: "regroup", reason: "checks that are joined share a shift" },
    Order {
        before: "reduce-strength",
        after: "regroup",
        reason: "the end of what a loop goes through is a sum that it makes",
    },
    Order { before: "regroup", after: "dce", reason: "what rules take apart is left over" },
    Order {
        before: "regroup",
        after: "localize",
        reason: "constants that it makes stand where they are used",
    },
    Order { before: "simplify", after: "chain-shifts", reason: "it makes one shift of two" },
    Order {
        before: "localize",
        after: "share-constants",
        reason: "it chooses from a definition in each block that uses one",
    },
    Order {
        before: "chain-shifts",
        after: "localize",
        reason: "the rest of an amount stands where it is used",
    },
    Order { before: "rematerialize", after: "localize", reason: "copied sums use constants of other blocks" },
    Order { before: "dce", after: "localize", reason: "a dead use would get a constant of its own" },
    Order {
        before: "simplify",
        after: "localize",
        reason: "constants that are made stand in the entry block",
    },
];

/// The passes of a level, in order.
pub fn passes(level: Level) -> &'static [Pass] {
    match level {
        Level::O0 => &[],
        Level::O1 => O1,
        Level::O2 | Level::O3 => &O2,
        Level::Os => &OS,
    }
}

/// The passes of a level without those of some names, and without those that need what these would
/// have established.
pub fn passes_without(level: Level, skipped: &[&str]) -> Vec<Pass> {
    let mut holds: Vec<Property> = Vec::new();
    let mut kept = Vec::new();
    for pass in passes(level).iter().map(|pass| stand_in(pass, skipped)) {
        let is_possible = pass.needs.iter().all(|need| holds.contains(need));
        if skipped.contains(&pass.name) || !is_possible {
            continue;
        }
        holds.retain(|property| pass.preserves.contains(property));
        holds.extend(pass.gives);
        kept.push(*pass);
    }
    kept
}

/// What runs in the place of a pass: `thread-branches` is a sweep of `simplify` and what follows from it,
/// and without it the sweep stays.
fn stand_in<'a>(pass: &'a Pass, skipped: &[&str]) -> &'a Pass {
    let is_skipped = pass.name == thread_branches::PASS.name && skipped.contains(&pass.name);
    if is_skipped { &simplify::PASS } else { pass }
}

/// The pass with this name.
pub fn pass(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Runs the passes of a level on a module and on each module nested in it.
///
/// # Errors
/// The verify hook rejected the module after a pass.
pub fn optimize(
    module: &mut Module,
    level: Level,
    options: &Options,
    hooks: Hooks<'_>,
) -> Result<Report, Fault> {
    run_passes(module, passes(level), options, hooks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const LEVELS: [Level; 5] = [Level::O0, Level::O1, Level::O2, Level::Os, Level::O3];

    fn names(level: Level) -> Vec<&'static str> {
        passes(level).iter().map(|pass| pass.name).collect()
    }

    #[test]
    fn every_level_respects_the_order() {
        for level in LEVELS {
            let names = names(level);
            for order in ORDER {
                let last = |name| names.iter().rposition(|other| *other == name);
                let is_used = names.contains(&order.before) && names.contains(&order.after);
                assert!(!is_used || last(order.before) < last(order.after), "{level:?}: {order:?}");
            }
        }
    }

    #[test]
    fn the_order_speaks_of_passes_that_exist() {
        for order in ORDER {
            assert!(pass(order.before).is_some() && pass(order.after).is_some(), "{order:?}");
        }
    }

    #[test]
    fn names_are_unique_and_every_pass_is_used() {
        let unique: BTreeSet<_> = PASSES.iter().map(|pass| pass.name).collect();
        assert_eq!(unique.len(), PASSES.len());
        let used: BTreeSet<_> = LEVELS.into_iter().flat_map(names).collect();
        assert_eq!(used, unique);
    }

    #[test]
    fn skipping_a_pass_skips_what_needs_it() {
        let names = |skipped: &[&str]| -> Vec<&str> {
            passes_without(Level::O2, skipped).iter().map(|pass| pass.name).collect()
        };
        assert_eq!(names(&[]), self::names(Level::O2));
        assert!(!names(&["dce"]).contains(&"dce") && names(&["dce"]).contains(&"inline"));
        let unpromoted = names(&["promote"]);
        assert!(!unpromoted.contains(&"simplify") && unpromoted.contains(&"simplify-cfg"), "{unpromoted:?}");
    }

    #[test]
    fn needs_are_met() {
        for level in LEVELS {
            let mut holds = Vec::new();
            for pass in passes(level) {
                assert!(pass.needs.iter().all(|need| holds.contains(need)), "{level:?}: {}", pass.name);
                holds.retain(|property| pass.preserves.contains(property));
                holds.extend(pass.gives);
            }
        }
    }
}
