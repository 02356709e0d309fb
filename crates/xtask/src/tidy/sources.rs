//! Rules for each Rust file: a head doc, its length, the length of its functions, words that
//! don't belong in it.

use super::Fault;
use super::functions::functions;
use crate::project::{Outcome, files, read, root, shown};

const MAX_FILE_LINES: usize = 800;
const MAX_FUNCTION_LINES: usize = 100;

/// What must not be in a file, and why. Written in pieces so that this file passes.
const FORBIDDEN: [(&[&str], &str); 8] = [
    (&["dbg", "!("], "is for debugging"),
    (&["todo", "!("], "is unfinished code"),
    (&["unimplemented", "!("], "is unfinished code"),
    (&["FIX", "ME"], "belongs in an issue"),
    (&["X", "XX"], "belongs in an issue"),
    (&["/", "home/"], "is a path of one machine"),
    (&["/", "root/"], "is a path of one machine"),
    (&["/", "work/"], "is a path of one machine"),
];

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let mut faults = Vec::new();
    for path in files(&root().join("crates"), &["rs"])? {
        faults.extend(check_file(&shown(&path), &read(&path)?));
    }
    Ok(faults)
}

fn check_file(name: &str, text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !text.starts_with("//! ") {
        faults.push(Fault::new(name, "does not open with `//!`: its purpose in one line"));
    }
    let lines = text.lines().count();
    if lines > MAX_FILE_LINES {
        faults.push(Fault::new(name, format!("{lines} lines; at most {MAX_FILE_LINES}")));
    }
    for function in functions(text).filter(|function| function.lines > MAX_FUNCTION_LINES) {
        let message =
            format!("`{}` has {} lines; at most {MAX_FUNCTION_LINES}", function.name, function.lines);
        faults.push(Fault::new(format!("{name}:{}", function.first_line), message));
    }
    let tests = text.lines().position(|line| line.trim() == "#[cfg(test)]").unwrap_or(usize::MAX);
    let is_test_file = name.contains("/tests/") || name.ends_with("/testing.rs");
    for (index, line) in text.lines().enumerate() {
        let of_program = || check_program_line(line).filter(|_| !is_test_file && index <= tests);
        let message = check_line(line).or_else(of_program);
        faults.extend(message.map(|message| Fault::new(format!("{name}:{}", index + 1), message)));
    }
    faults
}

/// What must not be in a line outside tests.
fn check_program_line(line: &str) -> Option<String> {
    let is_found = line.contains(&[".unwrap", "()"].concat());
    is_found.then(|| "state the invariant with `expect`, or handle the case".to_owned())
}

fn check_line(line: &str) -> Option<String> {
    for (pieces, why) in FORBIDDEN {
        let word = pieces.concat();
        if line.contains(&word) {
            return Some(format!("`{word}` {why}"));
        }
    }
    let to_do = ["TO", "DO"].concat();
    if line.contains(&to_do) && !line.contains(&format!("{to_do}(#")) {
        return Some(format!("`{to_do}` without an issue number"));
    }
    let allows = line.trim_start().starts_with("#[allow(") && line.trim_end().ends_with(']');
    (allows && !line.contains("reason = ")).then(|| "`#[allow]` without a reason".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        check_file("a.rs", text).iter().map(Fault::to_string).collect()
    }

    #[test]
    fn head_docs_and_lengths() {
        assert_eq!(messages("//! Good.\nfn f() {}\n"), [""; 0]);
        assert_eq!(messages("fn f() {}\n"), ["a.rs: does not open with `//!`: its purpose in one line"]);
        let long = format!("//! Long.\n{}", "//\n".repeat(800));
        assert_eq!(messages(&long), ["a.rs: 801 lines; at most 800"]);
        let function = format!("//! Long.\nfn f() {{\n{}}}\n", "    g();\n".repeat(99));
        assert_eq!(messages(&function), ["a.rs:2: `f` has 101 lines; at most 100"]);
    }

    #[test]
    fn words() {
        let with = |pieces: &[&str]| messages(&format!("//! A.\n{}\n", pieces.concat()));
        assert_eq!(
            with(&["x", ".unwrap", "();"]),
            ["a.rs:2: state the invariant with `expect`, or handle the case"]
        );
        assert_eq!(with(&["// TO", "DO later"]), [["a.rs:2: `TO", "DO` without an issue number"].concat()]);
        assert_eq!(with(&["// TO", "DO(#12) later"]), [""; 0]);
        assert_eq!(with(&["#[allow(dead_code)]"]), ["a.rs:2: `#[allow]` without a reason"]);
        assert_eq!(with(&["#[cfg(test)]\nx", ".unwrap", "();"]), [""; 0]);
    }
}
