//! Acceptance and rejection of programs as by solc: kind, number and place of every error.
//!
//! After an error of the grammar solc gives up and we go on, so there may be more of ours. Errors
//! that only follow from an unknown function are not ours.

#[allow(dead_code, reason = "shared by several test binaries")]
mod common;

use cairn_diag::{Diagnostic, FileId};
use cairn_yul::{ErrorKind, Fault, parse};
use common::{Case, cases, corpus};

/// Tests that differ on purpose, with the reason.
const DIFFERENT: [(&str, &str); 2] = [
    ("recursion_depth.yul", "we allow 1024 levels of nesting where solc allows 600 blocks"),
    ("unicode_string_direction_override.yul", "our places end at the end of a character"),
];

/// Numbers of the errors that follow from a call without known results.
const CONSEQUENCES: [&str; 3] = ["Y3812", "Y3950", "Y8678"];

/// An error, as the expectations write it: kind, number and place.
type Line = (String, String);

fn expected(case: &Case) -> Vec<Line> {
    let lines = case.expectation.iter().filter(|line| !line.is_empty());
    lines.map(|line| split_expectation(line)).collect()
}

/// `Kind 1234: (5-6): text`; the place may be missing.
fn split_expectation(line: &str) -> Line {
    let (head, rest) = line.split_once(": ").expect("a kind and a number");
    let place = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    (head.to_owned(), place.map_or(String::new(), |(place, _)| place.to_owned()))
}

fn line(diagnostic: &Diagnostic) -> Line {
    let fault = Fault::from_code(diagnostic.code).expect("a known code");
    let span = diagnostic.span.expect("a place");
    let place = match fault {
        Fault::TooManyErrors => String::new(),
        _ => format!("{}-{}", span.start, span.end),
    };
    (format!("{} {}", fault.kind().name(), &diagnostic.code[1..]), place)
}

/// What differs between the expectation and what is reported.
fn difference(case: &Case) -> Option<String> {
    let parsed = parse(&case.source, FileId(0), &case.dialect());
    let found: Vec<Line> = parsed.diagnostics.iter().map(line).collect();
    let mut expected = expected(case);
    if parsed.diagnostics.iter().any(|found| found.code == "Y4619") {
        let is_consequence = |line: &Line| CONSEQUENCES.iter().any(|code| line.0.ends_with(&code[1..]));
        expected.retain(|line| !is_consequence(line));
    }
    let gives_up = expected.iter().any(|line| line.0.starts_with(ErrorKind::ParserError.name()));
    let is_complete = found.len() == expected.len() || gives_up && found.len() > expected.len();
    let is_same = expected.iter().all(|line| found.contains(line));
    let fault = || format!("{}:\n    expected {expected:?}\n    found    {found:?}", case.name);
    (!is_complete || !is_same).then(fault)
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says what it leaves out")]
fn errors_are_those_of_solc() {
    let Some(corpus) = corpus() else { return };
    let cases = cases(&corpus, "yul/yulSyntaxTests");
    let is_eof = |case: &Case| case.setting("bytecodeFormat").is_some_and(|format| format.contains(">=EOF"));
    let (skipped, cases): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(is_eof);
    for case in &skipped {
        eprintln!("skipped, needs EOF: {}", case.name);
    }
    let is_different = |case: &Case| DIFFERENT.iter().any(|(name, _)| case.name.ends_with(name));
    let (different, cases): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(is_different);
    assert!(different.iter().all(|case| difference(case).is_some()), "no longer different");
    let differences: Vec<String> = cases.iter().filter_map(difference).collect();
    assert!(
        differences.is_empty(),
        "{} of {} differ:\n{}",
        differences.len(),
        cases.len(),
        differences.join("\n")
    );
    eprintln!("{} of {} as solc", cases.len(), cases.len() + different.len() + skipped.len());
}
