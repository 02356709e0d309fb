//! Whether programs of a net give the passes that are held against them something to do, and keep to what they may
//! see.

use crate::harness::{Case, outcome, setting, with_far_memory};
use cairn_driver::{Emit, Input, Language, Options, Session};

fn code(text: &str, skipped_passes: Vec<String>) -> Option<String> {
    let input = Input { name: "net.yul".into(), text: text.to_owned(), language: Language::Yul };
    let options = Options { skipped_passes, ..Options::default() };
    let artifacts = cairn_driver::build(&input, &[Emit::Bin], &options, &mut Session::default()).ok()?;
    artifacts.get(Emit::Bin).map(str::to_owned)
}

/// The seeds that are asked for; `default` many from 0 where none are.
fn seeds(default: u64) -> std::ops::Range<u64> {
    let first = setting("CAIRN_NETS_SEED").unwrap_or(0);
    first..first + setting("CAIRN_NETS_PROGRAMS").unwrap_or(default)
}

/// Each pass changes one program in `share`.
#[expect(clippy::print_stderr, reason = "says what the passes changed")]
pub(crate) fn passes_have_something_to_do(
    generate: fn(u64) -> Case,
    passes: &[&str],
    default: u64,
    share: u32,
) {
    let mut programs = 0;
    let mut changed = vec![0; passes.len()];
    for seed in seeds(default) {
        let text = generate(seed).text;
        let Some(whole) = code(&text, Vec::new()) else { continue };
        programs += 1;
        for (pass, changed) in passes.iter().zip(&mut changed) {
            *changed += u32::from(code(&text, vec![(*pass).to_owned()]).as_ref() != Some(&whole));
        }
    }
    eprintln!("of {programs} programs these change: {passes:?} {changed:?}");
    let is_enough = |changed: &u32| changed * share >= programs;
    assert!(changed.iter().all(is_enough), "{passes:?} {changed:?} of {programs}");
}

/// What is allocated is used through its word, and what was not written is not seen. The programs have
/// `anchor` where functions may stand; those with `looks` may see where memory lies.
pub(crate) fn places_are_not_seen(
    generate: fn(u64) -> Case,
    anchor: &str,
    looks: Option<&str>,
    default: u64,
) {
    for seed in seeds(default) {
        let original = generate(seed);
        if looks.is_some_and(|looks| original.text.contains(looks)) {
            continue;
        }
        let Some(expected) = outcome(&original) else { continue };
        let text = with_far_memory(&original.text, anchor);
        let Some(found) = outcome(&Case { text, calls: original.calls.clone(), ..original }) else {
            continue;
        };
        assert!(found == expected, "seed {seed} sees where memory lies\n{}", original.text);
    }
}
