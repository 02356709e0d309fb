//! slither on `examples/foundry`, with solc and with `cairn-solc`: it finds the same in both, by forge, and
//! it reads what `cairn-solc` prints by itself.
//!
//! It is installed by Python's own tools; without them this is skipped with a word.

use super::list::EXAMPLES_SOLC;
use super::tools::Tools;
use crate::project::{Outcome, output, read};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of slither.
const SLITHER: &str = "slither-analyzer==0.11.6";

/// A source that imports nothing, which slither gives to the compiler itself.
const ALONE: &str = "src/Owned.sol";

/// Compares what slither finds; what is wrong, if anything.
///
/// # Errors
/// A file cannot be read or removed.
pub(crate) fn compare(
    tools: &Tools,
    compiler: &Path,
    project: &Path,
    folder: &Path,
) -> Outcome<Option<String>> {
    let slither = match install(&folder.join("slither")) {
        Ok(slither) => slither,
        Err(reason) => {
            println!("slither: skipped, {}", reason.lines().next().unwrap_or("no reason given"));
            return Ok(None);
        }
    };
    let run = |target: &str, compiler: &Path, name: &str| {
        let found = folder.join(format!("slither-{name}.json"));
        if found.exists() {
            std::fs::remove_file(&found).map_err(|error| format!("{}: {error}", found.display()))?;
        }
        let mut command = tools.with_path(Command::new(&slither));
        command.arg(target).arg("--solc").arg(compiler).arg("--json").arg(&found).current_dir(project);
        command.env("FOUNDRY_SOLC", compiler).env("CAIRN_SOLC", tools.soljson(EXAMPLES_SOLC));
        // It ends with the number of findings.
        let ended = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let said = String::from_utf8_lossy(&ended.stderr);
        detectors(&read(&found).unwrap_or_default()).map_err(|fault| format!("{name}: {fault}\n{said}"))
    };
    let solc = run(".", &tools.solc(EXAMPLES_SOLC), "solc")?;
    let fault = match (run(".", compiler, "cairn"), run(ALONE, compiler, "alone")) {
        (Ok(found), Ok(_)) if found == solc => {
            println!("slither: {} findings, the same with solc and Cairn", solc.len());
            return Ok(None);
        }
        (Ok(found), Ok(_)) => format!("slither: with solc {solc:#?}\nwith Cairn {found:#?}"),
        (Err(fault), _) | (_, Err(fault)) => format!("slither: {fault}"),
    };
    println!("{fault}");
    Ok(Some("slither".to_owned()))
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
}
