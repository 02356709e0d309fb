//! `solidity`: random programs in Solidity, compiled by solc and by Cairn, side by side.
//!
//! The net is `crates/filetest/tests/solidity`; here it gets what it needs: solc from npm, in
//! `target/solidity`. Without node, npm or the network the task says that it is skipped, and passes.

use crate::project::{self, Outcome, cargo};
use crate::projects::{node_is_installed, npm_install};
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;

/// The front end.
const SOLC: &str = "0.8.37";
/// Programs if nobody says how many.
const PROGRAMS: u64 = 100;

/// What to run.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    programs: u64,
    first_seed: u64,
    /// A folder of npm's package `solc`, in place of the one that is installed.
    solc: Option<PathBuf>,
}

/// Runs the net.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let Request { programs, first_seed, solc } = parse(arguments)?;
    let folder = match solc.map_or_else(install, Ok) {
        Ok(folder) => folder,
        Err(reason) => {
            println!("solidity: skipped, {reason}");
            return Ok(());
        }
    };
    let words = ["test", "--quiet", "--release", "--workspace", "--test", "solidity"];
    let mut command = cargo(&[&words[..], &["--", "--nocapture", "--ignored", "programs"]].concat());
    command.env("CAIRN_SOLIDITY_SOLC", folder);
    command.env("CAIRN_SOLIDITY_PROGRAMS", programs.to_string());
    command.env("CAIRN_SOLIDITY_SEED", first_seed.to_string());
    project::run(command)
}

/// Installs solc, unless that was done; its folder.
pub(crate) fn install() -> Outcome<PathBuf> {
    node_is_installed()?;
    let folder = project::target().join("solidity");
    let package = json!({ "private": true, "dependencies": { "solc": SOLC } });
    npm_install(Command::new("npm"), &folder, &package)?;
    Ok(folder.join("node_modules/solc"))
}

fn parse(arguments: &[String]) -> Outcome<Request> {
    let mut request = Request { programs: PROGRAMS, first_seed: 0, solc: None };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(format!("`{}` needs a value", pair[0])) };
        let number = || value.parse::<u64>().map_err(|_| format!("`{value}` is not a number"));
        match name.as_str() {
            "--programs" => request.programs = number()?,
            "--seed" => request.first_seed = number()?,
            "--solc" => request.solc = Some(value.into()),
            _ => return Err(format!("unknown option `{name}`; known are --programs --seed --solc")),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let request = parse(&words("--seed 7 --programs 70")).expect("fine");
        assert_eq!(request, Request { programs: 70, first_seed: 7, solc: None });
        assert_eq!(parse(&words("--solc a/b")).expect("fine").solc, Some("a/b".into()));
        assert!(parse(&words("--programs")).is_err());
        assert!(parse(&words("--seed many")).is_err());
        assert!(parse(&words("--net x")).is_err());
    }
}
