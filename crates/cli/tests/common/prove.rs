//! `cairn prove` on two programs.

use std::process::Command;

/// The verdict on two programs and why, and what is wrong with them if it has none. `extension` is that of
/// their files, `options` what the command is told beside.
pub(crate) fn verdict(extension: &str, options: &[&str], first: &str, second: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = [("a", first), ("b", second)].map(|(name, text)| {
        let path = folder.path().join(format!("{name}.{extension}"));
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    let output = command.args(["prove", "--quiet"]).args(options).args(&paths).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let line = text.lines().next().map(str::to_owned);
    let line = line.unwrap_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned());
    line.trim_start_matches("program").trim().to_owned()
}

/// Whether a solver is there; says what is skipped if not.
pub(crate) fn has_solver(skipped: &str) -> bool {
    let found = Command::new("z3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("no z3: {skipped}");
    }
    found
}

/// What Yul is compiled to at a level, in hex.
#[allow(dead_code, reason = "not all tests compare codes")]
pub(crate) fn code(level: &str, program: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.yul");
    std::fs::write(&path, program).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    let output = command.args(["build", "--quiet", level]).arg(path).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
