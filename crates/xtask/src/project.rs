//! The workspace: its root, its files, commands in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What went wrong, in lines for people.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// The root folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    crates.and_then(Path::parent).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The folder of the corpus, if there is one on this machine.
pub(crate) fn corpus() -> Option<PathBuf> {
    let default = || root().join("../shared/corpus");
    let folder = std::env::var_os("CAIRN_CORPUS").map_or_else(default, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The file as text.
pub(crate) fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file, making its folder.
pub(crate) fn write(path: &Path, text: &str) -> Outcome {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

/// All files below a folder with this extension, sorted. A folder that isn't there has none.
pub(crate) fn files(folder: &Path, extensions: &[&str]) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop().filter(|folder| folder.is_dir()) {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
            if path.is_dir() {
                pending.push(path);
            } else if extensions.contains(&extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A path as it is shown: relative to the root.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// `cargo` with these arguments, in the root.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Builds the programs `cairn` and `cairn-solc` as they are released; the folder in which they are.
///
/// The whole workspace is named, here and wherever else a release build is made: dependencies are then built with
/// the features that all packages want, once, and not again for each choice of packages.
pub(crate) fn build_release() -> Outcome<PathBuf> {
    let programs = ["--bin", "cairn", "--bin", "cairn-solc"];
    run(cargo(&[&["build", "--quiet", "--release", "--workspace"][..], &programs].concat()))?;
    Ok(target().join("release"))
}

/// True of a program that tells its version.
pub(crate) fn is_installed(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs a command with its output on the terminal.
pub(crate) fn run(mut command: Command) -> Outcome {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

/// The standard output of a command.
pub(crate) fn output(mut command: Command) -> Outcome<String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
