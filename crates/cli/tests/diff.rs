//! `cairn diff`: what is the same is told from what differs, with gas and size side by side.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that gives back what `result` says of its argument.
fn program(result: &str) -> String {
    format!(
        r#"object "a" {{
            code {{ datacopy(0, dataoffset("r"), datasize("r")) return(0, datasize("r")) }}
            object "r" {{ code {{ mstore(0, {result}) return(0, 32) }} }}
        }}"#
    )
}

fn file(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).expect("the directory can be written");
    path
}

/// Exit code, output and messages for two programs on some calls.
fn diff(test: &str, results: [&str; 2], calls: &str) -> (Option<i32>, String, String) {
    let directory = std::env::temp_dir().join(format!("cairn-diff-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("there is room for temporary files");
    let a = file(&directory, "a.yul", &program(results[0]));
    let b = file(&directory, "b.yul", &program(results[1]));
    let calls = file(&directory, "calls", calls);
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.arg("diff").args([&a, &b]).arg("--calls").arg(&calls).env("NO_COLOR", "1");
    let output = command.output().expect("the program starts");
    std::fs::remove_dir_all(&directory).expect("the directory can be removed");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const TWICE: &str = "add(calldataload(4), calldataload(4))";
const POWER: &str = "exp(calldataload(4), 2)";

#[test]
fn programs_that_do_the_same_are_measured_side_by_side() {
    let calls = "# Two calls where twice a number is its square.\nf(uint256) 0\n\nf(uint256) 2\n";
    let (code, out, err) = diff("same", [TWICE, POWER], calls);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let row = |name: &str| -> Vec<f64> {
        let line = out.lines().find_map(|line| line.strip_prefix(name)).expect("there is such a row");
        line.split_whitespace().map(|number| number.parse().expect("a number")).collect()
    };
    for name in ["runtime bytes", "deploy gas", "call 1 gas", "call 2 gas"] {
        let [a, b, ratio] = row(name)[..] else { panic!("{name} has three numbers: {out}") };
        assert!(a > 0.0 && b > 0.0 && (b / a - ratio).abs() < 0.001, "{out}");
    }
    let gas = row("call 2 gas");
    assert!(gas[1] > gas[0], "a power costs more than an addition: {out}");
    assert!(!out.contains("call 3 gas"), "{out}");
}

#[test]
fn a_call_that_differs_is_named_and_fails() {
    let (code, out, err) = diff("other", [TWICE, POWER], "f(uint256) 2\nf(uint256) 3\n");
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(err.starts_with("error: ") && err.contains('2'), "{err}");
    assert!(out.contains("call 2 gas"), "{out}");
}

#[test]
fn calls_that_cannot_be_read_are_refused_with_their_line() {
    let (code, _, err) = diff("unread", [TWICE, TWICE], "f(uint256) 2\nnonsense\n");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("calls:2: "), "{err}");
}
