//! Differences between what tests do with solc's code and with Cairn's.

use super::Measured;
use super::list::Project;
use super::record::{Record, Test};
use super::way::{Pipeline, Way};
use std::collections::BTreeSet;
use std::fmt;

/// One test that does something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Project and way.
    place: String,
    test: String,
    /// Status and reason with solc and with Cairn.
    expected: String,
    found: String,
    /// Why it is no fault of the compiler.
    pub(crate) reason: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { place, test, expected, found, reason } = self;
        write!(f, "{place}: {test}: {expected} with solc, {found}")?;
        reason.iter().try_for_each(|reason| write!(f, " ({reason})"))
    }
}

/// All differences of Cairn's ways from the first one. A test that does the same with solc's IR has
/// a reason: the IR's order of evaluation and gas differ from legacy code by design.
pub(crate) fn differences(measured: &Measured<'_>) -> Vec<Difference> {
    let Some((Way::Solc(_), base)) = measured.records.first() else { return vec![] };
    let ir =
        measured.records.iter().find(|(way, _)| *way == Way::Solc(Pipeline::ViaIr)).map(|(_, record)| record);
    let others = measured.records.iter().filter(|(way, _)| matches!(way, Way::Cairn(_)));
    others.flat_map(|(way, record)| of_way(measured.project, way, base, ir, record)).collect()
}

fn of_way(
    project: &Project,
    way: &Way,
    base: &Record,
    ir: Option<&Record>,
    record: &Record,
) -> Vec<Difference> {
    let names: BTreeSet<&String> = base.tests.keys().chain(record.tests.keys()).collect();
    let mut found = Vec::new();
    for name in names {
        let tests = [base, record].map(|record| record.tests.get(name));
        let [expected, now] = tests.map(status);
        if expected == now {
            continue;
        }
        let as_ir = ir.filter(|ir| status(ir.tests.get(name)) == now).map(|_| "as with solc's IR");
        let listed = project.reasons.iter().find(|(part, _)| name.contains(part)).map(|(_, reason)| *reason);
        found.push(Difference {
            place: format!("{} {}", project.name, way.name()),
            test: name.clone(),
            expected: shown(tests[0]),
            found: shown(tests[1]),
            reason: as_ir.or(listed).map(str::to_owned),
        });
    }
    found
}

fn status(test: Option<&Test>) -> &str {
    test.map_or("absent", |test| &test.status)
}

fn shown(test: Option<&Test>) -> String {
    let reason = test.map_or("", |test| &test.reason);
    let separator = if reason.is_empty() { "" } else { ": " };
    format!("{}{separator}{reason}", status(test))
}

/// The geometric mean of the gas of tests that pass in both, over that of the base; `None` if there
/// is no such test.
pub(crate) fn gas_ratio(base: &Record, record: &Record) -> Option<f64> {
    let gas = |test: &Test| if test.status == "Success" { test.gas.filter(|gas| *gas > 0) } else { None };
    let pairs =
        base.tests.iter().filter_map(|(name, test)| Some((gas(test)?, gas(record.tests.get(name)?)?)));
    geometric_mean(pairs)
}

/// The geometric mean of the sizes of runtime code over those of the base.
pub(crate) fn size_ratio(base: &Record, record: &Record) -> Option<f64> {
    geometric_mean(base.sizes.iter().filter_map(|(name, size)| Some((*size, *record.sizes.get(name)?))))
}

/// All runtime code over that of the base, of artifacts that both have.
#[allow(clippy::cast_precision_loss, reason = "figures for people")]
pub(crate) fn total_ratio(base: &Record, record: &Record) -> Option<f64> {
    let pairs = base.sizes.iter().filter_map(|(name, size)| Some((*size, *record.sizes.get(name)?)));
    let (old, new) = pairs.fold((0, 0), |(old, new), (base, size)| (old + base, new + size));
    (old > 0).then(|| new as f64 / old as f64)
}

#[allow(clippy::cast_precision_loss, reason = "figures for people")]
fn geometric_mean(pairs: impl Iterator<Item = (u64, u64)>) -> Option<f64> {
    let logarithms: Vec<f64> = pairs.map(|(base, new)| (new as f64 / base as f64).ln()).collect();
    let count = logarithms.len();
    (count > 0).then(|| (logarithms.iter().sum::<f64>() / count as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projects::list::PROJECTS;

    fn record(status: &str, gas: u64) -> Record {
        let test = Test { status: status.into(), reason: "why".into(), gas: Some(gas) };
        let mut record = Record::default();
        record.tests.insert("A testX()".into(), test);
        record
    }

    fn found(records: Vec<(Way, Record)>) -> Vec<Difference> {
        differences(&Measured { project: &PROJECTS[0], records })
    }

    #[test]
    fn another_status_is_a_difference() {
        let legacy = || (Way::Solc(Pipeline::Legacy), record("Success", 10));
        let cairn = |status| (Way::Cairn("2".into()), record(status, 10));
        assert_eq!(found(vec![legacy(), cairn("Success")]), []);
        let differences = found(vec![legacy(), cairn("Failure")]);
        assert_eq!(differences.len(), 1);
        assert_eq!(differences[0].reason, None);
        let text = differences[0].to_string();
        assert_eq!(text, "solmate cairn-O2: A testX(): Success: why with solc, Failure: why");
        assert_eq!(found(vec![legacy(), (Way::Cairn("2".into()), Record::default())]).len(), 1);
    }

    #[test]
    fn what_the_ir_does_too_has_a_reason() {
        let ways = vec![
            (Way::Solc(Pipeline::Legacy), record("Success", 1)),
            (Way::Solc(Pipeline::ViaIr), record("Failure", 1)),
            (Way::Cairn("0".into()), record("Failure", 1)),
        ];
        assert_eq!(found(ways)[0].reason.as_deref(), Some("as with solc's IR"));
    }

    #[test]
    fn ratios_are_of_tests_that_pass_in_both() {
        assert_eq!(gas_ratio(&record("Success", 10), &record("Success", 5)), Some(0.5));
        assert_eq!(gas_ratio(&record("Success", 10), &record("Failure", 5)), None);
    }
}
