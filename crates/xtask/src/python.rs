//! `python`: builds the Python package into an environment of its own and runs its tests.
//!
//! All of it is in `target/python`. Where there is no Python, or its packages cannot be had, it says so and
//! is content: nothing else needs one. Packages come from the index that pip knows.

use crate::project::{self, Outcome, cargo, output, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What builds and tests the package.
const REQUIREMENTS: [&str; 8] = [
    "maturin>=1.7,<2",
    "pytest",
    "pyarrow",
    "polars",
    "networkx",
    "mypy",
    "types-networkx",
    // The study as a notebook.
    "nbclient",
];
/// What the study draws with, and what runs it.
const STUDY: [&str; 2] = ["matplotlib", "ipykernel"];
/// Engines with a recipe, and Spark; they are large.
const ENGINES: [&str; 6] = ["pyspark", "duckdb", "datafusion", "daft", "ray[data]", "pandas"];

/// The other analyser that `--peers` compares with.
const PEER: &str = "evmole==0.9.4";

/// How the wheel is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// As it is published.
    Release,
    /// As tests are, beside them: third-party crates are built once for both.
    Debug,
}

/// Runs the task: `--engines` installs the engines too, `--debug` builds as tests are, `--peers` compares
/// with another analyser on the corpus instead of running tests; pytest gets the other arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let build = if has("--debug") { Build::Debug } else { Build::Release };
    let engines: &[&str] = if has("--engines") { &ENGINES } else { &[] };
    if has("--peers") {
        return compare(build);
    }
    let others = arguments.iter().filter(|argument| !["--debug", "--engines"].contains(&argument.as_str()));
    test(build, engines, &others.cloned().collect::<Vec<_>>())
}

/// Builds, installs and compares with the other analyser, on the corpus.
fn compare(build: Build) -> Outcome {
    let Some(corpus) = project::corpus() else {
        println!("skipped: the comparison, for there is no corpus");
        return Ok(());
    };
    let Some(python) = install(build, &[])? else { return Ok(()) };
    let mut peer = Command::new(&python);
    peer.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEER]);
    if let Err(reason) = output(peer) {
        println!("skipped: the comparison, for {PEER} cannot be had: {reason}");
        return Ok(());
    }
    // Every sixth contract, as the documents say.
    let script = root().join("bench/peers/signatures.py");
    let mut compare = command(&python, &[], &script);
    compare.arg(corpus).arg("6");
    project::run(compare)
}

/// Builds, installs and tests.
pub(crate) fn test(build: Build, engines: &[&str], arguments: &[String]) -> Outcome {
    let Some(python) = install(build, engines)? else { return Ok(()) };
    let package = root().join("bindings/python");
    let folder = root().join("target/python");
    let mut types = command(&python, &["-m", "mypy", "--cache-dir"], &folder.join("mypy"));
    types.arg("--config-file").arg(package.join("pyproject.toml")).arg(package.join("python/cairn"));
    project::run(types)?;
    let mut tests =
        command(&python, &["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"], &package.join("tests"));
    tests.args(arguments);
    project::run(tests)
}

/// The Python of an environment with the package; `None` where there can be none.
fn install(build: Build, engines: &[&str]) -> Outcome<Option<PathBuf>> {
    let Some(python) = python() else {
        println!("skipped: the Python package, for there is no `python3` of version 3.9 or newer");
        return Ok(None);
    };
    let package = root().join("bindings/python");
    let folder = root().join("target/python");
    let programs = folder.join("venv").join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = match environment(&python, &folder, &programs, engines) {
        Ok(python) => python,
        Err(reason) => {
            println!("skipped: the Python package, whose environment cannot be made: {reason}");
            return Ok(None);
        }
    };
    let manifest = package.join("Cargo.toml");
    let mut format = cargo(&["fmt", "--check", "--manifest-path"]);
    format.arg(&manifest);
    project::run(format)?;
    let wheel = wheel(&python, &package, &folder, build)?;
    let size = std::fs::metadata(&wheel).map_err(|error| error.to_string())?.len();
    println!("{}: {:.1} MB", project::shown(&wheel), size as f64 / 1e6);
    project::run(command(
        &python,
        &["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"],
        &wheel,
    ))?;
    Ok(Some(python))
}

/// A Python that is new enough.
fn python() -> Option<PathBuf> {
    let known = "import sys; sys.exit(sys.version_info < (3, 9))";
    let is_new = |name: &&str| output(command(Path::new(name), &["-c"], Path::new(known))).is_ok();
    ["python3", "python"].iter().copied().find(is_new).map(PathBuf::from)
}

/// The Python of an environment that has what is needed.
fn environment(python: &Path, folder: &Path, programs: &Path, engines: &[&str]) -> Outcome<PathBuf> {
    if !programs.is_dir() {
        output(command(python, &["-m", "venv"], &folder.join("venv")))?;
    }
    let python = programs.join("python");
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(REQUIREMENTS).args(STUDY).args(engines);
    output(install)?;
    Ok(python)
}

/// Builds the wheel, in place of those of earlier runs.
fn wheel(python: &Path, package: &Path, folder: &Path, build: Build) -> Outcome<PathBuf> {
    let wheels = folder.join("wheels");
    // Absent at the first run.
    _ = std::fs::remove_dir_all(&wheels);
    let mut maturin = command(python, &["-m", "maturin", "build", "--out"], &wheels);
    maturin.arg("--interpreter").arg(python).arg("--manifest-path").arg(package.join("Cargo.toml"));
    match build {
        Build::Release => maturin.arg("--release").env("CARGO_TARGET_DIR", folder.join("cargo")),
        Build::Debug => maturin.arg("--strip").env("CARGO_TARGET_DIR", project::target()),
    };
    project::run(maturin)?;
    let built = project::files(&wheels, &["whl"])?;
    built.into_iter().next().ok_or_else(|| "maturin left no wheel".to_owned())
}

fn command(program: &Path, arguments: &[&str], last: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(last);
    command
}
