//! The tables of a project.

use super::Measured;
use super::compare::{gas_ratio, size_ratio};
use super::record::{Build, Own, Record};
use super::targets;

/// One line a way; ratios are to the first way: geometric means over unit tests and over artifacts. Below
/// it, what the default level has to show.
pub(crate) fn table(measured: &Measured<'_>) -> String {
    let mut text = format!("\n### {} (solc {})\n\n", measured.project.name, measured.project.solc);
    text += "| compiled by | passed | failed | skipped | gas | runtime bytes | sizes | build, s | of it Cairn, s \
             | peak of Cairn, MB | rebuild, s | of it Cairn, s | tests, s |\n";
    text += "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    let base = measured.records.first().map(|(_, record)| record);
    for (way, record) in &measured.records {
        text += &line(&way.name(), base, record);
    }
    text += "\n";
    let targets = targets::of(measured);
    if !targets.is_empty() {
        text += "| at the default level | is | at most | |\n|---|---|---|---|\n";
        text += &targets.iter().map(ToString::to_string).collect::<String>();
        text += "\n";
    }
    text
}

fn line(name: &str, base: Option<&Record>, record: &Record) -> String {
    let [passed, failed, skipped] = ["Success", "Failure", "Skipped"].map(|status| record.count(status));
    let ratio = |of: fn(&Record, &Record) -> Option<f64>| {
        base.and_then(|base| of(base, record)).map_or_else(|| "-".into(), |ratio| format!("{ratio:.3}"))
    };
    let (gas, sizes, size) = (ratio(gas_ratio), ratio(size_ratio), record.size());
    let own = |build: Option<Build>, of: fn(Own) -> String| {
        build.and_then(|build| build.own).map_or_else(|| "-".into(), of)
    };
    let seconds = |own: Own| format!("{:.1} for {}", own.seconds, own.objects);
    let build = Some(record.build);
    let (own_build, own_rebuild) = (own(build, seconds), own(record.rebuild, seconds));
    let peak = own(build, |own| (own.peak_bytes >> 20).to_string());
    let rebuild = record.rebuild.map_or_else(|| "-".into(), |build| format!("{:.1}", build.seconds));
    format!(
        "| {name} | {passed} | {failed} | {skipped} | {gas} | {size} | {sizes} | {:.1} | {own_build} | {peak} | \
         {rebuild} | {own_rebuild} | {:.1} |\n",
        record.build.seconds, record.test_seconds
    )
}
