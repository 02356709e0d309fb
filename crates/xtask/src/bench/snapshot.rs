//! The file of results: a row a case and level, sorted, and geometric means for people.

use super::measure::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const HEAD: &str = "\
# Written by `cargo xtask bench`: bytes of creation and runtime code, gas of deployment and of all calls
# (execution only), `!` what went wrong. Semantic cases are summed.
";

/// The old text with the new rows in the place of those with the same keys.
pub(crate) fn merge(old: &str, rows: &[Row]) -> String {
    let lines = old.lines().filter(|line| !line.starts_with('#'));
    let mut merged: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(key, rest)| (key.to_owned(), rest.to_owned()))
        .collect();
    for (key, text) in texts(rows) {
        merged.insert(key, text);
    }
    let mut text = HEAD.to_owned();
    for (key, rest) in merged {
        // Writing to a string can't fail.
        _ = writeln!(text, "{key}: {rest}");
    }
    text
}

/// Suites with too many cases for a row each.
const SUMMED: &str = "semantic";

fn texts(rows: &[Row]) -> Vec<(String, String)> {
    let (summed, single): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.suite == SUMMED);
    let mut texts: Vec<(String, String)> = single.iter().map(|row| (row.key.clone(), figures(row))).collect();
    let levels: BTreeSet<&str> = summed.iter().map(|row| row.level.as_str()).collect();
    for level in levels {
        let of_level: Vec<&&Row> = summed.iter().filter(|row| row.level == level).collect();
        let good = || of_level.iter().filter(|row| row.fault.is_none());
        let total = Row {
            creation: good().map(|row| row.creation).sum(),
            runtime: good().map(|row| row.runtime).sum(),
            deploy_gas: Some(good().filter_map(|row| row.deploy_gas).sum()),
            call_gas: Some(good().filter_map(|row| row.call_gas).sum()),
            ..Row::default()
        };
        let text = format!("{} of {} cases, {}", good().count(), of_level.len(), figures(&total));
        texts.push((format!("{SUMMED} -O{level}"), text));
    }
    texts
}

fn figures(row: &Row) -> String {
    let mut text = format!("creation {}, runtime {}", row.creation, row.runtime);
    if let Some(gas) = row.deploy_gas {
        _ = write!(text, ", deploy {gas}");
    }
    if let Some(gas) = row.call_gas {
        _ = write!(text, ", calls {gas}");
    }
    if let Some(fault) = &row.fault {
        _ = write!(text, " ! {fault}");
    }
    text
}

/// Geometric means of the ratios to solc, by suite and level.
pub(crate) fn summary(rows: &[Row]) -> String {
    let keys: BTreeSet<(&str, &str)> =
        rows.iter().map(|row| (row.suite.as_str(), row.level.as_str())).collect();
    let mut text = String::from("suite     level  cases  faults  size/solc  gas/solc\n");
    for (suite, level) in keys {
        let all: Vec<&Row> = rows.iter().filter(|row| row.suite == suite && row.level == level).collect();
        let good: Vec<&&Row> = all.iter().filter(|row| row.fault.is_none()).collect();
        let mean =
            |ratios: Vec<f64>| geometric_mean(&ratios).map_or("-".to_owned(), |mean| format!("{mean:.4}"));
        let size = mean(good.iter().filter_map(|row| row.size_ratio).collect());
        let gas = mean(good.iter().filter_map(|row| row.gas_ratio).collect());
        let faults = all.len() - good.len();
        _ = writeln!(text, "{suite:9} {level:>5} {:6} {faults:7} {size:>10} {gas:>9}", all.len());
    }
    text
}

fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(suite: &str, name: &str, level: &str, runtime: u64) -> Row {
        Row {
            key: format!("{suite}/{name} -O{level}"),
            suite: suite.to_owned(),
            level: level.to_owned(),
            creation: runtime + 10,
            runtime,
            ..Row::default()
        }
    }

    #[test]
    fn rows_replace_those_of_the_same_key() {
        let old = "# head\nexamples/a -O2: creation 1, runtime 1\nreal/x -O2: creation 9, runtime 8\n";
        let faulty = Row { fault: Some("no".to_owned()), ..row("semantic", "b", "2", 9) };
        let rows = [row("examples", "a", "2", 5), row("semantic", "a", "2", 7), faulty];
        let expected = format!(
            "{HEAD}examples/a -O2: creation 15, runtime 5\nreal/x -O2: creation 9, runtime 8\n\
             semantic -O2: 1 of 2 cases, creation 17, runtime 7, deploy 0, calls 0\n"
        );
        assert_eq!(merge(old, &rows), expected);
    }

    #[test]
    fn means_are_geometric() {
        assert_eq!(geometric_mean(&[]), None);
        let mean = geometric_mean(&[0.5, 2.0]).expect("two ratios");
        assert!((mean - 1.0).abs() < 1e-12);
    }
}
