//! `soljson.js`: one `node` that keeps it loaded and serves all requests.
//!
//! Messages have a mark that no text has, so that what else is printed does no harm. The program
//! asks for files by messages too: names are resolved here.

use crate::frontend::access::{FileAccess, Imports};
use crate::frontend::fault::Fault;
use crate::frontend::native::text;
use crate::frontend::process::{Deadline, Process, Stop};
use crate::frontend::version;
use semver::Version;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command};
use std::sync::mpsc::Sender;
use std::time::Duration;

/// What `node` runs.
const SCRIPT: &str = include_str!("soljson.cjs");
/// What each message begins with.
const MARK: &[u8; 8] = b"\0\xffCAIRN\0";
/// The longest request, in bytes: more does not fit into the memory of `soljson.js`.
const MAX_REQUEST: usize = 2 << 30;

/// A `soljson.js` and the process that runs it.
pub(super) struct Soljson {
    node: PathBuf,
    file: PathBuf,
    access: FileAccess,
    patience: Option<Duration>,
    stop: Stop,
    version: Version,
    /// Absent after a fault, until the next request.
    process: Option<Process<Message>>,
}

/// A message of the process.
struct Message {
    kind: u8,
    body: Vec<u8>,
}

impl Soljson {
    /// Starts it and waits until it is loaded.
    pub(super) fn start(
        node: &Path,
        file: &Path,
        access: &FileAccess,
        patience: Option<Duration>,
        stop: &Stop,
    ) -> Result<Soljson, Fault> {
        let (process, version) = launch(node, file, access.imports, patience)?;
        let (node, file, access) = (node.to_path_buf(), file.to_path_buf(), access.clone());
        Ok(Soljson { node, file, access, patience, stop: stop.clone(), version, process: Some(process) })
    }

    /// The version that it says it is.
    pub(super) fn version(&self) -> &Version {
        &self.version
    }

    pub(super) fn compile(&mut self, request: &str) -> Result<String, Fault> {
        if request.len() > MAX_REQUEST {
            let why = format!("cannot take {} MB at once", request.len() >> 20);
            return Err(Fault::NotUsable { path: self.file.clone(), why });
        }
        let mut process = match self.process.take() {
            Some(process) => process,
            None => launch(&self.node, &self.file, self.access.imports, self.patience)?.0,
        };
        send(&process, b'C', request.as_bytes());
        let deadline = Deadline::within(self.patience).or(&self.stop);
        loop {
            let message = process.receive(&deadline)?;
            match message.as_ref().map(|message| message.kind) {
                Some(b'R') => self.serve(&process, &message.map(|message| message.body).unwrap_or_default()),
                Some(b'A') => {
                    self.process = Some(process);
                    return self.answer(message.map(|message| message.body).unwrap_or_default());
                }
                _ => return Err(failure(&mut process, message)),
            }
        }
    }

    fn serve(&self, process: &Process<Message>, name: &[u8]) {
        match self.access.read(&String::from_utf8_lossy(name)) {
            Ok(contents) => send(process, b'F', &contents),
            Err(why) => send(process, b'N', why.as_bytes()),
        }
    }

    fn answer(&self, answer: Vec<u8>) -> Result<String, Fault> {
        match answer.trim_ascii() {
            [b'{', .., b'}'] => Ok(text(answer)),
            _ => Err(Fault::garbage_of(&self.file, &answer)),
        }
    }
}

/// Starts `node` and waits for its version.
fn launch(
    node: &Path,
    file: &Path,
    imports: Imports,
    patience: Option<Duration>,
) -> Result<(Process<Message>, Version), Fault> {
    let mut command = Command::new(node);
    command.args(["-e", SCRIPT, "--"]).arg(file).arg(match imports {
        Imports::FromFiles => "files",
        Imports::Given => "given",
    });
    // What others have `node` load or measure is not meant for this one.
    for variable in ["NODE_OPTIONS", "NODE_V8_COVERAGE", "NODE_DEBUG"] {
        command.env_remove(variable);
    }
    let mut process = Process::start(node, command, read_messages)?;
    match process.receive(&Deadline::within(patience))? {
        Some(Message { kind: b'V', body }) => {
            let said = String::from_utf8_lossy(&body);
            let known = version::parse(&said).filter(|version| !version.build.is_empty());
            Ok((process, known.ok_or_else(|| Fault::garbage_of(file, &body))?))
        }
        message => Err(match failure(&mut process, message) {
            Fault::Crashed { how, stderr, .. } => Fault::Crashed { program: file.to_path_buf(), how, stderr },
            other => other,
        }),
    }
}

fn failure(process: &mut Process<Message>, message: Option<Message>) -> Fault {
    let said = message.map(|message| text(message.body));
    process.fault(said.as_deref())
}

fn send(process: &Process<Message>, kind: u8, body: &[u8]) {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    let mut message = Vec::with_capacity(MARK.len() + 5 + body.len());
    message.extend_from_slice(MARK);
    message.push(kind);
    message.extend_from_slice(&length.to_be_bytes());
    message.extend_from_slice(body);
    process.send(message);
}

/// Hands over each message, skipping all between them.
fn read_messages(stdout: ChildStdout, said: &Sender<Message>) {
    let mut input = BufReader::with_capacity(1 << 16, stdout);
    while skip_to_mark(&mut input).is_some() {
        let mut head = [0; 5];
        if input.read_exact(&mut head).is_err() {
            return;
        }
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let mut body = Vec::new();
        let read = (&mut input).take(length.into()).read_to_end(&mut body);
        if !matches!(read, Ok(count) if count == length as usize) {
            return;
        }
        if said.send(Message { kind: head[0], body }).is_err() {
            return;
        }
    }
}

fn skip_to_mark(input: &mut impl BufRead) -> Option<()> {
    let mut matched = 0;
    while matched < MARK.len() {
        let buffer = input.fill_buf().ok().filter(|buffer| !buffer.is_empty())?;
        let mut used = 0;
        for byte in buffer {
            used += 1;
            matched = match *byte {
                byte if byte == MARK[matched] => matched + 1,
                // Of the mark's bytes only the first begins it again.
                0 => 1,
                _ => 0,
            };
            if matched == MARK.len() {
                break;
            }
        }
        input.consume(used);
    }
    Some(())
}
