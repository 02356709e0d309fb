//! A native solc: one process for each request.

use crate::frontend::access::{FileAccess, Imports};
use crate::frontend::fault::Fault;
use crate::frontend::process::{Deadline, Process, Stop};
use crate::frontend::version;
use semver::Version;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command};
use std::sync::mpsc::Sender;
use std::time::Duration;

/// From this version on, `--no-import-callback` exists.
const NO_IMPORT_CALLBACK: Version = Version::new(0, 8, 22);
/// The longest answer that is read, in bytes.
const MAX_ANSWER: u64 = 4 << 30;
/// The longest text in which a version is looked for, in bytes.
const MAX_VERSION: u64 = 64 << 10;

/// A native solc and how it is called.
pub(super) struct Native {
    program: PathBuf,
    arguments: Vec<OsString>,
    patience: Option<Duration>,
    stop: Stop,
    /// An empty folder, where versions that cannot go without files look for them.
    _nowhere: Option<tempfile::TempDir>,
}

impl Native {
    pub(super) fn new(
        program: &Path,
        version: &Version,
        access: &FileAccess,
        patience: Option<Duration>,
        stop: &Stop,
    ) -> Result<Native, Fault> {
        let (arguments, nowhere) = arguments(version, access)
            .map_err(|error| Fault::CannotStart { program: program.to_path_buf(), why: error.to_string() })?;
        let (program, stop) = (program.to_path_buf(), stop.clone());
        Ok(Native { program, arguments, patience, stop, _nowhere: nowhere })
    }

    pub(super) fn compile(&self, request: &str) -> Result<String, Fault> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        let mut process = Process::start(&self.program, command, read_answer)?;
        process.send(request.as_bytes().to_vec());
        process.end_input();
        let answer = process.receive(&Deadline::within(self.patience).or(&self.stop))?.unwrap_or_default();
        if !matches!(process.end(), Ok(status) if status.success()) {
            return Err(process.fault(None));
        }
        match answer.trim_ascii() {
            [] => Err(process.fault(None)),
            [b'{', .., b'}'] => Ok(text(answer)),
            _ => Err(Fault::garbage_of(&self.program, &answer)),
        }
    }
}

/// What `--version` of `program` says.
pub(super) fn ask_version(program: &Path, patience: Option<Duration>) -> Result<Version, Fault> {
    let mut command = Command::new(program);
    command.arg("--version");
    let reader = |stdout: ChildStdout, said: &Sender<Vec<u8>>| {
        let mut text = Vec::new();
        let _ = stdout.take(MAX_VERSION).read_to_end(&mut text);
        let _ = said.send(text);
    };
    let mut process = Process::start(program, command, reader)?;
    process.end_input();
    let said = process.receive(&Deadline::within(patience))?.unwrap_or_default();
    if !matches!(process.end(), Ok(status) if status.success()) {
        return Err(process.fault(None));
    }
    let said = String::from_utf8_lossy(&said);
    let known = version::parse(&said).filter(|version| !version.build.is_empty());
    known.ok_or_else(|| Fault::NotUsable {
        path: program.to_path_buf(),
        why: "its `--version` names no version of solc".to_owned(),
    })
}

fn arguments(
    version: &Version,
    access: &FileAccess,
) -> std::io::Result<(Vec<OsString>, Option<tempfile::TempDir>)> {
    let mut arguments: Vec<OsString> = vec!["--standard-json".into()];
    if access.imports == Imports::Given && version.cmp_precedence(&NO_IMPORT_CALLBACK).is_ge() {
        arguments.push("--no-import-callback".into());
        return Ok((arguments, None));
    }
    if access.imports == Imports::Given {
        let nowhere = tempfile::tempdir()?;
        arguments.extend(["--base-path".into(), nowhere.path().into()]);
        return Ok((arguments, Some(nowhere)));
    }
    match access.base() {
        Some(base) => arguments.extend(["--base-path".into(), base.into()]),
        // solc takes include paths only together with a base path.
        None if !access.include_paths.is_empty() => arguments.extend(["--base-path".into(), ".".into()]),
        None => {}
    }
    for path in &access.include_paths {
        arguments.extend(["--include-path".into(), path.into()]);
    }
    if !access.allow_paths.is_empty() {
        let paths: Vec<_> = access.allow_paths.iter().map(|path| path.as_os_str()).collect();
        arguments.extend(["--allow-paths".into(), paths.join(std::ffi::OsStr::new(","))]);
    }
    Ok((arguments, None))
}

/// Reads all; an answer that does not begin as JSON is cut off early.
fn read_answer(mut stdout: ChildStdout, said: &Sender<Vec<u8>>) {
    let mut answer = Vec::new();
    let _ = (&mut stdout).take(1 << 10).read_to_end(&mut answer);
    if matches!(answer.trim_ascii_start(), [b'{', ..]) {
        let _ = stdout.take(MAX_ANSWER).read_to_end(&mut answer);
    }
    let _ = said.send(answer);
}

pub(super) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
