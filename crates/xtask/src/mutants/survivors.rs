//! The list of mutants that no test catches, looked at and found equivalent.
//!
//! One line each: the mutant, two spaces or more, `-- `, and why no program can show it. Lines that
//! begin with `#` are comments.

use crate::project::{Outcome, read, root, write};
use std::collections::{BTreeMap, BTreeSet};

/// The list's place.
const FILE: &str = "tests/mutants.txt";

/// Reasons by mutant.
pub(super) fn load() -> Outcome<BTreeMap<String, String>> {
    parse(&read(&root().join(FILE))?)
}

/// Where a run leaves those that survived it, one a line.
const LAST: &str = "target/mutants/survivors";

/// Mutants that survived the last run.
pub(super) fn last() -> Outcome<BTreeSet<String>> {
    Ok(read(&root().join(LAST))?.lines().map(str::to_owned).collect())
}

/// Leaves mutants for a run that looks at them again.
pub(super) fn leave(mutants: &[&str]) -> Outcome {
    write(&root().join(LAST), &mutants.join("\n"))
}

fn parse(text: &str) -> Outcome<BTreeMap<String, String>> {
    let lines =
        text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let entries = lines.map(|(index, line)| {
        let (key, reason) = line.split_once(" -- ").unwrap_or((line, ""));
        if reason.trim().is_empty() {
            return Err(format!("{FILE}:{}: a reason is missing", index + 1));
        }
        Ok((key.trim().to_owned(), reason.trim().to_owned()))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_reason() {
        let listed = parse("# title\n\na.rs f: `a` => `b`  -- both are true\n").expect("valid");
        assert_eq!(listed.get("a.rs f: `a` => `b`").map(String::as_str), Some("both are true"));
        assert_eq!(
            parse("a.rs f: `a` => `b`\n").expect_err("no reason"),
            format!("{FILE}:1: a reason is missing")
        );
    }
}
