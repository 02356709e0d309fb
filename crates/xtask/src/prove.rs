//! `prove`: how many functions of a fixed sample of the corpus are proven, and why the others are not.
//!
//! Each program is compiled and proven by the release binary; functions are those that the corpus calls.
//! A difference fails the task, and so does a share of proven functions below the floor.

use crate::project::{Outcome, cargo, corpus, root};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Command;

const SUITE: &str = "semantic/semantic-dev.jsonl.gz";
/// Every program whose number has this remainder modulo [`STRIDE`] is in the sample.
const REMAINDER: usize = 3;
const STRIDE: usize = 13;

/// What to run.
struct Request {
    functions: usize,
    level: String,
    seconds: String,
    program: PathBuf,
    /// Functions of a hundred that have to be proven, whole or to the bound.
    floor: usize,
}

#[derive(Default)]
struct Tally {
    verdicts: BTreeMap<String, usize>,
    reasons: BTreeMap<String, usize>,
    seconds: Vec<f64>,
}

/// Proves the sample.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    let Some(folder) = corpus() else {
        println!("no corpus (CAIRN_CORPUS): nothing to prove");
        return Ok(());
    };
    if !request.program.is_file() {
        crate::project::run(cargo(&["build", "--release", "--quiet", "--package", "cairn-cli"]))?;
    }
    let file = std::fs::File::open(folder.join(SUITE)).map_err(|error| error.to_string())?;
    let rows = BufReader::new(GzDecoder::new(file)).lines();
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = scratch.path().join("program.yul");
    let mut tally = Tally::default();
    for (number, row) in rows.enumerate().filter(|(number, _)| number % STRIDE == REMAINDER) {
        let left = request.functions.saturating_sub(tally.seconds.len());
        if left == 0 {
            break;
        }
        let row: Value = serde_json::from_str(&row.map_err(|error| error.to_string())?)
            .map_err(|error| format!("row {number}: {error}"))?;
        let selectors: Vec<String> = selectors(&row).into_iter().take(left).collect();
        if selectors.is_empty() {
            continue;
        }
        std::fs::write(&path, row["yul"].as_str().unwrap_or("")).map_err(|error| error.to_string())?;
        let report = prove(&request, &path, &selectors)?;
        tally.add(row["name"].as_str().unwrap_or("?"), &report);
    }
    tally.report(request.floor)
}

fn parse(arguments: &[String]) -> Outcome<Request> {
    let mut request = Request {
        functions: 200,
        level: "2".into(),
        seconds: "15".into(),
        program: root().join("target/release/cairn"),
        floor: 0,
    };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(format!("`{}` needs a value", pair[0])) };
        let number = || value.parse::<usize>().map_err(|_| format!("`{value}` is not a number"));
        match name.as_str() {
            "--functions" => request.functions = number()?,
            "--level" => request.level.clone_from(value),
            "--timeout" => request.seconds = number()?.to_string(),
            "--cairn" => request.program = value.into(),
            "--floor" => request.floor = number()?,
            _ => {
                let known = "--functions --level --timeout --cairn --floor";
                return Err(format!("unknown option `{name}`; known are {known}"));
            }
        }
    }
    Ok(request)
}

/// Selectors of the functions that the corpus calls.
fn selectors(row: &Value) -> BTreeSet<String> {
    let steps = row["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let calls = steps.iter().filter(|step| step["signature"].as_str() != Some("()"));
    calls.filter_map(|step| step["calldata"].as_str()?.get(..8).map(str::to_owned)).collect()
}

fn prove(request: &Request, path: &std::path::Path, selectors: &[String]) -> Outcome<Vec<Value>> {
    let mut command = Command::new(&request.program);
    command.args(["prove", "--quiet", "--format", "json", "-O", &request.level]);
    command.args(["--timeout", &request.seconds]);
    selectors.iter().for_each(|selector| _ = command.args(["--function", selector]));
    command.arg(path);
    // What is not proven is no failure of the command.
    let text = output_of_any(command)?;
    let report: Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
    Ok(report["functions"].as_array().cloned().unwrap_or_default())
}

fn output_of_any(mut command: Command) -> Outcome<String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.stdout.is_empty() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

impl Tally {
    fn add(&mut self, name: &str, functions: &[Value]) {
        for function in functions {
            let verdict = function["verdict"].as_str().unwrap_or("?").to_owned();
            let reason = function["reason"].as_str().unwrap_or("");
            let short = reason.split(':').next().unwrap_or("").to_owned();
            let selector = function["function"].as_str().unwrap_or("?");
            let seconds = function["seconds"].as_f64().unwrap_or(0.0);
            println!("{verdict:9} {seconds:6.2} s  {name} {selector} {reason}");
            if verdict == "undecided" || verdict == "different" {
                *self.reasons.entry(short).or_default() += 1;
            }
            *self.verdicts.entry(verdict).or_default() += 1;
            self.seconds.push(seconds);
        }
    }

    fn report(mut self, floor: usize) -> Outcome {
        self.seconds.sort_by(f64::total_cmp);
        let median = self.seconds.get(self.seconds.len() / 2).copied().unwrap_or(0.0);
        println!("\n| verdict | functions |\n|---|---|");
        self.verdicts.iter().for_each(|(verdict, count)| println!("| {verdict} | {count} |"));
        println!("\nmedian {median:.2} s; why not:");
        let mut reasons: Vec<_> = self.reasons.into_iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        reasons.iter().for_each(|(reason, count)| println!("  {count:4} {reason}"));
        let count = |verdict: &str| self.verdicts.get(verdict).copied().unwrap_or(0);
        if count("different") > 0 {
            return Err(format!("{} functions differ from their source", count("different")));
        }
        let proven = count("proven") + count("bounded");
        if proven * 100 < floor * self.seconds.len() {
            return Err(format!("{proven} of {} functions are proven, below the floor", self.seconds.len()));
        }
        Ok(())
    }
}
