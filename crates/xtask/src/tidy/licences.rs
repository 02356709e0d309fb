//! Licences of all crates that anything here is built from, against those that `deny.toml` allows.
//!
//! Known vulnerabilities are not looked for here: `cargo deny check` does that, with a list from the net.

use super::Fault;
use crate::project::{Outcome, cargo, output, read, root};
use std::collections::BTreeSet;

const LIST: &str = "deny.toml";

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let list = read(&root().join(LIST))?;
    let allowed = allowed(&list)?;
    let tree = ["tree", "--workspace", "--all-features", "--prefix", "none", "--format", "{p}|{l}"];
    Ok(faults(&output(cargo(&tree))?, &allowed))
}

/// The strings between `allow = [` and `]`.
fn allowed(text: &str) -> Outcome<BTreeSet<&str>> {
    let list = text.split_once("\nallow = [").and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.ok_or_else(|| format!("{LIST} has no list `allow`"))?;
    Ok(list.split('"').skip(1).step_by(2).collect())
}

/// `tree` has a line for each crate and use: `name version …|licence`.
fn faults(tree: &str, allowed: &BTreeSet<&str>) -> Vec<Fault> {
    let lines: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    let crates = lines.into_iter().filter_map(|line| line.split_once('|'));
    let wrong = crates.filter(|(_, licence)| !is_allowed(licence, allowed));
    wrong.map(|(name, licence)| Fault::new(name, format!("licence `{licence}` is not in {LIST}"))).collect()
}

/// Whether an SPDX expression can be met; `/` is the old way to write `OR`.
fn is_allowed(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    any_of(&mut words, allowed) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut holds = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        holds |= all_of(words, allowed);
    }
    holds
}

fn all_of(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut holds = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        holds &= one(words, allowed);
    }
    holds
}

/// A licence, with its exception if it has one, or an expression in parentheses.
fn one(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    match words.next() {
        Some("(") => {
            let holds = any_of(words, allowed);
            words.next_if_eq(&")").is_some() && holds
        }
        Some(name) if words.next_if_eq(&"WITH").is_some() => {
            let exception = words.next().unwrap_or_default();
            allowed.contains(format!("{name} WITH {exception}").as_str())
        }
        Some(name) => allowed.contains(name),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read() {
        let allowed = allowed("[licenses]\nallow = [\n \"MIT\",\n \"A WITH e\", \"U\"\n]\n").expect("a list");
        for good in ["MIT", "GPL OR MIT", "MIT/GPL", "A WITH e", "(MIT OR GPL) AND U", "GPL AND U OR MIT"] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in ["", "GPL", "MIT AND GPL", "A", "MIT WITH e", "(MIT OR GPL) AND X", "(MIT", "MIT MIT"] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn each_crate_is_named_once() {
        let tree = "a v1.0.0|MIT\nb v2.0.0 (proc-macro)|GPL\nb v2.0.0 (proc-macro)|GPL (*)\n";
        let found = faults(tree, &BTreeSet::from(["MIT"]));
        let shown: Vec<String> = found.iter().map(Fault::to_string).collect();
        assert_eq!(shown, ["b v2.0.0 (proc-macro): licence `GPL` is not in deny.toml"]);
        assert!(allowed("nothing").is_err());
    }
}
