//! Whether a word that begins or steps wrongly, and a test that holds too often or too seldom, would be seen.

use super::{HELPERS, case};
use crate::teeth::{self, Kind};

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
