//! `python`: builds the Python package into an environment of its own and runs its tests.
//!
//! All of it is in `target/python`. Where there is no Python it says so and is content: nothing else
//! needs one. Packages come from the index that pip knows.

use crate::project::{self, Outcome, cargo, output, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What builds and tests the package.
const REQUIREMENTS: [&str; 7] =
    ["maturin>=1.7,<2", "pytest", "pyarrow", "polars", "networkx", "mypy", "types-networkx"];

/// Builds, installs and tests; pytest gets the arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let Some(python) = python() else {
        println!("skipped: the Python package, for there is no `python3` of version 3.9 or newer");
        return Ok(());
    };
    let package = root().join("bindings/python");
    let folder = root().join("target/python");
    let programs = folder.join("venv").join(if cfg!(windows) { "Scripts" } else { "bin" });
    if !programs.is_dir() {
        project::run(command(&python, &["-m", "venv"], &folder.join("venv")))?;
    }
    let python = programs.join("python");
    let mut install = Command::new(&python);
    project::run({
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(REQUIREMENTS);
        install
    })?;
    let manifest = package.join("Cargo.toml");
    let mut format = cargo(&["fmt", "--check", "--manifest-path"]);
    format.arg(&manifest);
    project::run(format)?;
    let wheel = build(&python, &package, &folder)?;
    let size = std::fs::metadata(&wheel).map_err(|error| error.to_string())?.len();
    println!("{}: {:.1} MB", project::shown(&wheel), size as f64 / 1e6);
    project::run(command(
        &python,
        &["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"],
        &wheel,
    ))?;
    let mut types = command(&python, &["-m", "mypy", "--strict", "--cache-dir"], &folder.join("mypy"));
    types.arg(package.join("python/cairn"));
    project::run(types)?;
    let mut tests =
        command(&python, &["-m", "pytest", "-q", "-p", "no:cacheprovider"], &package.join("tests"));
    tests.args(arguments);
    project::run(tests)
}

/// A Python that is new enough.
fn python() -> Option<PathBuf> {
    let known = "import sys; sys.exit(sys.version_info < (3, 9))";
    let is_new = |name: &&str| output(command(Path::new(name), &["-c"], Path::new(known))).is_ok();
    ["python3", "python"].iter().copied().find(is_new).map(PathBuf::from)
}

/// Builds the wheel, in place of those of earlier runs.
fn build(python: &Path, package: &Path, folder: &Path) -> Outcome<PathBuf> {
    let wheels = folder.join("wheels");
    // Absent at the first run.
    _ = std::fs::remove_dir_all(&wheels);
    let mut build = command(python, &["-m", "maturin", "build", "--release", "--out"], &wheels);
    build.arg("--interpreter").arg(python).arg("--manifest-path").arg(package.join("Cargo.toml"));
    build.env("CARGO_TARGET_DIR", folder.join("cargo"));
    project::run(build)?;
    let built = project::files(&wheels, &["whl"])?;
    built.into_iter().next().ok_or_else(|| "maturin left no wheel".to_owned())
}

fn command(program: &Path, arguments: &[&str], last: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(last);
    command
}
