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

/// Bytes of a wheel as it is published.
const MAX_WHEEL_BYTES: u64 = 8_000_000;

/// How the wheel is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// As it is published.
    Release,
    /// As tests are, beside them: third-party crates are built once for both.
    Debug,
    /// As pip does where no wheel fits: from the source package, in a folder with nothing else of ours.
    Sources,
}

impl Build {
    /// What the arguments ask for.
    fn of(arguments: &[String]) -> Self {
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        match (has("--sdist"), has("--debug")) {
            (true, _) => Self::Sources,
            (false, true) => Self::Debug,
            (false, false) => Self::Release,
        }
    }
}

/// Arguments that pytest doesn't get.
const OURS: [&str; 3] = ["--debug", "--engines", "--sdist"];

/// Runs the task: `--engines` installs the engines too, `--debug` builds as tests are, `--sdist` from the
/// source package, `--peers` compares with another analyser on the corpus instead of running tests; pytest
/// gets the other arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let build = Build::of(arguments);
    let engines: &[&str] = if has("--engines") { &ENGINES } else { &[] };
    if has("--peers") {
        return compare(build);
    }
    let others = arguments.iter().filter(|argument| !OURS.contains(&argument.as_str()));
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
    if build != Build::Debug && size > MAX_WHEEL_BYTES {
        return Err(format!("the wheel has {size} bytes, and {MAX_WHEEL_BYTES} are the most"));
    }
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
    let (mut builder, target) = match build {
        Build::Release => (from_checkout(python, package, &wheels, "--release"), folder.join("cargo")),
        Build::Debug => (from_checkout(python, package, &wheels, "--strip"), project::target()),
        Build::Sources => {
            (from_sources(python, &sources(python, package, folder)?, &wheels), folder.join("cargo"))
        }
    };
    builder.env("CARGO_TARGET_DIR", target);
    project::run(builder)?;
    only(&wheels, "whl")
}

/// What builds a wheel here, in one of maturin's manners.
fn from_checkout(python: &Path, package: &Path, wheels: &Path, manner: &str) -> Command {
    let mut maturin = command(python, &["-m", "maturin", "build", manner, "--out"], wheels);
    maturin.arg("--interpreter").arg(python).arg("--manifest-path").arg(package.join("Cargo.toml"));
    maturin
}

/// What builds a wheel from the source package: pip unpacks it into a folder of its own and builds there.
fn from_sources(python: &Path, sources: &Path, wheels: &Path) -> Command {
    let mut pip = command(python, &["-m", "pip", "wheel", "--no-deps", "--wheel-dir"], wheels);
    pip.arg("--disable-pip-version-check").arg(sources);
    pip
}

/// Makes the source package, in place of those of earlier runs.
fn sources(python: &Path, package: &Path, folder: &Path) -> Outcome<PathBuf> {
    let sources = folder.join("sources");
    // Absent at the first run.
    _ = std::fs::remove_dir_all(&sources);
    let mut maturin = command(python, &["-m", "maturin", "sdist", "--out"], &sources);
    maturin.arg("--manifest-path").arg(package.join("Cargo.toml"));
    // It quotes a warning of cargo's for each crate; they are shown if it fails.
    output(maturin)?;
    only(&sources, "gz")
}

/// The file with this extension that a tool left in its folder.
fn only(folder: &Path, extension: &str) -> Outcome<PathBuf> {
    let built = project::files(folder, &[extension])?;
    built.into_iter().next().ok_or_else(|| format!("no .{extension} in {}", project::shown(folder)))
}

fn command(program: &Path, arguments: &[&str], last: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(last);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_how_to_build() {
        let of = |words: &[&str]| Build::of(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["-k", "batch"]), Build::Release);
        assert_eq!(of(&["--engines", "--debug"]), Build::Debug);
        assert_eq!(of(&["--debug", "--sdist"]), Build::Sources);
    }

    /// A package can only have what lies in its folder, so the licences are there once more.
    #[test]
    fn the_package_has_the_licences() {
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let ours = project::read(&root().join(name)).expect("a licence");
            let packed = project::read(&root().join("bindings/python").join(name));
            assert_eq!(packed.as_ref(), Ok(&ours), "{name} differs from the package's");
        }
    }
}
