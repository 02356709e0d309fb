//! What one build of a project and its tests showed, and its text form.
//!
//! Results of solc are kept in files, since they stay the same while Cairn changes.

use crate::project::{Outcome, write};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// One way's results.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// By contract and test: `test/A.t.sol:ATest testX()`.
    pub(crate) tests: BTreeMap<String, Test>,
    /// Bytes of runtime code by artifact: `A.sol/A.json`.
    pub(crate) sizes: BTreeMap<String, u64>,
    /// Processor seconds of the build and of the tests, with all children; 0 where not known.
    pub(crate) build_seconds: f64,
    pub(crate) test_seconds: f64,
}

/// One test's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    /// forge's `Success`, `Failure` or `Skipped`.
    pub(crate) status: String,
    /// Why it failed.
    pub(crate) reason: String,
    /// Gas of a test without fuzzing.
    pub(crate) gas: Option<u64>,
}

impl Record {
    /// How many tests have this status.
    pub(crate) fn count(&self, status: &str) -> usize {
        self.tests.values().filter(|test| test.status == status).count()
    }

    /// All runtime code in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.sizes.values().sum()
    }

    /// One line for people.
    pub(crate) fn summary(&self) -> String {
        let (passed, failed) = (self.count("Success"), self.count("Failure"));
        let (size, build, test) = (self.size(), self.build_seconds, self.test_seconds);
        format!("{passed} passed, {failed} failed, {size} bytes, build {build:.1} s, tests {test:.1} s")
    }

    /// Writes the record.
    pub(crate) fn write(&self, path: &Path) -> Outcome {
        let test = |test: &Test| json!([test.status, test.reason, test.gas]);
        let tests: BTreeMap<&String, Value> = self.tests.iter().map(|(name, it)| (name, test(it))).collect();
        let seconds = [self.build_seconds, self.test_seconds];
        write(path, &format!("{:#}\n", json!({ "tests": tests, "sizes": self.sizes, "seconds": seconds })))
    }

    /// A record that was written before.
    pub(crate) fn read(path: &Path) -> Option<Record> {
        let value: Value = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
        let test = |value: &Value| {
            let text = |index: usize| value[index].as_str().map(str::to_owned);
            Some(Test { status: text(0)?, reason: text(1)?, gas: value[2].as_u64() })
        };
        let tests = value["tests"].as_object()?.iter().map(|(name, it)| Some((name.clone(), test(it)?)));
        let sizes = value["sizes"].as_object()?.iter().map(|(name, it)| Some((name.clone(), it.as_u64()?)));
        Some(Record {
            tests: tests.collect::<Option<_>>()?,
            sizes: sizes.collect::<Option<_>>()?,
            build_seconds: value["seconds"][0].as_f64()?,
            test_seconds: value["seconds"][1].as_f64()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let test = Test { status: "Failure".into(), reason: "\"why\"".into(), gas: Some(7) };
        let record = Record {
            tests: BTreeMap::from([("T test()".into(), test)]),
            sizes: BTreeMap::from([("A.sol/A.json".into(), 12)]),
            build_seconds: 1.5,
            test_seconds: 0.25,
        };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("record.json");
        record.write(&path).expect("written");
        assert_eq!(Record::read(&path), Some(record));
        assert_eq!(Record::read(&folder.path().join("none.json")), None);
    }
}
