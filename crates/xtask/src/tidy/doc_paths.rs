//! Paths that documents name: each `crates/…`, `tests/…` and the like in backticks is there.

use super::Fault;
use crate::project::{Outcome, files, read, root, shown};

/// Folders of the root that documents name.
const FOLDERS: [&str; 8] =
    ["crates/", "tests/", "docs/", "examples/", "bench/", "bindings/", "editors/", ".ci/"];

/// Documents outside `docs/`.
const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"];

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let mut paths = files(&root().join("docs"), &["md"])?;
    paths.extend(DOCUMENTS.iter().map(|name| root().join(name)));
    let mut faults = Vec::new();
    for path in paths {
        let is_there = |name: &str| root().join(name).exists();
        faults.extend(missing(&read(&path)?, is_there).into_iter().map(|(line, name)| {
            Fault::new(format!("{}:{line}", shown(&path)), format!("`{name}` does not exist"))
        }));
    }
    Ok(faults)
}

/// Named paths that are not there, with their lines from 1.
fn missing(text: &str, is_there: impl Fn(&str) -> bool) -> Vec<(usize, &str)> {
    let mut missing = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let quoted = content.split('`').skip(1).step_by(2);
        let names = quoted.filter_map(|quoted| quoted.split("::").next());
        let names = names.filter(|name| FOLDERS.iter().any(|folder| name.starts_with(folder)));
        missing.extend(names.filter(|name| !is_pattern(name) && !is_there(name)).map(|name| (line, name)));
    }
    missing
}

/// True for what stands for several paths, or is more than one.
fn is_pattern(name: &str) -> bool {
    name.contains(['*', '{', '<', '…', ' ']) || name.contains("NAME")
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn paths_that_are_gone_are_found() {
        let text = "see `crates/a.rs` and\n`crates/b.rs::name`, `docs/NAME.md`, `tests/<pass>/`, `a/b`";
        assert_eq!(missing(text, |name| name == "crates/a.rs"), [(2, "crates/b.rs")]);
        assert!(missing(text, |_| true).is_empty());
    }
}
