//! forge: builds a project from clean and runs its tests.

use super::list::Project;
use super::options::DEFAULT_LEVEL;
use super::record::{Build, Own, Record, Test};
use super::tools::Tools;
use super::way::Way;
use crate::project::{Outcome, files, read, write};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The seed of fuzz tests.
const SEED: &str = "0x1";

/// Builds and tests in one way.
///
/// # Errors
/// The project doesn't build, or forge says nothing that can be read.
pub(crate) fn measure(
    project: &Project,
    place: &Path,
    way: &Way,
    tools: &Tools,
    compiler: &Path,
) -> Outcome<Record> {
    let name = format!("{}-{}", project.name, way.name());
    let run = Run { project, place, way, tools, compiler, name };
    for folder in [run.out(), run.cache(), run.cache_of_compiler()] {
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
    }
    let build = run.build()?;
    let (tested, test_seconds) = run.forge(&["test", "--json", "--fuzz-seed", SEED])?;
    let tests = tests_of(&String::from_utf8_lossy(&tested.stdout)).ok_or_else(|| {
        format!("{}: forge test: {}", way.name(), first_error(&String::from_utf8_lossy(&tested.stderr)))
    })?;
    let sizes = sizes_of(&run.out())?;
    let is_default = *way == Way::Cairn(DEFAULT_LEVEL.into());
    let rebuild = if is_default { Some(run.rebuild()?) } else { None };
    Ok(Record { tests, sizes, build, rebuild, test_seconds })
}

/// One way for a project.
struct Run<'a> {
    project: &'a Project,
    place: &'a Path,
    way: &'a Way,
    tools: &'a Tools,
    compiler: &'a Path,
    /// Of project and way.
    name: String,
}

impl Run<'_> {
    fn out(&self) -> PathBuf {
        self.place.join(format!("out/{}", self.name))
    }

    fn cache(&self) -> PathBuf {
        self.place.join(format!("cache/{}", self.name))
    }

    fn cache_of_compiler(&self) -> PathBuf {
        self.place.join(format!("cache/{}-compiler", self.name))
    }

    fn stats(&self) -> PathBuf {
        self.place.join(format!("cache/{}-stats", self.name))
    }

    fn forge(&self, words: &[&str]) -> Outcome<(Output, f64)> {
        let mut command = self.tools.command("forge");
        command.args(words).args(["--root", "."]).current_dir(self.place);
        command.env("XDG_CACHE_HOME", self.cache_of_compiler()).env("CAIRN_STATS", self.stats());
        self.way.apply(&mut command, self.project, self.tools, self.compiler);
        timed(command)
    }

    fn build(&self) -> Outcome<Build> {
        write(&self.stats(), "")?;
        let (built, seconds) = self.forge(&["build"])?;
        if !built.status.success() {
            let text = [built.stdout, built.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
            return Err(format!("{}: forge build: {}", self.way.name(), first_error(&text.concat())));
        }
        Ok(Build { seconds, own: Own::of_stats(&read(&self.stats())?) })
    }

    /// Builds again after a line was put before the project's file, which moves all that is in it.
    fn rebuild(&self) -> Outcome<Build> {
        let path = self.place.join(self.project.changed);
        let text = read(&path)?;
        write(&path, &format!("// changed\n{text}"))?;
        let built = self.build();
        write(&path, &text)?;
        built
    }
}

/// The line that says what is wrong, or else the last ones. Below the heading of a build that failed stand
/// warnings as well.
fn first_error(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty() && !line.contains(FAILED_BUILD));
    let at = lines().position(|line| line.contains("Error")).unwrap_or(lines().count().saturating_sub(3));
    lines().skip(at).take(3).collect::<Vec<_>>().join(" ")
}

/// What forge says before the errors and warnings of a build.
const FAILED_BUILD: &str = "Compiler run failed";

/// The results in what `forge test --json` prints.
fn tests_of(text: &str) -> Option<BTreeMap<String, Test>> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    let mut tests = BTreeMap::new();
    for (contract, suite) in value.as_object()? {
        for (name, result) in suite["test_results"].as_object()? {
            let text = |key: &str| result[key].as_str().unwrap_or("").to_owned();
            let gas = result["kind"]["Unit"]["gas"].as_u64();
            let test = Test { status: text("status"), reason: text("reason"), gas };
            tests.insert(format!("{contract} {name}"), test);
        }
    }
    Some(tests)
}

/// The size of the runtime code of each artifact that has any.
fn sizes_of(folder: &Path) -> Outcome<BTreeMap<String, u64>> {
    let mut sizes = BTreeMap::new();
    for path in files(folder, &["json"])? {
        let value: Value = serde_json::from_str(&read(&path)?).unwrap_or(Value::Null);
        let digits =
            value["deployedBytecode"]["object"].as_str().unwrap_or("").trim_start_matches("0x").len();
        if digits > 0 {
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            sizes.insert(name, digits as u64 / 2);
        }
    }
    Ok(sizes)
}

/// Runs a command; the processor seconds are its own and those of its children.
pub(crate) fn timed(mut command: Command) -> Outcome<(Output, f64)> {
    let before = seconds_of_children();
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    Ok((output, seconds_of_children() - before))
}

/// Processor seconds of all children that ended, as Linux counts them in hundredths; 0 elsewhere.
fn seconds_of_children() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit_once(')').map_or(vec![], |(_, rest)| rest.split_whitespace().collect());
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_results() {
        let text = r#"{"a.sol:A":{"test_results":{
            "test_x()":{"status":"Success","reason":null,"kind":{"Unit":{"gas":5}}},
            "test_y(uint256)":{"status":"Failure","reason":"no","kind":{"Fuzz":{"mean_gas":9}}}}}}"#;
        let tests = tests_of(text).expect("JSON");
        assert_eq!(tests["a.sol:A test_x()"].gas, Some(5));
        let failed = Test { status: "Failure".into(), reason: "no".into(), gas: None };
        assert_eq!(tests["a.sol:A test_y(uint256)"], failed);
        assert_eq!(tests_of("Error: no"), None);
    }

    #[test]
    fn finds_the_error_in_a_text() {
        assert_eq!(first_error("Compiling\n\nError: stack\n --> a\n"), "Error: stack  --> a");
        let heading = "Error: Compiler run failed:\nWarning (1): old\n";
        assert_eq!(first_error(&format!("{heading}Error: stack\n --> a\n")), "Error: stack  --> a");
        assert_eq!(first_error(""), "");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn counts_the_time_of_children() {
        let mut command = Command::new("sh");
        command.args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]);
        assert!(timed(command).expect("sh").1 > 0.0);
    }
}
