//! What a project has to show at the default level, beside tests that do the same.
//!
//! Processor times differ from run to run, so a target that is missed is said and fails nothing.

use super::Measured;
use super::compare::{gas_ratio, total_ratio};
use super::options::DEFAULT_LEVEL;
use super::record::Record;
use super::way::{Pipeline, Way};
use std::fmt;

/// A figure and the most that it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    name: &'static str,
    value: f64,
    bound: f64,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { name, value, bound } = self;
        let verdict = if value <= bound { "" } else { "missed" };
        writeln!(f, "| {name} | {value:.3} | {bound:.2} | {verdict} |")
    }
}

/// The figures that the results tell.
pub(crate) fn of(measured: &Measured<'_>) -> Vec<Target> {
    let by = |wanted: &Way| measured.records.iter().find(|(way, _)| way == wanted).map(|(_, record)| record);
    let Some(cairn) = by(&Way::Cairn(DEFAULT_LEVEL.into())) else { return Vec::new() };
    let (legacy, ir) = (by(&Way::Solc(Pipeline::Legacy)), by(&Way::Solc(Pipeline::ViaIr)));
    let solc: Vec<&Record> = legacy.into_iter().chain(ir).collect();
    // The ratio to the best of solc's is the largest.
    let to_best = |of: fn(&Record, &Record) -> Option<f64>| {
        solc.iter().filter_map(|base| of(base, cairn)).reduce(f64::max)
    };
    let time = |base: Option<&Record>| {
        base.filter(|base| base.build.seconds > 0.0).map(|base| cairn.build.seconds / base.build.seconds)
    };
    let own = cairn.build.own;
    let part = own.filter(|_| cairn.build.seconds > 0.0).map(|own| own.seconds / cairn.build.seconds);
    #[allow(clippy::cast_precision_loss, reason = "figures for people")]
    let peak = own.map(|own| own.peak_bytes as f64 / f64::from(1 << 30));
    let targets = [
        ("processor time of the build, over solc's by its IR", time(ir), 0.15),
        ("processor time of the build, over solc's without its IR", time(legacy), 0.9),
        ("Cairn's own part of that time", part, 0.15),
        ("peak memory of Cairn in GB", peak, 1.0),
        ("gas of unit tests over the best of solc's, geometric mean", to_best(gas_ratio), 0.92),
        ("all runtime code over the best of solc's", to_best(total_ratio), 1.0),
    ];
    let known =
        targets.into_iter().filter_map(|(name, value, bound)| Some(Target { name, value: value?, bound }));
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projects::list::PROJECTS;
    use crate::projects::record::{Build, Own, Test};

    fn record(gas: u64, seconds: f64, own: Option<Own>) -> Record {
        let mut record = Record { build: Build { seconds, own }, ..Record::default() };
        let test = Test { status: "Success".into(), reason: String::new(), gas: Some(gas) };
        record.tests.insert("T test()".into(), test);
        record.sizes.insert("A.json".into(), gas);
        record
    }

    #[test]
    fn figures_are_ratios_to_the_best_of_solc() {
        let own = Own { seconds: 1.0, peak_bytes: 1 << 31, objects: 1 };
        let records = vec![
            (Way::Solc(Pipeline::Legacy), record(200, 20.0, None)),
            (Way::Solc(Pipeline::ViaIr), record(100, 100.0, None)),
            (Way::Cairn("2".into()), record(80, 10.0, Some(own))),
        ];
        let found = of(&Measured { project: &PROJECTS[0], records });
        let values: Vec<f64> = found.iter().map(|target| target.value).collect();
        assert_eq!(values, [0.1, 0.5, 0.1, 2.0, 0.8, 0.8]);
        assert!(found[3].to_string().ends_with("| 2.000 | 1.00 | missed |\n"), "{}", found[3]);
        assert!(found[0].to_string().ends_with("| 0.15 |  |\n"), "{}", found[0]);
    }

    #[test]
    fn what_was_not_measured_is_left_out() {
        let only =
            |way: Way| of(&Measured { project: &PROJECTS[0], records: vec![(way, record(1, 1.0, None))] });
        assert_eq!(only(Way::Cairn("2".into())), []);
        assert_eq!(only(Way::Cairn("0".into())), []);
    }
}
