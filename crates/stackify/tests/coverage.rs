//! docs/seed-coverage.md names files and tests that exist, and all seven invariants.

use cairn_stackify::check::Rule;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of the section: what is said, where it is done, what shows it.
fn rows() -> Vec<[String; 3]> {
    let text = std::fs::read_to_string(root().join("docs/seed-coverage.md")).expect("the page exists");
    let (_, section) = text.split_once("<!-- coverage: stackify -->\n").expect("the section exists");
    let (table, _) = section.split_once("<!-- end -->").expect("the table ends");
    let cells = |line: &str| {
        let cells: Vec<String> =
            line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
        <[String; 3]>::try_from(cells).unwrap_or_else(|cells| panic!("three cells: {cells:?}"))
    };
    table.lines().skip(2).map(cells).collect()
}

#[test]
fn files_and_tests_exist() {
    for [said, place, test] in rows() {
        for name in place.split(", ").chain(test.split(", ")) {
            let name = name.trim_matches('`');
            let (file, function) =
                name.split_once("::").map_or((name, None), |(file, name)| (file, Some(name)));
            let text =
                std::fs::read_to_string(root().join(file)).unwrap_or_else(|_| panic!("{said}: no {file}"));
            // A plain test, or a row of a table of faults.
            let is_there = |name: &str| {
                text.contains(&format!("fn {name}()")) || text.contains(&format!("    {name}: "))
            };
            assert!(function.is_none_or(is_there), "{said}: no {name}");
        }
    }
}

#[test]
fn each_invariant_has_a_check_and_a_row() {
    let rules = [
        Rule::HeightNotNegative,
        Rule::HeightLimit,
        Rule::NoUninitialised,
        Rule::NoDeadStack,
        Rule::AllConsumed,
        Rule::ValidTarget,
        Rule::ConstantOffset,
    ];
    let rows = rows();
    for (number, rule) in (1..).zip(rules) {
        let wanted = format!("invariant {number}: ");
        let row = rows.iter().find(|[said, ..]| said.starts_with(&wanted));
        let [said, _, test] = row.unwrap_or_else(|| panic!("no row for {wanted}"));
        assert!(said.contains(&format!("`{}`", rule.name())), "{said}");
        assert!(test.starts_with("`crates/stackify/tests/faults.rs::"), "{test}");
    }
}
