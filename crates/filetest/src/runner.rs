//! Runs test files against a `cairn` binary.

use crate::exec_check;
use crate::file::TestFile;
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The binary under test.
#[derive(Clone, Debug)]
pub struct Cairn {
    /// Its path.
    pub binary: PathBuf,
}

/// What a run of the binary gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit code; −1 when killed.
    pub code: i32,
}

impl Run {
    /// Output as it stands in a test file: standard output, or standard error of a failed run.
    fn transcript(&self) -> String {
        match self.code {
            0 => self.stdout.clone(),
            code => format!("exit {code}\n{}", self.stderr),
        }
    }
}

impl Cairn {
    /// Runs a command line on a file. Formatting shows comments, so it gets the input alone, without
    /// the comments that make a test of it.
    ///
    /// # Errors
    /// The binary cannot be started.
    pub fn run(&self, command: &str, file: &TestFile) -> Result<Run, String> {
        let mut words: Vec<&str> = command.split_whitespace().collect();
        if let Some(fork) = &file.fork {
            words.extend(["--evm-version", fork]);
        }
        if words.first() != Some(&"fmt") {
            return self.run_words(&words, &file.path);
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join(file.path.file_name().ok_or("the path has no file name")?);
        std::fs::write(&path, file.body()).map_err(|error| error.to_string())?;
        self.run_words(&words, &path)
    }

    /// Runs words of a command line on a path.
    ///
    /// # Errors
    /// The binary cannot be started.
    pub fn run_words(&self, words: &[&str], path: &Path) -> Result<Run, String> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let name = path.file_name().ok_or("the path has no file name")?;
        let mut command = Command::new(&self.binary);
        command.args(words).arg(name).current_dir(folder).stdin(Stdio::null()).env("NO_COLOR", "1");
        let output = command.output().map_err(|error| format!("{}: {error}", self.binary.display()))?;
        Ok(Run {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        })
    }
}

/// One trial a file below `root`, named by its path. With `bless`, files are rewritten instead.
///
/// # Errors
/// The folder cannot be read.
pub fn trials(root: &Path, cairn: &Cairn, mode: Mode) -> std::io::Result<Vec<Trial>> {
    let mut paths = Vec::new();
    collect(root, &mut paths)?;
    paths.sort();
    let trial = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let cairn = cairn.clone();
        Trial::test(name, move || run_file(&path, &cairn, mode).map_err(Failed::from))
    };
    Ok(paths.into_iter().map(trial).collect())
}

/// Whether expectations are compared or rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Compare.
    Check,
    /// Rewrite.
    Bless,
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path
            .extension()
            .is_some_and(|e| ["yul", "eir", "asm", "hex"].iter().any(|known| e == *known))
        {
            paths.push(path);
        }
    }
    Ok(())
}

fn run_file(path: &Path, cairn: &Cairn, mode: Mode) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let file = TestFile::parse(path, &text)?;
    let mut sections = Vec::new();
    for command in &file.runs {
        sections.push((command.clone(), run_command(cairn, command, &file)?));
    }
    check_errors(cairn, &file)?;
    if file.errors.is_empty() {
        check_formatting(cairn, &file)?;
        exec_check::check(&file)?;
    }
    // Where inline errors say it all, the text of the diagnostics need not be written down.
    if !file.errors.is_empty() && file.sections.is_empty() {
        return Ok(());
    }
    match mode {
        Mode::Bless => bless(&file, &text, &sections),
        Mode::Check => compare(&file, &sections),
    }
}

/// Runs a command twice: the outputs must be the same bytes.
fn run_command(cairn: &Cairn, command: &str, file: &TestFile) -> Result<String, String> {
    let first = cairn.run(command, file)?;
    if first.code == 70 || first.code < 0 {
        return Err(format!("`{command}` crashed:\n{}", first.stderr));
    }
    if cairn.run(command, file)? != first {
        return Err(format!("`{command}` gives different output when run again"));
    }
    Ok(first.transcript())
}

fn check_errors(cairn: &Cairn, file: &TestFile) -> Result<(), String> {
    if file.errors.is_empty() {
        return Ok(());
    }
    let command = file.runs.first().map_or("verify", String::as_str);
    let run = cairn.run(&format!("{command} --json"), file)?;
    if run.code != 1 {
        return Err(format!("expected the command to fail with 1, not {}", run.code));
    }
    for (line, message) in &file.errors {
        let on_line = format!("\"line\":{line},");
        let found =
            run.stderr.lines().any(|json| json.contains(&on_line) && unescape(json).contains(message));
        if !found {
            return Err(format!("no error `{message}` on line {line}; there are:\n{}", run.stderr));
        }
    }
    let errors = run.stderr.lines().filter(|json| json.starts_with("{\"severity\":\"error\"")).count();
    if errors > file.errors.len() {
        return Err(format!("{errors} errors, {} expected:\n{}", file.errors.len(), run.stderr));
    }
    Ok(())
}

fn unescape(json: &str) -> String {
    json.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// `fmt` of `fmt` is `fmt`.
fn check_formatting(cairn: &Cairn, file: &TestFile) -> Result<(), String> {
    let extension = file.path.extension().and_then(|e| e.to_str()).unwrap_or("");
    if extension == "hex" {
        return Ok(());
    }
    let mut words = vec!["fmt"];
    if let Some(fork) = &file.fork {
        words.extend(["--evm-version", fork]);
    }
    let first = cairn.run_words(&words, &file.path)?;
    if first.code != 0 {
        return Err(format!("`fmt` fails:\n{}", first.stderr));
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join(format!("a.{extension}"));
    std::fs::write(&path, &first.stdout).map_err(|error| error.to_string())?;
    let second = cairn.run_words(&words, &path)?;
    if second.stdout != first.stdout {
        return Err(format!(
            "`fmt` is not a fixpoint:\n{}\n----\n{}\n{}",
            first.stdout, second.stdout, second.stderr
        ));
    }
    Ok(())
}

fn bless(file: &TestFile, text: &str, sections: &[(String, String)]) -> Result<(), String> {
    let blessed = file.with_sections(sections);
    if blessed == text {
        return Ok(());
    }
    std::fs::write(&file.path, blessed).map_err(|error| error.to_string())
}

fn compare(file: &TestFile, sections: &[(String, String)]) -> Result<(), String> {
    if file.sections.len() != sections.len() {
        return Err("the expectations do not match the `run:` lines; bless the file".into());
    }
    for ((wanted_command, wanted), (command, got)) in file.sections.iter().zip(sections) {
        let trim =
            |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned();
        if wanted_command != command || trim(wanted) != trim(got) {
            return Err(format!("`{command}` gives\n{got}\n---- instead of\n{wanted}"));
        }
    }
    Ok(())
}
