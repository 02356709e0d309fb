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
    /// The build from clean.
    pub(crate) build: Build,
    /// The build after one file changed, where it was tried.
    pub(crate) rebuild: Option<Build>,
    /// Processor seconds of the tests; 0 where not known.
    pub(crate) test_seconds: f64,
}

/// What a build took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Build {
    /// Processor seconds with all children; 0 where not known.
    pub(crate) seconds: f64,
    /// What of it is Cairn's own, without its front end.
    pub(crate) own: Option<Own>,
}

/// What `cairn-solc` itself took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Own {
    /// Processor seconds.
    pub(crate) seconds: f64,
    /// The most memory, in bytes.
    pub(crate) peak_bytes: u64,
    /// Objects that were compiled.
    pub(crate) objects: u64,
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
        let (size, build, test) = (self.size(), self.build.seconds, self.test_seconds);
        format!("{passed} passed, {failed} failed, {size} bytes, build {build:.1} s, tests {test:.1} s")
    }

    /// Writes the record.
    pub(crate) fn write(&self, path: &Path) -> Outcome {
        let test = |test: &Test| json!([test.status, test.reason, test.gas]);
        let tests: BTreeMap<&String, Value> = self.tests.iter().map(|(name, it)| (name, test(it))).collect();
        let record = json!({
            "tests": tests,
            "sizes": self.sizes,
            "build": self.build.to_value(),
            "rebuild": self.rebuild.map(Build::to_value),
            "test_seconds": self.test_seconds,
        });
        write(path, &format!("{record:#}\n"))
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
            build: Build::read(&value["build"])?,
            rebuild: Build::read(&value["rebuild"]),
            test_seconds: value["test_seconds"].as_f64()?,
        })
    }
}

impl Build {
    fn to_value(self) -> Value {
        let own = self.own.map(|own| json!([own.seconds, own.peak_bytes, own.objects]));
        json!({ "seconds": self.seconds, "own": own })
    }

    fn read(value: &Value) -> Option<Build> {
        let own = &value["own"];
        let own = own[0].as_f64().map(|seconds| Own {
            seconds,
            peak_bytes: own[1].as_u64().unwrap_or(0),
            objects: own[2].as_u64().unwrap_or(0),
        });
        Some(Build { seconds: value["seconds"].as_f64()?, own })
    }
}

impl Own {
    /// What the lines say that `CAIRN_STATS` asks for; `None` for no line that tells the time.
    pub(crate) fn of_stats(lines: &str) -> Option<Own> {
        let lines: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let seconds = lines.iter().filter_map(|line| line["processor_seconds"].as_f64());
        let seconds = seconds.reduce(|sum, more| sum + more)?;
        let count = |line: &Value, name: &str| line[name].as_u64().unwrap_or(0);
        let compiled = |line: &Value| count(line, "distinct_objects") - count(line, "cached");
        Some(Own {
            seconds,
            peak_bytes: lines.iter().map(|line| count(line, "peak_bytes")).max().unwrap_or(0),
            objects: lines.iter().map(compiled).sum(),
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
            build: Build { seconds: 1.5, own: Some(Own { seconds: 0.5, peak_bytes: 9, objects: 3 }) },
            rebuild: Some(Build { seconds: 0.75, own: None }),
            test_seconds: 0.25,
        };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("record.json");
        record.write(&path).expect("written");
        assert_eq!(Record::read(&path), Some(record));
        assert_eq!(Record::read(&folder.path().join("none.json")), None);
    }
    #[test]
    fn what_the_compiler_took_is_summed() {
        let lines = "{\"processor_seconds\":1.5,\"peak_bytes\":7,\"distinct_objects\":5,\"cached\":2}\n\
                     {\"processor_seconds\":0.5,\"peak_bytes\":3,\"distinct_objects\":1,\"cached\":0}\n";
        assert_eq!(Own::of_stats(lines), Some(Own { seconds: 2.0, peak_bytes: 7, objects: 4 }));
        assert_eq!(Own::of_stats("{}"), None);
    }
}
