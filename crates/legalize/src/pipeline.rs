//! Which passes run, in which order.

use crate::pass::Pass;
use crate::passes::{
    eliminate_phis, enforce_pointers, hoist_slots, legalize_operations, legalize_types, lower_composites,
    normalize_edges, normalize_switches, order_blocks, remove_dead, remove_unreachable, repair_terminators,
};

/// The passes in order. Each relies on what those before it give: all of them on terminators, those on
/// pointers and types on composites being gone, phis on switches being gone (their edges cannot hold
/// stores), edges on arguments being gone, and on branches having a choice. Unreachable and dead code is
/// removed first so that no pass works for nothing; what a pass leaves dead, [`CLEANUP`] removes behind it.
/// They run from top to bottom until a round changes nothing.
pub const PASSES: &[Pass] = &[
    repair_terminators::PASS,
    remove_unreachable::PASS,
    remove_dead::PASS,
    lower_composites::PASS,
    enforce_pointers::PASS,
    legalize_types::PASS,
    legalize_operations::PASS,
    normalize_switches::PASS,
    eliminate_phis::PASS,
    normalize_edges::PASS,
    hoist_slots::PASS,
    order_blocks::PASS,
];

/// Runs behind a pass that may have left dead code.
pub(crate) const CLEANUP: Pass = remove_dead::PASS;

#[cfg(test)]
mod tests {
    use super::*;

    // Shows S000-62, S000-63, S000-64, S000-65, S000-66, S000-67, S003-09, S003-51.
    #[test]
    fn needs_are_met() {
        let mut given = Vec::new();
        for pass in PASSES {
            assert!(pass.needs.iter().all(|need| given.contains(need)), "{}", pass.name);
            assert!(!given.contains(&pass.gives), "{}", pass.name);
            given.push(pass.gives);
        }
    }
}
