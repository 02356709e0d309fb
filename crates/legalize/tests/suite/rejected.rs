//! What the legalizer rejects, `verify` reports first, at its place: one program for each place in its
//! code that makes an error.

use cairn_driver::{Form, Input, Language, Options, Session, check};
use cairn_evm::Fork;
use std::path::Path;

/// What a program shows.
enum Place {
    /// The line, counted from 1.
    Line(usize),
    /// No program gets there: a check of the legalizer itself, or what the parser and the verifier keep
    /// from it.
    Unreached,
}

/// A place in the code, by the text of its message, with a program.
struct Site {
    message: &'static str,
    place: Place,
    text: &'static str,
}

const ENTRY: &str = "func @__entry() {\n^e:\nevm.stop\n}\n";

const SITES: &[Site] = &[
    Site {
        message: "composite type",
        place: Place::Line(6),
        text: "func @f(%a : struct<u8, u8>) {\n^e:\nevm.iret\n}",
    },
    Site {
        message: "does not exist on",
        place: Place::Line(8),
        text: "func @f(%a : u256) -> u256 {\n^e:\n%x = evm.tload %a : u256\nevm.iret %x\n}",
    },
    Site { message: "has no meaning on integers of more than 256 bits", place: Place::Unreached, text: "" },
    Site {
        message: "of this width needs memory, but all memory is the program's",
        place: Place::Line(8),
        text: "func @f(%a : u512) -> u512 {\n^e:\n%x = evm.div %a, %a : u512\nevm.iret %x\n}",
    },
    Site { message: "the target's library", place: Place::Unreached, text: "" },
    Site { message: "has no block", place: Place::Unreached, text: "" },
    Site { message: "did not end in", place: Place::Unreached, text: "" },
];

/// The messages of all errors that the crate makes.
fn errors_in(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            errors_in(&entry.path(), found);
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("a source");
        for (at, _) in text.match_indices("Diagnostic::error(") {
            // The message may be made some lines before.
            let start = text[..at].rmatch_indices('\n').nth(8).map_or(0, |(start, _)| start);
            let end = text[at..].match_indices('\n').nth(2).map_or(text.len(), |(end, _)| at + end);
            found.push(format!("{}: {}", entry.path().display(), &text[start..end]));
        }
    }
}

#[test]
fn every_error_has_a_row() {
    let mut found = Vec::new();
    errors_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    for error in &found {
        let is_known = SITES.iter().any(|site| error.contains(site.message));
        assert!(is_known, "an error without a row: {error}");
    }
    assert_eq!(found.len(), SITES.len());
}

#[test]
fn verify_reports_each_at_its_place() {
    for site in SITES {
        let Place::Line(line) = site.place else { continue };
        let head = if site.message.contains("memory") { "module @m [noframe] {" } else { "module @m {" };
        let text = format!("{head}\n{ENTRY}{}\n}}\n", site.text);
        let input = Input { name: "rejected.eir".to_owned(), text: text.clone(), language: Language::EvmIr };
        let mut session = Session::default();
        let options = Options { fork: Fork::London, ..Options::default() };
        assert!(check(&input, Form::Free, &options, &mut session).is_err(), "{text}");
        let found = session.diagnostics.iter().find(|fault| fault.message.contains(site.message));
        let span = found.and_then(|fault| fault.span).unwrap_or_else(|| panic!("no place:\n{text}"));
        let before = &text[..span.start as usize];
        assert_eq!(1 + before.matches('\n').count(), line, "{text}");
    }
}

/// Programs in which nothing needs what is at fault, or nothing leads to it, with the line of the fault.
const REMOVED: &[(&str, usize, &str)] = &[
    ("does not exist on", 8, "func @f(%a : u256) {\n^e:\n%x = evm.tload %a : u256\nevm.iret\n}"),
    ("does not exist on", 10, "func @f(%a : u256) {\n^e:\nevm.iret\n^n:\nevm.tstore %a, %a\nevm.iret\n}"),
    ("composite type", 8, "func @f(%a : u256) {\n^e:\n%x = evm.sload %a : struct<u8, u8>\nevm.iret\n}"),
];

#[test]
fn what_is_removed_is_warned_of_at_its_place() {
    for (message, line, text) in REMOVED {
        let text = format!("module @m {{\n{ENTRY}{text}\n}}\n");
        let input = Input { name: "removed.eir".to_owned(), text: text.clone(), language: Language::EvmIr };
        let mut session = Session::default();
        let options = Options { fork: Fork::London, ..Options::default() };
        assert!(check(&input, Form::Free, &options, &mut session).is_ok(), "{text}");
        let found: Vec<_> =
            session.diagnostics.iter().filter(|fault| fault.message.contains(message)).collect();
        let [warning] = found.as_slice() else { panic!("not once:\n{text}") };
        let span = warning.span.unwrap_or_else(|| panic!("no place:\n{text}"));
        assert_eq!(1 + text[..span.start as usize].matches('\n').count(), *line, "{text}");
    }
}
