//! The sections of docs/seed-coverage.md about legalization name files and tests that exist.

use std::path::Path;

/// Checks a cell of paths like `` `file` `` and `` `file::test` ``.
fn check(cell: &str, said: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in cell.split(", ").map(|name| name.trim().trim_matches('`')) {
        let (file, function) = name.split_once("::").map_or((name, None), |(file, name)| (file, Some(name)));
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|_| panic!("{said}: no {file}"));
        let is_there = |name: &str| text.contains(&format!("fn {name}()"));
        assert!(function.is_none_or(is_there), "{said}: no {name}");
    }
}

#[test]
fn files_and_tests_exist() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/seed-coverage.md");
    let text = std::fs::read_to_string(path).expect("the page exists");
    for (section, least) in [("legalizer", 45), ("legalization", 25)] {
        let marker = format!("<!-- coverage: {section} -->\n");
        let (_, table) = text.split_once(&marker).expect("the section exists");
        let (table, _) = table.split_once("<!-- end -->").expect("the table ends");
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert!(rows.len() >= least, "{section} has {} rows", rows.len());
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
            let [said, place, test] = cells[..] else { panic!("three cells: {row}") };
            check(place, said);
            check(test, said);
        }
    }
}
