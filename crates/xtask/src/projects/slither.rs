//! slither with solc and with `cairn-solc`: it finds the same in both, by forge; and it reads what
//! `cairn-solc` prints by itself.
//!
//! It is installed by Python's own tools; without them this is skipped with a word.

use super::list::{EXAMPLES_SOLC, Project};
use super::options::DEFAULT_LEVEL;
use super::tools::Tools;
use super::way::{Pipeline, Way};
use crate::project::{Outcome, output, read};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of slither.
const SLITHER: &str = "slither-analyzer==0.11.6";

/// A source of the example that imports nothing, which slither gives to the compiler itself.
const ALONE: &str = "src/Owned.sol";

/// slither, and what it works with.
pub(crate) struct Slither<'a> {
    program: PathBuf,
    tools: &'a Tools,
    /// `cairn-solc`.
    compiler: &'a Path,
    /// Where findings are written.
    folder: &'a Path,
}

impl<'a> Slither<'a> {
    /// Installs it below `folder`, unless that was done; `None`, with a word, where it can't be.
    pub(crate) fn install(tools: &'a Tools, compiler: &'a Path, folder: &'a Path) -> Option<Slither<'a>> {
        match install(&folder.join("slither")) {
            Ok(program) => Some(Slither { program, tools, compiler, folder }),
            Err(reason) => {
                println!("slither: skipped, {}", reason.lines().next().unwrap_or("no reason given"));
                None
            }
        }
    }

    /// Compares what is found in `examples/foundry`, of which this is a copy; what is wrong, if anything.
    ///
    /// # Errors
    /// A file cannot be read or removed.
    pub(crate) fn compare_example(&self, place: &Path) -> Outcome<Option<String>> {
        let run = |target: &str, compiler: &Path, name: &str| {
            let mut command = self.command(place);
            command.arg(target).arg("--solc").arg(compiler).env("FOUNDRY_SOLC", compiler);
            command.env("CAIRN_SOLC", self.tools.soljson(EXAMPLES_SOLC));
            self.find(command, &format!("example-{name}"))
        };
        let solc = run(".", &self.tools.solc(EXAMPLES_SOLC), "solc");
        let cairn = run(".", self.compiler, "cairn");
        Ok(match run(ALONE, self.compiler, "alone") {
            Ok(_) => verdict("examples/foundry", solc, cairn),
            Err(fault) => verdict("examples/foundry", solc, Err(fault)),
        })
    }

    /// Compares what is found in a published project; what is wrong, if anything.
    pub(crate) fn compare_project(&self, project: &Project, place: &Path) -> Option<String> {
        let run = |way: &Way| {
            let mut command = self.command(place);
            command.arg(".");
            way.apply(&mut command, project, self.tools, self.compiler);
            self.find(command, &format!("{}-{}", project.name, way.name()))
        };
        let pipeline = if project.is_legacy_possible { Pipeline::Legacy } else { Pipeline::ViaIr };
        let (solc, cairn) = (run(&Way::Solc(pipeline)), run(&Way::Cairn(DEFAULT_LEVEL.into())));
        verdict(project.name, solc, cairn)
    }

    fn command(&self, place: &Path) -> Command {
        let mut command = self.tools.with_path(Command::new(&self.program));
        command.current_dir(place);
        command
    }

    /// What slither finds.
    fn find(&self, mut command: Command, name: &str) -> Outcome<Vec<String>> {
        let found = self.folder.join(format!("slither-{name}.json"));
        if found.exists() {
            std::fs::remove_file(&found).map_err(|error| format!("{}: {error}", found.display()))?;
        }
        command.arg("--json").arg(&found);
        // It ends with the number of findings.
        let ended = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let said = String::from_utf8_lossy(&ended.stderr);
        detectors(&read(&found).unwrap_or_default()).map_err(|fault| format!("{name}: {fault}\n{said}"))
    }
}

/// Says whether both are the same; what differs, if anything.
fn verdict(name: &str, solc: Outcome<Vec<String>>, cairn: Outcome<Vec<String>>) -> Option<String> {
    let fault = match (solc, cairn) {
        (Ok(solc), Ok(cairn)) if solc == cairn => {
            println!("slither: {name}: {} findings, the same with solc and Cairn", solc.len());
            return None;
        }
        (Ok(solc), Ok(cairn)) => {
            let only = |some: &[String], others: &[String]| {
                some.iter().filter(|one| !others.contains(one)).cloned().collect::<Vec<_>>().join("\n")
            };
            format!("only with solc: {}\nonly with Cairn: {}", only(&solc, &cairn), only(&cairn, &solc))
        }
        (Err(fault), _) | (_, Err(fault)) => fault,
    };
    println!("slither: {name}: {fault}");
    Some(format!("slither on {name}"))
}

/// What slither found, in the order of its texts.
fn detectors(text: &str) -> Outcome<Vec<String>> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("no findings: {error}"))?;
    if value["success"] != true {
        return Err(value["error"].to_string());
    }
    let found = value["results"]["detectors"].as_array().into_iter().flatten();
    let mut found: Vec<String> = found.map(Value::to_string).collect();
    found.sort();
    Ok(found)
}

/// Installs slither, unless that was done; the program.
fn install(folder: &Path) -> Outcome<PathBuf> {
    let slither = folder.join("bin/slither");
    if slither.exists() {
        return Ok(slither);
    }
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(folder);
    output(make)?;
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", SLITHER]);
    output(pip)?;
    Ok(slither)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_compared_in_one_order() {
        let text = r#"{"success":true,"results":{"detectors":[{"id":"b"},{"id":"a"}]}}"#;
        assert_eq!(detectors(text).expect("findings"), [r#"{"id":"a"}"#, r#"{"id":"b"}"#]);
        assert_eq!(detectors(r#"{"success":true,"results":{}}"#), Ok(vec![]));
        assert!(
            detectors(r#"{"success":false,"error":"no solc"}"#).is_err_and(|fault| fault.contains("no solc"))
        );
        assert!(detectors("").is_err());
    }

    #[test]
    fn what_differs_is_a_fault() {
        let some = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(verdict("a", some(&["x"]), some(&["x"])), None);
        assert_eq!(verdict("a", some(&["x"]), some(&["y"])), Some("slither on a".into()));
        assert_eq!(verdict("a", some(&[]), Err("no solc".into())), Some("slither on a".into()));
    }
}
