//! `--coverage`: what `forge coverage` counts with solc's code and with Cairn's, place by place.
//!
//! forge compiles without optimizer for it, so Cairn's code is that of `-O0`, and takes the first
//! instruction in the code within a line, statement, branch or function for that place. What is covered
//! must be the same with both; so must how often it is, where the difference is no fault of forge's fuzzer,
//! which takes constants out of the code for its inputs: it is told not to.
//! Where solc's code is too deep, there is nothing to compare with, and Cairn's has to work.

use super::counted::{Only, reason};
use super::list::{EXAMPLES_SOLC, Project};
use super::tools::{Tools, parsed};
use super::way::{Pipeline, Way};
use crate::project::{Outcome, read};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The level that forge compiles with.
const LEVEL: &str = "0";

/// What solc says of code that does not fit on its stack.
const TOO_DEEP: &str = "Stack too deep";

/// How often each place is run, by file, kind and place: `src/A.sol Statement (lines: 4..5, bytes: 80..95)`.
type Counts = BTreeMap<String, u64>;

/// Compares a published project; what is wrong, if anything.
pub(crate) fn compare_project(
    project: &Project,
    place: &Path,
    tools: &Tools,
    compiler: &Path,
) -> Option<String> {
    let run = |way: Way| {
        let mut command = coverage(tools, place);
        way.apply(&mut command, project, tools, compiler);
        parsed(command, counts)
    };
    let cairn = run(Way::Cairn(LEVEL.into()));
    verdict(project.name, run(Way::Solc(Pipeline::Legacy)), cairn, place)
}

/// Compares a project of this repository, of which this is a copy, when it runs the tests with such names; what is
/// wrong, if anything.
pub(crate) fn compare_example(
    name: &str,
    place: &Path,
    tests: &str,
    tools: &Tools,
    compiler: &Path,
) -> Option<String> {
    let run = |solc: &Path| {
        let mut command = coverage(tools, place);
        command.args(["--match-test", tests]);
        command.env("FOUNDRY_SOLC", solc).env("CAIRN_SOLC", tools.soljson(EXAMPLES_SOLC));
        parsed(command, counts)
    };
    verdict(name, run(&tools.solc(EXAMPLES_SOLC)), run(compiler), place)
}

fn coverage(tools: &Tools, place: &Path) -> Command {
    let mut command = tools.command("forge");
    command.args(["coverage", "--root", ".", "--force", "--report", "debug", "--fuzz-seed", "0x1"]);
    command.arg("--allow-failure");
    command.current_dir(place).env("FOUNDRY_FUZZ_DICTIONARY_WEIGHT", "0");
    command.env("FOUNDRY_INVARIANT_DICTIONARY_WEIGHT", "0");
    command
}

/// The counts in a report of the kind `debug`.
fn counts(text: &str) -> Counts {
    let mut counts = Counts::new();
    let mut file = None;
    for line in text.lines() {
        match (line.strip_prefix("- "), file) {
            (None, _) => file = line.strip_suffix(".sol:"),
            (Some(item), Some(file)) => {
                let Some((what, count)) = item_of(item) else { continue };
                counts.entry(format!("{file}.sol {what}")).and_modify(|old| *old += count).or_insert(count);
            }
            (Some(_), None) => {}
        }
    }
    counts
}

/// `Line (location: (source ID: 0, lines: 4..5, bytes: 80..95), hits: 3) -> "…"` as its place and count.
fn item_of(item: &str) -> Option<(String, u64)> {
    let (what, rest) = item.split_once("), hits: ")?;
    let (kind, place) = what.rsplit_once(" (location: (source ID: ")?;
    let (_, place) = place.split_once(", ")?;
    let (count, _) = rest.split_once(')')?;
    Some((format!("{kind} ({place})"), count.parse().ok()?))
}

/// Says whether both are the same; what differs without a reason, if anything.
fn verdict(name: &str, solc: Outcome<Counts>, cairn: Outcome<Counts>, folder: &Path) -> Option<String> {
    let failed = |fault: &str| {
        println!("coverage: {name}: {fault}");
        Some(format!("coverage of {name}"))
    };
    let cairn = match cairn {
        Ok(cairn) => cairn,
        Err(fault) => return failed(&fault),
    };
    let solc = match solc {
        Ok(solc) => solc,
        Err(fault) if fault.contains(TOO_DEEP) => {
            println!("coverage: {name}: {}; solc's code is too deep", summary(&cairn));
            return None;
        }
        Err(fault) => return failed(&fault),
    };
    println!("coverage: {name}: {}; with solc {}", summary(&cairn), summary(&solc));
    let (covered, others) = differences(&solc, &cairn);
    let reason = |place: &String| {
        let is_covered = |counts: &Counts| counts.get(place).is_some_and(|count| *count > 0);
        let only = if is_covered(&solc) { Only::Solc } else { Only::Cairn };
        source_at(folder, place).and_then(|text| reason(only, &text))
    };
    for place in &covered {
        let why = reason(place).map(|reason| format!(" ({reason})")).unwrap_or_default();
        let times = |counts: &Counts| counts.get(place).map_or_else(|| "none".into(), u64::to_string);
        println!("  {place}: {} with solc, {}{why}", times(&solc), times(&cairn));
    }
    let (n_places, n_others) = (solc.len(), others.len());
    println!("  {} of {n_places} places differ, {n_others} more in how often they are run", covered.len());
    let is_fine = covered.iter().all(|place| reason(place).is_some());
    (!is_fine).then(|| format!("coverage of {name}"))
}

/// The source text of a place.
fn source_at(folder: &Path, place: &str) -> Option<String> {
    let (file, _) = place.split_once(".sol ")?;
    let (_, range) = place.rsplit_once("bytes: ")?;
    let (start, end) = range.trim_end_matches(')').split_once("..")?;
    let text = read(&folder.join(format!("{file}.sol"))).ok()?;
    text.get(start.parse().ok()?..end.parse().ok()?).map(str::to_owned)
}

/// Places that only one has or covers; and those that both cover, but not as often.
fn differences(solc: &Counts, cairn: &Counts) -> (Vec<String>, Vec<String>) {
    let only_here = cairn.keys().filter(|place| !solc.contains_key(*place));
    let places = solc.keys().chain(only_here);
    let covered = |counts: &Counts, place: &str| counts.get(place).map(|count| *count > 0);
    let (same, different): (Vec<&String>, Vec<&String>) =
        places.partition(|place| covered(solc, place) == covered(cairn, place));
    let others = same.into_iter().filter(|place| solc.get(*place) != cairn.get(*place));
    (different.into_iter().cloned().collect(), others.cloned().collect())
}

/// `lines 12/12, statements 16/18, …`.
fn summary(counts: &Counts) -> String {
    let part = |kind: &str| {
        let marked = format!(".sol {kind}");
        let items = || counts.iter().filter(|(place, _)| place.contains(&marked));
        format!("{}/{}", items().filter(|(_, count)| **count > 0).count(), items().count())
    };
    let [lines, statements, branches, functions] = ["Line ", "Statement ", "Branch ", "Function "].map(part);
    format!("lines {lines}, statements {statements}, branches {branches}, functions {functions}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "Ran 1 test\n\
        src/A.sol:\n\
        - Line (location: (source ID: 7, lines: 4..5, bytes: 80..95), hits: 3) -> \"a: b\"\n\
        - Branch (branch: 0, path: 1) (location: (source ID: 7, lines: 4..5, bytes: 80..95), hits: 0) -> \"\"\n\
        \n\
        Anchors for Contract \"A\" (solc 0.8.37, source ID 7):\n\
        -  runtime IC 5 -> Item 60: Line (location: (source ID: 2, lines: 21..25, bytes: 693..802), hits: 17)\n";

    #[test]
    fn places_are_read_without_numbers_of_sources() {
        let line = "src/A.sol Line (lines: 4..5, bytes: 80..95)".to_owned();
        let branch = "src/A.sol Branch (branch: 0, path: 1) (lines: 4..5, bytes: 80..95)".to_owned();
        assert_eq!(counts(REPORT), Counts::from([(line, 3), (branch, 0)]));
        assert_eq!(summary(&counts(REPORT)), "lines 1/1, statements 0/0, branches 0/1, functions 0/0");
    }

    #[test]
    fn what_is_covered_differs_or_how_often() {
        let base = Counts::from([("a".into(), 1), ("b".into(), 0), ("c".into(), 2)]);
        let other = Counts::from([("a".into(), 0), ("c".into(), 3), ("d".into(), 0)]);
        let owned = |places: &[&str]| places.iter().map(|place| (*place).to_owned()).collect::<Vec<_>>();
        assert_eq!(differences(&base, &other), (owned(&["a", "b", "d"]), owned(&["c"])));
        assert_eq!(differences(&base, &base), (vec![], vec![]));
    }

    #[test]
    fn a_difference_without_a_reason_is_a_fault() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("A.sol"), "case 0 {}   f();").expect("written");
        let none = Path::new("");
        let some = |count| Ok(Counts::from([("A.sol Line (lines: 1..2, bytes: 0..10)".into(), count)]));
        let call = |count| Ok(Counts::from([("A.sol Line (lines: 1..2, bytes: 12..15)".into(), count)]));
        let fault = Some("coverage of a".to_owned());
        assert_eq!(verdict("a", some(1), some(2), none), None);
        assert_eq!(verdict("a", some(1), some(0), none), fault);
        assert_eq!(verdict("a", some(1), some(0), folder.path()), None);
        assert_eq!(verdict("a", some(0), some(1), folder.path()), fault);
        assert_eq!(verdict("a", call(1), call(0), folder.path()), fault);
        assert_eq!(verdict("a", Err("Error: Stack too deep".into()), some(0), none), None);
        assert_eq!(verdict("a", Err("Error".into()), some(0), none), fault);
        assert_eq!(verdict("a", some(1), Err("Error".into()), none), fault);
    }
}
