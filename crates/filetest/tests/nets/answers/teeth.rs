//! Whether the passes that move inputs, answers and what is passed on have something to do, and no program sees where
//! memory lies.

use super::case;
use crate::teeth;

#[test]
fn passes_have_something_to_do() {
    teeth::passes_have_something_to_do(case, &["relocate-output", "relocate-buffers"], 16, 8);
}

#[test]
fn places_are_not_seen() {
    teeth::places_are_not_seen(case, "function allocate(", None, 40);
}
