//! Files of a crate import each other in one direction.
//!
//! A *circle* is a set of files each of which imports, by way of the others, itself: none can be read
//! or changed alone. Allowed is a module's own file with files below it, where no circle is left
//! without it: `mod.rs` has a type, its children have the type's methods. Imports of tests do not
//! count; what a file passes on (`pub use`) is looked for where it is defined.

mod graph;
mod imports;

use super::Fault;
use crate::project::{Outcome, files, read, root, shown};
use graph::Graph;
use imports::{Crate, Module};
use std::path::Path;

/// Checks all crates.
pub(super) fn check() -> Outcome<Vec<Fault>> {
    let crates = root().join("crates");
    let entries = std::fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let mut folders: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    folders.sort();
    let mut faults = Vec::new();
    for folder in folders.iter().filter(|folder| folder.join("src").is_dir()) {
        for circle in circles(&folder.join("src"))? {
            let imports: Vec<String> =
                circle.edges().into_iter().map(|(from, to)| format!("{from} \u{2192} {to}")).collect();
            let place = format!("{}/src", shown(folder));
            faults.push(Fault::new(place, format!("files that import each other: {}", imports.join(", "))));
        }
    }
    Ok(faults)
}

/// The circles among the files of a folder that are not allowed, each in order.
fn circles(folder: &Path) -> Outcome<Vec<Graph>> {
    let mut modules = Vec::new();
    for path in files(folder, &["rs"])? {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let is_test = name.ends_with("tests.rs") || name.contains("/tests/") || name.ends_with("testing.rs");
        if !is_test && !name.starts_with("bin/") {
            modules.push(Module::parse(&name, &read(&path)?)?);
        }
    }
    Ok(faulty(modules))
}

fn faulty(modules: Vec<Module>) -> Vec<Graph> {
    let whole = Crate::new(modules);
    let graph = Graph::new(whole.names(), &whole.edges());
    let circles = graph.circles().into_iter().filter(|circle| !is_allowed(&graph, circle));
    circles.map(|circle| graph.between(&circle)).collect()
}

/// A module's own file and files below it, which form no circle without it.
fn is_allowed(graph: &Graph, circle: &[String]) -> bool {
    circle.iter().any(|own| {
        let folder = imports::folder_of(own);
        let others: Vec<String> = circle.iter().filter(|name| *name != own).cloned().collect();
        others.iter().all(|name| name.starts_with(&folder)) && graph.between(&others).circles().is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<Vec<(String, String)>> {
        let modules = files.iter().map(|(name, text)| Module::parse(name, text).expect("parses")).collect();
        faulty(modules).iter().map(Graph::edges).collect()
    }

    #[test]
    fn two_files_that_import_each_other() {
        let files = [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "use super::a::A;")];
        let edge = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(found(&files), [[edge("a.rs", "b.rs"), edge("b.rs", "a.rs")]]);
    }

    #[test]
    fn paths_in_code_count_and_tests_do_not() {
        let a = "fn f() { crate::b::g() }";
        let b = "#[cfg(test)] mod tests { use crate::a::f; }";
        assert!(found(&[("lib.rs", "mod a; mod b;"), ("a.rs", a), ("b.rs", b)]).is_empty());
        assert_eq!(found(&[("lib.rs", ""), ("a.rs", a), ("b.rs", "fn g() { super::a::f() }")]).len(), 1);
    }

    #[test]
    fn what_is_passed_on_is_looked_for_where_it_is() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use b::B; use a::f;"),
            ("a.rs", "use crate::B;"),
            ("b.rs", "pub struct B;"),
        ];
        assert!(found(&files).is_empty());
    }

    #[test]
    fn a_module_with_its_children() {
        let child = |name| (name, "use super::T;");
        let own = ("m/mod.rs", "mod a; mod b; pub struct T; use a::f; use b::g;");
        assert!(found(&[("lib.rs", ""), own, child("m/a.rs"), child("m/b.rs")]).is_empty());
        let through = ("m/a.rs", "use super::T; use super::b::g;");
        let back = ("m/b.rs", "use super::T; use super::a::f;");
        assert_eq!(found(&[("lib.rs", ""), own, through, back]).len(), 1);
    }
}
