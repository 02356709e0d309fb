//! `docs/seed-coverage.md`: each rule of the specifications has a number, in order, and names files that
//! exist and tests that say which rules they show.
//!
//! A row is `| S001-07 | what is said | where | shown by |`. A file test mentions the number in the comment
//! that opens it, a Rust test in the comment above its function (or above its row in a table of tests). A
//! row that nothing shows says `not met: why` in place of tests.

use super::Fault;
use crate::project::{Outcome, read, root};
use std::collections::BTreeSet;

const PAGE: &str = "docs/seed-coverage.md";
/// Documents are numbered from `S000` on.
const NUM_DOCUMENTS: u32 = 5;
const NOT_MET: &str = "not met: ";

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let page = read(&root().join(PAGE))?;
    Ok(faults(&page, &|path| std::fs::read_to_string(root().join(path)).ok()))
}

/// What a path holds, if it exists.
type Files<'a> = dyn Fn(&str) -> Option<String> + 'a;

fn faults(page: &str, files: &Files<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut expected = (0, 1);
    let mut known = BTreeSet::new();
    for (line, text) in numbered(page).filter(|(_, text)| is_row(text)) {
        let mut messages = Vec::new();
        match cells(text) {
            Some([number, _, places, tests]) => {
                expected = match parsed(number) {
                    Some(found) => follow(expected, found, &mut messages),
                    None => {
                        messages.push(format!("`{number}` is no number of a rule"));
                        expected
                    }
                };
                known.insert(number);
                messages.extend(wrong_places(places, files));
                messages.extend(wrong_tests(number, tests, files));
            }
            None => messages.push("a row has four cells".to_owned()),
        }
        faults.extend(messages.into_iter().map(|message| at(line, message)));
    }
    if expected.0 + 1 != NUM_DOCUMENTS {
        faults.push(Fault::new(
            PAGE,
            format!("has rules of {} documents, not {NUM_DOCUMENTS}", expected.0 + 1),
        ));
    }
    for (line, text) in numbered(page).filter(|(_, text)| !is_row(text)) {
        let unknown = numbers(text).into_iter().filter(|number| !known.contains(number));
        faults.extend(unknown.map(|number| at(line, format!("{number} is no row"))));
    }
    faults
}

fn at(line: usize, message: String) -> Fault {
    Fault::new(format!("{PAGE}:{line}"), message)
}

fn numbered(page: &str) -> impl Iterator<Item = (usize, &str)> {
    page.lines().enumerate().map(|(index, line)| (index + 1, line))
}

/// A line of a table that is neither its head nor the line below that.
fn is_row(line: &str) -> bool {
    line.starts_with('|') && !line.starts_with("| number ") && !line.starts_with("|---")
}

fn cells(row: &str) -> Option<[&str; 4]> {
    let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
    cells.try_into().ok()
}

/// Document and rule of a number.
fn parsed(number: &str) -> Option<(u32, u32)> {
    let (document, rule) = number.strip_prefix('S')?.split_once('-')?;
    (document.len() == 3 && rule.len() >= 2).then_some(())?;
    Some((document.parse().ok()?, rule.parse().ok()?))
}

/// Checks that `found` is `expected` or opens the next document; what comes after it.
fn follow(expected: (u32, u32), found: (u32, u32), messages: &mut Vec<String>) -> (u32, u32) {
    let opens_next = found == (expected.0 + 1, 1) && expected.1 > 1;
    if found != expected && !opens_next {
        messages.push(format!("S{:03}-{:02} comes here", expected.0, expected.1));
    }
    (found.0, found.1 + 1)
}

/// All numbers of rules in a text, each as long as it is: `S002-10` is not in `S002-100`.
fn numbers(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.split(|c| !is_part(c)).filter(|word| parsed(word).is_some()).collect()
}

/// `` `a`, `b` `` as `a` and `b`.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(", ").map(|name| name.trim().trim_matches('`'))
}

fn wrong_places(cell: &str, files: &Files<'_>) -> Vec<String> {
    names(cell).filter(|path| files(path).is_none()).map(|path| format!("no file `{path}`")).collect()
}

fn wrong_tests(number: &str, cell: &str, files: &Files<'_>) -> Vec<String> {
    if cell.strip_prefix(NOT_MET).is_some_and(|why| !why.is_empty()) {
        return Vec::new();
    }
    names(cell).filter_map(|test| wrong_test(number, test, files)).collect()
}

fn wrong_test(number: &str, test: &str, files: &Files<'_>) -> Option<String> {
    let (path, function) = test.split_once("::").map_or((test, None), |(path, name)| (path, Some(name)));
    let Some(text) = files(path) else { return Some(format!("no test `{test}`")) };
    let comment = match function {
        Some(name) => comment_of(name, &text),
        None => path.starts_with("tests/filetests/").then(|| opening_comment(&text)),
    };
    match comment {
        None => Some(format!("no test `{test}`")),
        Some(comment) if numbers(&comment).contains(&number) => None,
        Some(_) => Some(format!("`{test}` does not mention {number}")),
    }
}

/// The comment that a file test begins with.
fn opening_comment(text: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("//") || line.starts_with(';');
    text.lines().take_while(is_comment).flat_map(|line| [line, "\n"]).collect()
}

/// The comment above a test function, or above a row of a table of tests; `None` if there is no such test.
fn comment_of(name: &str, text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let above = |index: usize| {
        let is_above = |line: &&&str| line.starts_with("//") || line.starts_with("#[");
        lines[..index].iter().rev().take_while(is_above).flat_map(|line| [*line, "\n"]).collect::<String>()
    };
    let function = format!("fn {name}(");
    let tested = lines.iter().position(|line| line.starts_with(&function)).map(above);
    let is_test = |above: &String| above.lines().any(|line| line == "#[test]");
    let row = format!("{name}: ");
    tested.filter(is_test).or_else(|| lines.iter().position(|line| line.starts_with(&row)).map(above))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(path: &str) -> Option<String> {
        let text = match path {
            "src/a.rs" => "",
            "tests/filetests/a/b/c.eir" => {
                "// Shows it.\n// Shows S000-01, S000-100.\n//! run: x\n{}\n// S000-02\n"
            }
            "tests/d.rs" => {
                "// S000-01 S001-01\n#[test]\nfn one() {}\n\n// S000-01\nfn no_test() {}\n\nrows! {\n    // S000-01, S002-01\n    row: 1;\n}\n"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    /// A page of `rows`, and one row of each document that they leave out.
    fn page(rows: &[&str]) -> Vec<String> {
        let head = "| number | what the specification says | where | shown by |\n|---|---|---|---|\n";
        let text = format!("{head}{}\n", rows.join("\n"));
        faults(&text, &files).iter().map(Fault::to_string).collect()
    }

    const REST: [&str; 4] = [
        "| S001-01 | y | `src/a.rs` | `tests/d.rs::one` |",
        "| S002-01 | y | `src/a.rs` | `tests/d.rs::row` |",
        "| S003-01 | y | `src/a.rs` | not met: a reason |",
        "| S004-01 | y | `src/a.rs` | not met: a reason |",
    ];

    fn with(row: &str) -> Vec<String> {
        let rows: Vec<&str> = [row].into_iter().chain(REST).collect();
        page(&rows)
    }

    #[test]
    fn rows_in_order_that_are_mentioned_are_right() {
        assert_eq!(
            with("| S000-01 | x | `src/a.rs` | `tests/filetests/a/b/c.eir`, `tests/d.rs::one` |"),
            [""; 0]
        );
        assert_eq!(with("| S000-01 | x | `src/a.rs`, `tests/d.rs` | `tests/d.rs::row` |"), [""; 0]);
    }

    #[test]
    fn numbers_are_a_sequence_over_all_documents() {
        let good = "| S000-01 | x | `src/a.rs` | not met: why |";
        assert_eq!(with(&good.replace("-01", "-02")), ["docs/seed-coverage.md:3: S000-01 comes here"]);
        assert_eq!(with(&good.replace("S000-01", "7")).len(), 2);
        let twice = page(&[&[good, good], &REST[..]].concat());
        assert_eq!(twice, ["docs/seed-coverage.md:4: S000-02 comes here"]);
        assert_eq!(page(&[good]), ["docs/seed-coverage.md: has rules of 1 documents, not 5"]);
        assert_eq!(
            with("| S000-01 | x | `src/a.rs` |"),
            ["docs/seed-coverage.md:3: a row has four cells", "docs/seed-coverage.md:4: S000-01 comes here",]
        );
    }

    #[test]
    fn places_and_tests_exist() {
        let says = |row: &str| with(row).join("; ");
        assert!(says("| S000-01 | x | `src/b.rs` | `tests/d.rs::one` |").ends_with("no file `src/b.rs`"));
        for missing in ["tests/e.rs::one", "tests/d.rs::two", "tests/d.rs::no_test", "tests/d.rs", "src/a.rs"]
        {
            let row = format!("| S000-01 | x | `src/a.rs` | `{missing}` |");
            assert_eq!(says(&row), format!("docs/seed-coverage.md:3: no test `{missing}`"));
        }
        assert!(says("| S000-01 | x | `src/a.rs` | not met: |").ends_with("no test `not met:`"));
    }

    #[test]
    fn tests_mention_the_whole_number_at_their_head() {
        let rows = [
            "| S000-01 | x | `src/a.rs` | `tests/d.rs::one` |",
            "| S000-02 | x | `src/a.rs` | `tests/filetests/a/b/c.eir` |",
        ];
        let found = page(&[&rows[..], &REST[..]].concat());
        assert_eq!(found, ["docs/seed-coverage.md:4: `tests/filetests/a/b/c.eir` does not mention S000-02"]);
        assert_eq!(numbers("S000-100, (S000-7) xS000-01 S000-01x `S004-12`."), ["S000-100", "S004-12"]);
    }

    #[test]
    fn numbers_in_the_text_are_rows() {
        let row = "| S000-01 | x | `src/a.rs` | not met: why |";
        let text = [row, REST[0], REST[1], REST[2], REST[3], "", "* S000-01, S000-02: why."];
        assert_eq!(page(&text), ["docs/seed-coverage.md:9: S000-02 is no row"]);
    }
}
