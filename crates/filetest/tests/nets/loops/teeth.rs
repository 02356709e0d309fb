//! Whether a comparison that is decided wrongly, a load that finds an old word and a counter that is taken to be small
//! would be seen.

use super::{HELPERS, case};
use crate::teeth::{self, Kind};

const KINDS: [Kind; 8] = [
    ("lt(", "and(0, lt("),
    ("lt(", "or(1, lt("),
    ("gt(", "and(0, gt("),
    ("gt(", "or(1, gt("),
    ("eq(", "and(0, eq("),
    ("mload(", "add(1, mload("),
    ("sload(", "add(1, sload("),
    ("mstore(", "pass_over("),
];

#[test]
fn faults_are_seen() {
    teeth::faults_are_seen(case, HELPERS, &KINDS, 12);
}
