//! The file of results: a row a case and compiler, sorted. Only what is the same on each machine:
//! bytes and gas.

use super::cases::{Case, Figures};
use super::measure::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const HEAD: &str = "\
# Written by `cargo xtask bench`: bytes of creation and runtime code, gas of deployments (all that is
# paid) and of all calls (execution only), `!` what went wrong. Semantic cases are summed.
";

/// Suites with too many cases for a row each.
const SUMMED: &str = "semantic";

/// The old text with the new rows in the place of those with the same keys.
pub(crate) fn merge(old: &str, cases: &[Case], rows: &[Row]) -> String {
    let lines = old.lines().filter(|line| !line.starts_with('#'));
    let mut merged: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(key, rest)| (key.to_owned(), rest.to_owned()))
        .collect();
    merged.extend(texts(cases, rows));
    let mut text = HEAD.to_owned();
    for (key, rest) in merged {
        // Writing to a string can't fail.
        _ = writeln!(text, "{key}: {rest}");
    }
    text
}

fn texts(cases: &[Case], rows: &[Row]) -> Vec<(String, String)> {
    let is_summed = |row: &&Row| cases[row.case].suite() == SUMMED;
    let (summed, single): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(is_summed);
    let key = |row: &Row| format!("{} {}", cases[row.case].name, row.compiler);
    let mut texts: Vec<(String, String)> = single.iter().map(|row| (key(row), text_of(row))).collect();
    let compilers: BTreeSet<&str> = summed.iter().map(|row| row.compiler.as_str()).collect();
    for compiler in compilers {
        let all: Vec<&&Row> = summed.iter().filter(|row| row.compiler == compiler).collect();
        let good = || all.iter().filter(|row| row.fault.is_none()).map(|row| &row.figures);
        let total = Figures {
            creation: good().map(|row| row.creation).sum(),
            runtime: good().map(|row| row.runtime).sum(),
            deploy: Some(good().filter_map(|row| row.deploy).sum()),
            calls: vec![good().flat_map(|row| &row.calls).sum()],
            stack: None,
            seconds: None,
        };
        let text = format!("{} of {} cases, {}", good().count(), all.len(), figures(&total));
        texts.push((format!("{SUMMED} {compiler}"), text));
    }
    texts
}

fn text_of(row: &Row) -> String {
    let fault = row.fault.as_ref().map_or_else(String::new, |fault| format!(" ! {fault}"));
    figures(&row.figures) + &fault
}

fn figures(figures: &Figures) -> String {
    let mut text = format!("creation {}, runtime {}", figures.creation, figures.runtime);
    if let Some(gas) = figures.deploy {
        _ = write!(text, ", deploy {gas}");
    }
    if !figures.calls.is_empty() {
        _ = write!(text, ", calls {}", figures.calls.iter().sum::<u64>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{case, row};
    use super::*;

    #[test]
    fn rows_replace_those_of_the_same_key() {
        let old = "# head\nexamples/a -O2: creation 1, runtime 1\nreal/x -O2: creation 9, runtime 8\n";
        let cases = [case("examples/a", &[]), case("semantic/a", &[]), case("semantic/b", &[])];
        let faulty = Row { fault: Some("no".to_owned()), ..row(2, "-O2", 9) };
        let rows = [row(0, "-O2", 5), row(1, "-O2", 7), faulty];
        let expected = format!(
            "{HEAD}examples/a -O2: creation 15, runtime 5\nreal/x -O2: creation 9, runtime 8\n\
             semantic -O2: 1 of 2 cases, creation 17, runtime 7, deploy 0, calls 0\n"
        );
        assert_eq!(merge(old, &cases, &rows), expected);
    }
}
