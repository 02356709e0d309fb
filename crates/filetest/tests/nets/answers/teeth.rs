//! Whether the programs give the passes that are held against them something to do, and keep to what they may
//! see.

use super::case;
use crate::harness::{Case, outcome, setting, with_far_memory};
use cairn_driver::{Emit, Input, Language, Options, Session};

/// What moves inputs, answers and what is passed on.
const PASSES: [&str; 2] = ["relocate-output", "relocate-buffers"];

fn code(text: &str, skipped_passes: Vec<String>) -> Option<String> {
    let input = Input { name: "net.yul".into(), text: text.to_owned(), language: Language::Yul };
    let options = Options { skipped_passes, ..Options::default() };
    let artifacts = cairn_driver::build(&input, &[Emit::Bin], &options, &mut Session::default()).ok()?;
    artifacts.get(Emit::Bin).map(str::to_owned)
}

#[test]
fn passes_have_something_to_do() {
    let first = setting("CAIRN_NETS_SEED").unwrap_or(0);
    let mut programs = 0;
    let mut changed = [0; PASSES.len()];
    for seed in first..first + setting("CAIRN_NETS_PROGRAMS").unwrap_or(16) {
        let text = case(seed).text;
        let Some(whole) = code(&text, Vec::new()) else { continue };
        programs += 1;
        for (pass, changed) in PASSES.iter().zip(&mut changed) {
            *changed += u32::from(code(&text, vec![(*pass).to_owned()]).as_ref() != Some(&whole));
        }
    }
    eprintln!("of {programs} programs these change: {PASSES:?} {changed:?}");
    assert!(changed.iter().all(|changed| changed * 8 >= programs), "{PASSES:?} {changed:?} of {programs}");
}

/// What is allocated is used through its word, and what was not written is not seen.
#[test]
fn places_are_not_seen() {
    let first = setting("CAIRN_NETS_SEED").unwrap_or(0);
    for seed in first..first + setting("CAIRN_NETS_PROGRAMS").unwrap_or(40) {
        let original = case(seed);
        let Some(expected) = outcome(&original) else { continue };
        let text = with_far_memory(&original.text, "function allocate(");
        let Some(found) = outcome(&Case { text, calls: original.calls.clone(), ..original }) else {
            continue;
        };
        assert!(found == expected, "seed {seed} sees where memory lies\n{}", original.text);
    }
}
