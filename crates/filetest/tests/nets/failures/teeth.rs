//! Whether the passes that are about failing have something to do, and no program but those that look sees where
//! memory lies.

use super::case;
use crate::teeth;

#[test]
fn passes_have_something_to_do() {
    teeth::passes_have_something_to_do(
        case,
        &["split-failures", "merge-failures", "elide-allocations"],
        6,
        3,
    );
}

#[test]
fn places_are_not_seen() {
    teeth::places_are_not_seen(case, "function endless(", Some(super::LOOKS), 20);
}
