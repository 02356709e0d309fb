//! Whether the programs are what the head says, give passes something to do and show faults.

use super::{HELPERS, case};
use crate::harness::Case;
use crate::teeth::{Kind, faults_are_seen, passes_have_something_to_do};

const FAULTS: [Kind; 4] =
    [("mstore(", "pass_over("), ("sstore(", "pass_over("), ("tstore(", "pass_over("), ("xor(", "or(")];

/// The first function of the helpers, before which the statements stand.
const ANCHOR: &str = "function leaf()";

#[test]
fn passes_have_something_to_do_where_features_meet() {
    assert!(HELPERS.starts_with(ANCHOR));
    passes_have_something_to_do(case, &["forward", "dead-stores", "dead-storage", "inline"], 40, 10);
}

/// A program without a library, which needs no options.
fn unlinked_case(seed: u64) -> Case {
    let case = case(seed);
    Case { text: case.text.replace("linkersymbol(\"lib.sol:L\")", "shl(13, 0xabcdef)"), ..case }
}

#[test]
fn faults_in_programs_of_mixed_features_are_seen() {
    faults_are_seen(unlinked_case, ANCHOR, &FAULTS, 60);
}
