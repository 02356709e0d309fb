//! Whether a use that finds another word than its own would be seen: one use of a long word in a program becomes its
//! complement, its neighbour, nothing, or a word that comes from elsewhere, and the program has to do something else.
//! Many uses stand where no call comes by, so that one change in eight is enough.

use super::{case, linked, words};
use crate::harness::{Case, outcome_with, setting};
use crate::random::Random;
use cairn_driver::Options;

/// Changes of each kind to each program.
const CHANGES: usize = 2;

/// What a use becomes; `#` is the word that was meant.
const KINDS: [&str; 4] = ["not(#)", "add(#, 1)", "0", "timestamp()"];

/// Uses of long words: where they begin and end. What a switch compares with has to be a literal.
fn uses(text: &str) -> Vec<(usize, usize)> {
    let mut uses = Vec::new();
    for (at, _) in text.match_indices("0x") {
        let length = text[at + 2..].find(|letter: char| !letter.is_ascii_hexdigit()).expect("code goes on");
        if length >= 40 && !text[..at].ends_with("case ") {
            uses.push((at, at + 2 + length));
        }
    }
    let symbols = words::IMMUTABLES.map(|name| format!("loadimmutable(\"{name}\")"));
    for symbol in symbols.iter().chain([&format!("linkersymbol(\"{}\")", words::LIBRARY)]) {
        uses.extend(text.match_indices(symbol.as_str()).map(|(at, _)| (at, at + symbol.len())));
    }
    uses.sort_unstable();
    uses
}

#[test]
fn other_words_are_seen() {
    let first = setting("CAIRN_NETS_SEED").unwrap_or(0);
    let mut counts = [(0, 0); KINDS.len()];
    for seed in first..first + setting("CAIRN_NETS_PROGRAMS").unwrap_or(12) {
        let original = case(seed);
        let Some(expected) = outcome_with(&original, linked(Options::default())) else { continue };
        let (uses, mut random) = (uses(&original.text), Random::new(seed));
        for (kind, counts) in KINDS.iter().zip(&mut counts) {
            for _ in 0..CHANGES {
                let (start, end) = *random.pick(&uses);
                let other = kind.replace('#', &original.text[start..end]);
                let text = format!("{}{other}{}", &original.text[..start], &original.text[end..]);
                let changed = Case { text, calls: original.calls.clone(), ..original };
                let Some(found) = outcome_with(&changed, linked(Options::default())) else { continue };
                *counts = (counts.0 + u32::from(found != expected), counts.1 + 1);
            }
        }
    }
    eprintln!("seen of changed: {:?}", KINDS.iter().zip(counts).collect::<Vec<_>>());
    for (kind, (seen, changed)) in KINDS.iter().zip(counts) {
        assert!(changed > 0 && seen * 8 >= changed, "{kind}: of {changed} {seen} are seen");
    }
}
