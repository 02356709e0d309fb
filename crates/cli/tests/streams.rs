//! Closed and full standard streams, and messages for tools.
#![cfg(unix)]

mod common;

use common::ends_with;
use std::process::Command;

const FAULTY: &str = "{ sstore(0, x) }";
const FINE: &str = "{ sstore(0, 1) }";

/// The exit code of a line of shell; `$CAIRN` is the program.
fn code_of(line: &str) -> Option<i32> {
    let mut command = Command::new("bash");
    command.args(["-c", line]).env("CAIRN", env!("CARGO_BIN_EXE_cairn"));
    let status = command.stdout(std::process::Stdio::null()).status().expect("there is a shell");
    status.code()
}

/// Commands with the exit code that they end with, whoever listens.
fn commands() -> Vec<(String, i32)> {
    let faulty = format!("echo '{FAULTY}' | $CAIRN");
    let fine = format!("echo '{FINE}' | $CAIRN");
    vec![
        (format!("{faulty} build -"), 1),
        (format!("{fine} build --remarks --time-passes -"), 0),
        (format!("{fine} run --runtime --gas-report -"), 0),
        ("$CAIRN build /no/such/file".into(), 1),
        ("$CAIRN build --nothing".into(), 2),
        ("$CAIRN --help".into(), 0),
    ]
}

#[test]
fn a_standard_error_that_takes_nothing_changes_nothing() {
    for (command, code) in commands().iter() {
        for closed in ["2>/dev/full", "2>&-", "2>&1 >/dev/null | head -c0; exit ${PIPESTATUS[PLACE]}"] {
            let place = command.matches('|').count().to_string();
            let line = format!("{command} {}", closed.replace("PLACE", &place));
            assert_eq!(code_of(&line), Some(*code), "{line}");
        }
    }
}

#[test]
fn a_reader_that_goes_is_no_fault_and_a_full_disk_is() {
    let build = format!("echo '{FINE}' | $CAIRN build -");
    assert_eq!(code_of(&format!("{build} | head -c0; exit ${{PIPESTATUS[1]}}")), Some(0));
    assert_eq!(code_of(&format!("{build} >&-")), Some(0));
    if std::path::Path::new("/dev/full").exists() {
        assert_eq!(code_of(&format!("{build} >/dev/full 2>&1")), Some(1));
        assert_eq!(code_of("$CAIRN --help >/dev/full 2>/dev/full"), Some(1));
        assert_eq!(code_of("$CAIRN completions bash >/dev/full 2>/dev/full"), Some(1));
    }
}

/// Every line on standard error is an object with a severity and a message.
#[track_caller]
fn objects(arguments: &[&str], input: &str, code: i32) -> Vec<serde_json::Value> {
    let (_, err) = ends_with(&[&["--json"], arguments].concat(), input, code);
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{arguments:?}: {line}"));
    let found: Vec<serde_json::Value> = err.lines().map(parse).collect();
    assert!(!found.is_empty(), "{arguments:?}");
    assert!(found.iter().all(|one| one["severity"].is_string() && one["message"].is_string()), "{err}");
    found
}

#[test]
fn every_message_is_an_object_where_json_is_asked_for() {
    objects(&["build", "/no/such/file"], "", 1);
    objects(&["build", "--emit", "bin=/no/such/folder/file", "-"], FINE, 1);
    objects(&["build", "--emit", "nothing", "-"], FINE, 2);
    objects(&["build", "--libraries", "x", "-"], FINE, 2);
    objects(&["build", "--remarks", "--time-passes", "-"], FINE, 0);
    objects(&["build", "--nothing"], "", 2);
    objects(&["run", "--call", "f(", "-"], FINE, 2);
    objects(&["run", "--call", "f()", "-"], "{ revert(0, 0) }", 1);
    objects(&["run", "--runtime", "--gas-report", "-"], FINE, 0);
    objects(&["reduce", "--test", "false", "-"], FINE, 1);
    objects(&["diff", "/no/such/file", "/no/such/file"], "", 1);
    objects(&["verify", "-"], FAULTY, 1);
    objects(&["verify", "-"], "{ let x := 1 let x := 2 }", 1);
}
