//! Runs the command as a user does.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `cairn` with `input` on standard input.
pub(crate) fn cairn(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.args(arguments).env("NO_COLOR", "1");
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    // A command that refuses its flags does not read.
    _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Runs `cairn` and expects an exit code; gives what was printed and what was complained of.
#[track_caller]
pub(crate) fn ends_with(arguments: &[&str], input: &str, code: i32) -> (String, String) {
    let output = cairn(arguments, input);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
    (out, err)
}
