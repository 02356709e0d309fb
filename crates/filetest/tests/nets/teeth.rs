//! Whether programs of a net give the passes that are held against them something to do, keep to what they may see,
//! and show faults.

use crate::harness::{Case, outcome, setting, with_far_memory};
use crate::random::Random;
use cairn_driver::{Emit, Input, Language, Options, Session};

/// Changes of each kind to each program.
const CHANGES: usize = 4;

/// What stands in the place of a call in the text.
pub(crate) type Kind = (&'static str, &'static str);

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
            let without = code(&text, vec![(*pass).to_owned()]);
            *changed += u32::from(without.is_some_and(|without| without != whole));
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

/// Faults are seen: programs are changed in one place in front of their helpers as such a fault would
/// change them, and one in eight has to do something else. A store becomes none by way of `pass_over`.
#[expect(clippy::print_stderr, reason = "says what was seen")]
pub(crate) fn faults_are_seen(generate: fn(u64) -> Case, helpers: &str, kinds: &[Kind], default: u64) {
    let mut counts = vec![(0, 0); kinds.len()];
    for seed in seeds(default) {
        let original = generate(seed);
        let Some(expected) = outcome(&original) else { continue };
        let head = original.text.find(helpers).expect("stands in every program");
        let mut random = Random::new(seed);
        for (kind, counts) in kinds.iter().zip(&mut counts) {
            for _ in 0..CHANGES {
                let Some(text) = changed(&original.text, head, *kind, &mut random) else { continue };
                let text = text.replacen(
                    helpers,
                    &format!("function pass_over(x, y) {{ pop(x) pop(y) }}\n{helpers}"),
                    1,
                );
                let Some(found) = outcome(&Case { text, calls: original.calls.clone(), ..original }) else {
                    continue;
                };
                *counts = (counts.0 + u32::from(found != expected), counts.1 + 1);
            }
        }
    }
    eprintln!("seen of changed: {:?}", kinds.iter().zip(&counts).collect::<Vec<_>>());
    for ((from, to), (seen, changed)) in kinds.iter().zip(counts) {
        assert!(seen * 8 >= changed, "{from} as {to}: of {changed} {seen} are seen");
    }
}

/// The text with one call in `head` changed; nothing in the helpers is.
fn changed(text: &str, head: usize, (from, to): Kind, random: &mut Random) -> Option<String> {
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
