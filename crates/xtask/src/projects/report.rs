//! The table of a project.

use super::Measured;
use super::compare::{gas_ratio, size_ratio};
use super::record::Record;

/// One line a way. Ratios are to the first way: geometric means over unit tests and over artifacts.
pub(crate) fn table(measured: &Measured<'_>) -> String {
    let mut text = format!("\n### {} (solc {})\n\n", measured.project.name, measured.project.solc);
    text +=
        "| compiled by | passed | failed | skipped | gas | runtime bytes | sizes | build, s | tests, s |\n";
    text += "|---|---|---|---|---|---|---|---|---|\n";
    let base = measured.records.first().map(|(_, record)| record);
    for (way, record) in &measured.records {
        text += &line(&way.name(), base, record);
    }
    text + "\n"
}

fn line(name: &str, base: Option<&Record>, record: &Record) -> String {
    let [passed, failed, skipped] = ["Success", "Failure", "Skipped"].map(|status| record.count(status));
    let ratio = |of: fn(&Record, &Record) -> Option<f64>| {
        base.and_then(|base| of(base, record)).map_or_else(|| "-".into(), |ratio| format!("{ratio:.3}"))
    };
    let (gas, sizes, size) = (ratio(gas_ratio), ratio(size_ratio), record.size());
    let seconds = format!("{:.1} | {:.1}", record.build_seconds, record.test_seconds);
    format!("| {name} | {passed} | {failed} | {skipped} | {gas} | {size} | {sizes} | {seconds} |\n")
}
