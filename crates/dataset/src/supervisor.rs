//! A worker process, seen from outside.
//!
//! Contract of [`Worker::next`]: it comes back with what the worker said, or with how it failed, within
//! the limits; a worker that failed is dead.

use crate::error::DatasetError;
use crate::frame::{Kind, receive, send};
use crate::spool::Hashed;
use crate::work::Limits;
use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use std::ffi::OsString;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// Messages that wait.
const AHEAD: usize = 64;
/// Bytes that are kept of what a worker writes to standard error, from its end.
const MAX_STDERR: usize = 4 << 10;
/// Lines of these that are told.
const MAX_STDERR_LINES: usize = 8;
/// How long standard error of a dead worker may stay open, which a process that it started can hold.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a worker says.
pub(crate) enum Said {
    /// It begins with this row of the task.
    Row(u32),
    /// Rows that are done.
    Result(RecordBatch),
    /// The task is done.
    End,
    /// It failed.
    Failed(Failure),
}

/// How a worker failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Died(String),
    TooLong(Duration),
    TooMuchMemory(u64),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Died(how) => write!(f, "the worker died: {how}"),
            Failure::TooLong(limit) => write!(f, "it took longer than {} s", limit.as_secs_f64()),
            Failure::TooMuchMemory(limit) => write!(f, "it took more than {} MiB of memory", limit >> 20),
        }
    }
}

pub(crate) struct Worker {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    messages: Receiver<(Kind, Vec<u8>)>,
    /// The end of its standard error, when that ends.
    errors: Receiver<Vec<u8>>,
    limits: Limits,
    /// When it said something.
    heard: Instant,
}

impl Worker {
    /// Starts a worker by a command line.
    pub(crate) fn start(command: &[OsString], order: &[u8], limits: Limits) -> Result<Worker, DatasetError> {
        let broken = |error: std::io::Error| DatasetError::Worker(error.to_string());
        let (program, arguments) =
            command.split_first().ok_or_else(|| DatasetError::Worker("no command line".to_owned()))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(broken)?;
        let input = child.stdin.take().map(|pipe| BufWriter::with_capacity(1 << 16, pipe));
        let output = child.stdout.take();
        let (sender, messages) = sync_channel(AHEAD);
        // Ends with the pipe, or when nobody listens.
        std::thread::spawn(move || {
            let mut output = BufReader::with_capacity(1 << 16, output?);
            while let Ok(Some(message)) = receive(&mut output) {
                sender.send(message).ok()?;
            }
            Some(())
        });
        let errors = child.stderr.take();
        let (last, written) = sync_channel(1);
        // Read as it comes, for a worker that nobody listens to would wait; ends with the pipe.
        std::thread::spawn(move || last.send(end_of(errors?)).ok());
        let mut worker = Worker { child, input, messages, errors: written, limits, heard: Instant::now() };
        // One that is dead already says so when it is asked for rows.
        _ = worker.send(|pipe| send(pipe, Kind::Order, &[order]));
        Ok(worker)
    }

    /// Gives it a task.
    pub(crate) fn begin(&mut self, codes: &[Hashed]) {
        self.heard = Instant::now();
        _ = self.send(|pipe| {
            codes.iter().try_for_each(|(hash, code)| send(pipe, Kind::Code, &[hash, code]))?;
            send(pipe, Kind::Begin, &[])?;
            pipe.flush()
        });
    }

    fn send(
        &mut self,
        write: impl FnOnce(&mut BufWriter<ChildStdin>) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let result = self.input.as_mut().map_or(Ok(()), write);
        if result.is_err() {
            self.input = None;
        }
        result
    }

    /// What it says next.
    pub(crate) fn next(&mut self) -> Said {
        loop {
            match self.messages.recv_timeout(LOOK) {
                Ok((kind, bytes)) => {
                    self.heard = Instant::now();
                    return self.said(kind, &bytes);
                }
                Err(RecvTimeoutError::Disconnected) => return self.died(),
                Err(RecvTimeoutError::Timeout) if self.heard.elapsed() > self.limits.time => {
                    self.end();
                    return Said::Failed(Failure::TooLong(self.limits.time));
                }
                Err(RecvTimeoutError::Timeout) if memory_of(&self.child) > self.limits.memory => {
                    self.end();
                    return Said::Failed(Failure::TooMuchMemory(self.limits.memory));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn said(&mut self, kind: Kind, bytes: &[u8]) -> Said {
        let nonsense = || Failure::Died("it said what makes no sense".to_owned());
        match kind {
            Kind::Row => match bytes.try_into() {
                Ok(number) => Said::Row(u32::from_le_bytes(number)),
                Err(_) => Said::Failed(nonsense()),
            },
            Kind::Result => {
                let batch = StreamReader::try_new(bytes, None).ok().and_then(|mut stream| stream.next());
                match batch {
                    Some(Ok(batch)) => Said::Result(batch),
                    _ => Said::Failed(nonsense()),
                }
            }
            Kind::End => Said::End,
            Kind::Order | Kind::Code | Kind::Begin => Said::Failed(nonsense()),
        }
    }

    fn died(&mut self) -> Said {
        self.input = None;
        let how = self.child.wait().map_or_else(|error| error.to_string(), |status| describe(&status));
        Said::Failed(Failure::Died(how))
    }

    /// The last lines that it wrote to standard error; it is dead.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        let written = self.errors.recv_timeout(PATIENCE).unwrap_or_default();
        let text = String::from_utf8_lossy(&written);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(MAX_STDERR_LINES)..].iter().map(|line| (*line).to_owned()).collect()
    }

    fn end(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads all there is and keeps the end.
fn end_of(mut pipe: impl Read) -> Vec<u8> {
    let (mut end, mut piece) = (Vec::new(), [0; 1 << 10]);
    loop {
        match pipe.read(&mut piece) {
            Ok(0) => return end,
            Ok(count) => end.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return end,
        }
        end.drain(..end.len().saturating_sub(MAX_STDERR));
    }
}

#[cfg(unix)]
fn describe(status: &ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "it is gone".to_owned(),
    }
}

#[cfg(not(unix))]
fn describe(status: &ExitStatus) -> String {
    status.to_string()
}

/// Bytes of memory that a process holds; 0 where the system does not tell.
fn memory_of(child: &Child) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
