//! Whether a comparison that is decided wrongly, a load that finds an old word and a counter that is taken to be small
//! would be seen: programs are changed in one place as such a fault would change them, and have to do something else.

use super::case;
use crate::harness::{Case, outcome, setting};
use crate::random::Random;

/// Changes of each kind to each program.
const CHANGES: usize = 4;

/// What stands in the place of a call in the text.
const KINDS: [(&str, &str); 8] = [
    ("lt(", "and(0, lt("),
    ("lt(", "or(1, lt("),
    ("gt(", "and(0, gt("),
    ("gt(", "or(1, gt("),
    ("eq(", "and(0, eq("),
    ("mload(", "add(1, mload("),
    ("sload(", "add(1, sload("),
    ("mstore(", "pass_over("),
];

/// The text with one call in `head` changed; nothing in the helpers is.
fn changed(text: &str, head: usize, (from, to): (&str, &str), random: &mut Random) -> Option<String> {
    let is_call = |at: &usize| *at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric();
    let places: Vec<usize> = text[..head].match_indices(from).map(|(at, _)| at).filter(is_call).collect();
    if places.is_empty() {
        return None;
    }
    let at = *random.pick(&places);
    let inside = at + from.len();
    let mut depth = 1;
    let length = text[inside..].find(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0
    })?;
    let end = inside + length + 1;
    let close = if to.matches('(').count() > 1 { ")" } else { "" };
    Some(format!("{}{to}{}{close}{}", &text[..at], &text[inside..end], &text[end..]))
}

#[test]
fn faults_are_seen() {
    let first = setting("CAIRN_NETS_SEED").unwrap_or(0);
    let mut counts = [(0, 0); KINDS.len()];
    for seed in first..first + setting("CAIRN_NETS_PROGRAMS").unwrap_or(12) {
        let original = case(seed);
        let Some(expected) = outcome(&original) else { continue };
        let head = original.text.find(super::HELPERS).expect("stands in every program");
        let mut random = Random::new(seed);
        for (kind, counts) in KINDS.iter().zip(&mut counts) {
            for _ in 0..CHANGES {
                let Some(text) = changed(&original.text, head, *kind, &mut random) else { continue };
                let text = text.replacen(
                    "function panic(",
                    "function pass_over(x, y) { pop(x) pop(y) }\nfunction panic(",
                    1,
                );
                let Some(found) = outcome(&Case { text, calls: original.calls.clone(), ..original }) else {
                    continue;
                };
                *counts = (counts.0 + u32::from(found != expected), counts.1 + 1);
            }
        }
    }
    eprintln!("seen of changed: {:?}", KINDS.iter().zip(counts).collect::<Vec<_>>());
    for ((from, to), (seen, changed)) in KINDS.iter().zip(counts) {
        assert!(seen * 8 >= changed, "{from} as {to}: of {changed} {seen} are seen");
    }
}
