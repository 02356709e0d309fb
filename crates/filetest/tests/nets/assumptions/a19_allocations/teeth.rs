//! Whether a move of the pointer that is missing is seen, and nothing else that A19 allows: programs
//! are changed without a compiler having a part in it.

use super::case;
use crate::harness::{Case, outcome, setting, with_far_memory};

/// A move becomes a call of this.
const NOTHING: &str = "function nothing(a, b) { }";

/// The program without each of its moves, those in helpers, which all callers share, too.
fn without_a_move(text: &str) -> Vec<String> {
    let moves = text.match_indices("mstore(0x40,").chain(text.match_indices("finalize("));
    let is_call = |&(place, _): &(usize, &str)| !text[..place].ends_with("function ");
    moves
        .filter(is_call)
        .map(|(place, found)| {
            let name = &found[..found.find('(').expect("a call")];
            let text = format!("{}nothing{}", &text[..place], &text[place + name.len()..]);
            text.replace("function panic()", &format!("{NOTHING}\nfunction panic()"))
        })
        .collect()
}

#[test]
fn missing_moves_are_seen() {
    let asked = setting("CAIRN_NETS_PROGRAMS");
    let first = setting("CAIRN_NETS_SEED").unwrap_or(0);
    let (mut programs, mut seen, mut moves, mut seen_moves) = (0, 0, 0, 0);
    for seed in first..first + asked.unwrap_or(6) {
        let original = case(seed);
        let Some(expected) = outcome(&original) else { continue };
        programs += 1;
        let mut is_seen = false;
        for text in without_a_move(&original.text) {
            if is_seen && asked.is_none() {
                break;
            }
            let changed = Case { text, calls: original.calls.clone(), ..original };
            let differs = outcome(&changed).is_none_or(|found| found != expected);
            (moves, seen_moves) = (moves + 1, seen_moves + u32::from(differs));
            is_seen |= differs;
        }
        seen += u32::from(is_seen);
    }
    eprintln!("{seen} of {programs} programs show a missing move; {seen_moves} of {moves} moves do");
    assert!(seen * 3 >= programs * 2, "{seen} of {programs} programs show a missing move");
}

/// What is allocated is used through its word, and what was not written is not seen.
#[test]
fn places_are_not_seen() {
    let first = setting("CAIRN_NETS_SEED").unwrap_or(0);
    for seed in first..first + setting("CAIRN_NETS_PROGRAMS").unwrap_or(30) {
        let original = case(seed);
        let Some(expected) = outcome(&original) else { continue };
        let text = with_far_memory(&original.text, "function panic()");
        let found = outcome(&Case { text, calls: original.calls.clone(), ..original });
        assert!(found == Some(expected), "seed {seed} sees where memory lies\n{}", original.text);
    }
}
