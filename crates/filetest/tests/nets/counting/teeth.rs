//! Whether the pass that adds to words instead of computing them has something to do, and whether a word that begins or
//! steps wrongly, and a test that holds too often or too seldom, would be seen.

use super::{HELPERS, case};
use crate::teeth::{self, Kind};

#[test]
fn passes_have_something_to_do() {
    teeth::passes_have_something_to_do(case, &["reduce-strength"], 60, 8);
}

/// A test for what is below is one for what is not equal, never holds or always does; words are a step ahead.
const KINDS: [Kind; 6] = [
    ("lt(", "sub("),
    ("lt(", "and(0, lt("),
    ("lt(", "or(1, lt("),
    ("shl(", "add(32, shl("),
    ("add(", "add(32, add("),
    ("mul(", "sub(0, mul("),
];

#[test]
fn faults_are_seen() {
    teeth::faults_are_seen(case, HELPERS, &KINDS, 40);
}
