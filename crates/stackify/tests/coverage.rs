//! docs/seed-coverage.md has a row for each of the seven invariants, which names the checker's rule for it
//! and a deliberate fault. That the files and tests of its rows exist is checked by `cargo xtask tidy`.

use cairn_stackify::check::Rule;

const PAGE: &str = include_str!("../../../docs/seed-coverage.md");

/// The rows of the section: what is said, and what shows it.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let (_, section) = PAGE.split_once("<!-- coverage: S001 -->\n").expect("the section exists");
    let (table, _) = section.split_once("<!-- end -->").expect("the table ends");
    table.lines().skip(2).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [_, said, _, tests] = cells[..] else { panic!("four cells: {line}") };
        (said, tests)
    })
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
    for (number, rule) in (1..).zip(rules) {
        let wanted = format!("invariant {number}: ");
        let row = rows().find(|(said, _)| said.starts_with(&wanted));
        let (said, tests) = row.unwrap_or_else(|| panic!("no row for {wanted}"));
        assert!(said.contains(&format!("`{}`", rule.name())), "{said}");
        assert!(tests.starts_with("`crates/stackify/tests/faults.rs::"), "{tests}");
    }
}
