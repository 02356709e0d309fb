//! A folder with a front end that gives one answer always, and the program run in it.

use serde_json::Value;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// An object that deploys one that is empty; `embedded` stands in the code that is deployed.
pub(crate) fn yul(name: &str, embedded: &str) -> String {
    format!(
        "/// @use-src 0:\"a.sol\"\nobject \"{name}\" {{ code {{ datacopy(0, dataoffset(\"{name}_deployed\"), \
         datasize(\"{name}_deployed\")) return(0, datasize(\"{name}_deployed\")) }} object \"{name}_deployed\" \
         {{ code {{ {embedded} }} }} }}"
    )
}

/// A folder with a program `solc` that gives this answer.
pub(crate) fn folder(answer: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("answer.json", &answer.to_string());
    let program = "#!/bin/sh\ncase \"$1\" in --version) echo 'Version: 0.8.37+commit.f401782d'; exit;; esac\n\
                   /bin/cat > /dev/null\n/bin/cat answer.json\n";
    write("solc", program);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path().join("solc"), executable).expect("executable");
    folder
}

/// Runs the program in a folder, with this front end.
pub(crate) fn run(folder: &Path, front_end: &Path, args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn-solc"));
    command.args(args).current_dir(folder).env_clear().env("HOME", folder).env("CAIRN_CACHE", "");
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("CAIRN_SOLC", front_end);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // It may end without reading.
    _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The names of all files in a folder, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
