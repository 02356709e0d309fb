//! `prove`: how many functions of fixed samples are proven, and why the others are not.
//!
//! Programs are compiled and proven by the release binary, one process for each. A difference fails the
//! task, and so does a share of proven functions below the floor. `samples` says what is proven. With
//! `--mutants` it is changed code that has to be found different.

mod mutants;
mod peers;
mod samples;
mod tally;
mod trial;
pub(crate) mod verdict;
mod watch;
mod watched;

use crate::project::{Outcome, build_release, corpus, target};
use samples::{Other, Subject, Suite};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tally::Tally;
pub(crate) use watched::run_watched;

/// What to run.
struct Request {
    suite: Suite,
    /// Functions, or of whole contracts the contracts.
    count: usize,
    level: String,
    /// For each function.
    seconds: String,
    jobs: String,
    program: PathBuf,
    /// Functions of a hundred that have to be proven, whole or to the bound.
    floor: usize,
    /// Programs whose names contain this.
    filter: String,
    /// A folder of npm's package `solc` for the trial, in place of the one that is installed.
    solc: Option<PathBuf>,
    /// Changed bytes instead of a sample, and which.
    mutants: usize,
    seed: u64,
}

impl Request {
    fn plan(&self) -> mutants::Plan<'_> {
        mutants::Plan {
            count: self.mutants,
            seed: self.seed,
            cairn: &self.program,
            level: &self.level,
            seconds: &self.seconds,
            filter: &self.filter,
            floor: self.floor,
        }
    }
}

/// Proves a sample.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    let folder = corpus();
    let needs_corpus = ![Suite::Own, Suite::Trial].contains(&request.suite);
    if request.mutants == 0 && needs_corpus && folder.is_none() {
        println!("no corpus (CAIRN_CORPUS): nothing to prove");
        return Ok(());
    }
    if !request.program.is_file() {
        build_release()?;
    }
    if request.mutants > 0 {
        return mutants::run(&request.plan());
    }
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut tally = Tally::default();
    let mut left = request.count;
    let mut visit = |mut subject: Subject| {
        if request.suite.counts_functions() {
            subject.functions.truncate(left);
            left -= subject.functions.len();
        } else {
            left -= 1;
        }
        prove(&request, scratch.path(), &subject, &mut tally)?;
        Ok(left > 0)
    };
    match (request.suite, &folder) {
        (Suite::Trial, _) => {
            let Some(solc) = solc(&request) else { return Ok(()) };
            trial::each(&solc, scratch.path(), &request.filter, &mut visit)?;
        }
        (Suite::Own, _) | (_, None) => samples::each_own(&mut visit)?,
        (suite, Some(folder)) => samples::each(folder, suite, &request.filter, &mut visit)?,
    }
    tally.report(request.floor)
}

/// The folder of npm's package `solc`; `None` if there is none and it can't be installed, which is said.
fn solc(request: &Request) -> Option<PathBuf> {
    match request.solc.clone().map_or_else(crate::solidity::install, Ok) {
        Ok(folder) => Some(folder),
        Err(reason) => {
            println!("prove: the trial is skipped, {reason}");
            None
        }
    }
}

fn parse(arguments: &[String]) -> Outcome<Request> {
    let mut request = Request {
        suite: Suite::Semantic,
        count: 0,
        level: "2".into(),
        seconds: String::new(),
        jobs: "0".into(),
        program: target().join("release/cairn"),
        floor: 0,
        filter: String::new(),
        solc: None,
        mutants: 0,
        seed: 1,
    };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(format!("`{}` needs a value", pair[0])) };
        let number = || value.parse::<usize>().map_err(|_| format!("`{value}` is not a number"));
        match name.as_str() {
            "--suite" => request.suite = Suite::named(value)?,
            "--count" => request.count = number()?,
            "--level" => request.level.clone_from(value),
            "--timeout" => request.seconds = number()?.to_string(),
            "--jobs" => request.jobs = number()?.to_string(),
            "--cairn" => request.program = value.into(),
            "--floor" => request.floor = number()?,
            "--mutants" => request.mutants = number()?,
            "--seed" => request.seed = number()? as u64,
            "--filter" => request.filter.clone_from(value),
            "--solc" => request.solc = Some(value.into()),
            _ => {
                let known = "--suite --count --level --timeout --jobs --cairn --floor --filter --solc \
                             --mutants --seed";
                return Err(format!("unknown option `{name}`; known are {known}"));
            }
        }
    }
    if request.count == 0 {
        request.count = request.suite.size();
    }
    if request.seconds.is_empty() {
        request.seconds = request.suite.seconds().to_string();
    }
    Ok(request)
}

/// Proves the functions of a program.
fn prove(request: &Request, scratch: &Path, subject: &Subject, tally: &mut Tally) -> Outcome {
    let source = scratch.join(subject.file_name());
    std::fs::write(&source, &subject.text).map_err(|error| error.to_string())?;
    let mut command = Command::new(&request.program);
    command.args(["prove", "--quiet", "--format", "json", "-O", &request.level]);
    command.args(["--timeout", &request.seconds, "--jobs", &request.jobs]);
    subject.functions.iter().for_each(|selector| _ = command.args(["--function", selector]));
    command.arg(&source);
    let other = match &subject.other {
        Other::Compiled => None,
        Other::Recompiled => {
            let Some(other) = recompiled(request, scratch, &source, subject)? else {
                tally.skip(&subject.name, "left as it is");
                return Ok(());
            };
            Some(other)
        }
        Other::Code(code) => Some(write(scratch, code)?),
        Other::Built(source) => Some(built(request, scratch, source)?),
    };
    command.args(other);
    // What is not proven is no failure of the command.
    let seen = watch::run(command)?;
    match serde_json::from_str::<Value>(&seen.output) {
        Ok(report) => tally.add(&subject.name, &report, seen.megabytes, &subject.differs),
        Err(_) => tally.skip(&subject.name, &format!("no report: {}", seen.errors.trim())),
    }
    Ok(())
}

/// The file with what Cairn makes of a code; `None` where that is the same code.
fn recompiled(
    request: &Request,
    scratch: &Path,
    source: &Path,
    subject: &Subject,
) -> Outcome<Option<PathBuf>> {
    let mut command = Command::new(&request.program);
    command.args(["recompile", "--quiet", "--runtime", "-O", &request.level]).arg(source);
    let code = watch::run(command)?.output;
    if code.trim() == subject.text.trim() || code.trim().is_empty() {
        return Ok(None);
    }
    write(scratch, &code).map(Some)
}

/// The file with what Cairn compiles Yul to.
fn built(request: &Request, scratch: &Path, source: &str) -> Outcome<PathBuf> {
    let path = scratch.join("other.yul");
    std::fs::write(&path, source).map_err(|error| error.to_string())?;
    let mut command = Command::new(&request.program);
    command.args(["build", "--quiet", "--emit", "runtime", "-O", &request.level]).arg(path);
    write(scratch, &watch::run(command)?.output)
}

/// A file with the other code.
fn write(scratch: &Path, code: &str) -> Outcome<PathBuf> {
    let path = scratch.join("other.hex");
    std::fs::write(&path, code).map_err(|error| error.to_string())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let request = parse(&words("--suite real --timeout 7")).expect("fine");
        assert_eq!((request.suite, request.seconds.as_str()), (Suite::Real, "7"));
        assert_eq!(parse(&[]).expect("fine").count, 200);
        assert!(parse(&words("--suite")).is_err());
        assert!(parse(&words("--suite all")).is_err());
        assert!(parse(&words("--count many")).is_err());
    }
}
