//! Other compilers of Yul on this machine. None is needed: their recorded figures are in the corpus.
//!
//! Found are `solc` as a program and the npm package `solc` (through `node` and `NODE_PATH`); any
//! other is named with `--peer=NAME=COMMAND`, where `COMMAND FILE` prints creation code in hex as
//! its last line.

use super::measure::{Compiler, Kind};
use crate::project::{Outcome, root};
use std::ffi::OsString;
use std::process::{Command, Stdio};

/// Arguments of native `solc` for Yul.
const NATIVE: [&str; 5] = ["--strict-assembly", "--optimize", "--optimize-runs", "200", "--bin"];

/// The peers that are asked for and those that are installed; says which are not.
pub(crate) fn find(arguments: &[String]) -> Outcome<Vec<Compiler>> {
    let mut peers = Vec::new();
    for argument in arguments.iter().filter_map(|argument| argument.strip_prefix("--peer=")) {
        let (name, command) = argument.split_once('=').ok_or("usage: --peer=NAME=COMMAND")?;
        peers.push(peer(name, command.split_whitespace().map(Into::into).collect()));
    }
    if arguments.iter().any(|argument| argument == "--no-peers") {
        return Ok(peers);
    }
    let script = root().join("bench/peers/solc.cjs");
    let npm = vec!["node".into(), script.into_os_string()];
    let native = ["solc"].iter().chain(&NATIVE).map(Into::into).collect();
    for (name, version, command) in [("solc (npm)", "--version", npm), ("solc (native)", "--version", native)]
    {
        let is_script = name == "solc (npm)";
        let probe: Vec<OsString> = command.iter().take(if is_script { 2 } else { 1 }).cloned().collect();
        match answers(&probe, version) {
            Some(line) => {
                println!("peer {name}: {line}");
                peers.push(peer(name, command));
            }
            None => println!("peer {name}: not installed, only its recorded figures are shown"),
        }
    }
    Ok(peers)
}

fn peer(name: &str, command: Vec<OsString>) -> Compiler {
    Compiler { name: name.to_owned(), command, kind: Kind::Peer }
}

/// The last line that the command prints, if there is such a command.
fn answers(command: &[OsString], argument: &str) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    let output = Command::new(program).args(arguments).arg(argument).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.lines().last().unwrap_or("").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_peer_needs_a_command() {
        let find = |arguments: &[&str]| {
            find(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
        };
        let found = find(&["--no-peers", "--peer=mine=cat -u"]).expect("a peer");
        assert_eq!((found.len(), found[0].name.as_str(), found[0].command.len()), (1, "mine", 2));
        assert!(find(&["--peer=mine"]).is_err());
    }

    #[test]
    fn a_program_that_is_missing_does_not_answer() {
        assert_eq!(answers(&["no-such-program-here".into()], "--version"), None);
    }
}
