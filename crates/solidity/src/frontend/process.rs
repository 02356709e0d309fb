//! A running program with pipes that cannot block each other: what it is sent and what it says
//! pass through threads of their own, and waiting has an end: in time, or when its answer is wanted no more ([`Stop`]).
//!
//! The program is stopped when the value is dropped.

use crate::frontend::children::RunningChild;
use crate::frontend::fault::Fault;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Set for all programs that run as front ends, to the path of the front end: a wrapper that calls
/// this program as its solc is found out by it.
pub const CALLER: &str = "CAIRN_FRONT_END";

/// How much of standard error is kept, in bytes.
const KEPT: usize = 16 << 10;
/// How many of its last lines are told, and how many characters of each.
const TOLD_LINES: usize = 5;
const TOLD_WIDTH: usize = 400;
/// How often it is looked whether a silent program still runs.
const BEAT: Duration = Duration::from_millis(200);
/// How long output may still come after the program has ended.
const GRACE: Duration = Duration::from_secs(10);
/// How long a program may take to end after its last word.
const FAREWELL: Duration = Duration::from_secs(5);

/// A program that runs, and what its output is read as.
pub(super) struct Process<T> {
    name: PathBuf,
    child: RunningChild,
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<T>,
    errors: Arc<Mutex<Vec<u8>>>,
    error_reader: Option<JoinHandle<()>>,
}

/// Whether answers are still wanted; clones tell each other.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on none is.
    pub fn tell(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True when none is.
    pub fn is_told(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// When waiting ends.
#[derive(Clone, Debug)]
pub(super) struct Deadline {
    end: Option<Instant>,
    after: Duration,
    stop: Stop,
}

impl Deadline {
    /// From now on; absent: never.
    pub(super) fn within(limit: Option<Duration>) -> Deadline {
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        Deadline { end, after: limit.unwrap_or_default(), stop: Stop::default() }
    }

    /// It ends as well when the answer is wanted no more.
    pub(super) fn or(self, stop: &Stop) -> Deadline {
        Deadline { stop: stop.clone(), ..self }
    }

    fn left(&self) -> Duration {
        self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }
}

impl<T: Send + 'static> Process<T> {
    /// Starts `command`, which messages call `name`. `reader` runs in a thread of its own: it reads
    /// standard output and hands over what it finds.
    ///
    /// # Errors
    /// When it does not start.
    pub(super) fn start(
        name: &Path,
        mut command: Command,
        reader: impl FnOnce(ChildStdout, &Sender<T>) + Send + 'static,
    ) -> Result<Process<T>, Fault> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).env(CALLER, name);
        let why = |error: io::Error| cannot_start(name, &error);
        let child = RunningChild::start(&mut command, spawn).map_err(why)?;
        let (stdin, stdout, stderr) = child.take_pipes();
        let (said, output) = channel();
        if let Some(stdout) = stdout {
            thread::spawn(move || reader(stdout, &said));
        }
        let errors = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&errors);
        let error_reader = stderr.map(|stderr| thread::spawn(move || keep_last(stderr, &kept)));
        let input = stdin.map(writer);
        Ok(Process { name: name.to_path_buf(), child, input, output, errors, error_reader })
    }

    /// Sends `bytes`, without waiting. What the program does not take is lost: its answer, or the
    /// lack of one, tells why.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            let _ = input.send(bytes);
        }
    }

    /// Ends standard input after what was sent.
    pub(super) fn end_input(&mut self) {
        self.input = None;
    }

    /// What the reader hands over next; `None` when nothing comes any more.
    ///
    /// # Errors
    /// [`Fault::Hung`] when nothing comes in time, [`Fault::Stopped`] when it is wanted no more.
    pub(super) fn receive(&mut self, deadline: &Deadline) -> Result<Option<T>, Fault> {
        let mut ended: Option<Instant> = None;
        loop {
            if deadline.stop.is_told() {
                let _ = self.child.kill();
                return Err(Fault::Stopped);
            }
            match self.output.recv_timeout(deadline.left().min(BEAT)) {
                Ok(item) => return Ok(Some(item)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if deadline.left().is_zero() {
                let _ = self.child.kill();
                return Err(Fault::Hung { program: self.name.clone(), after: deadline.after });
            }
            // Something that it started may hold its output open.
            if matches!(self.child.try_wait(), Ok(Some(_)))
                && ended.get_or_insert_with(Instant::now).elapsed() > GRACE
            {
                return Ok(None);
            }
        }
    }

    /// Waits until it ends, after it has said all; stops it where it does not.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        self.input = None;
        let start = Instant::now();
        while start.elapsed() < FAREWELL {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(if start.elapsed().as_millis() < 50 { 1 } else { 10 }));
        }
        self.child.stop()
    }

    /// Why it gave no answer: how it ended, and what it said last. `said` is its own reason, where
    /// it gave one.
    pub(super) fn fault(&mut self, said: Option<&str>) -> Fault {
        let how = match self.end() {
            _ if said.is_some() => format!("failed: {}", said.unwrap_or_default()),
            Ok(status) => describe(status),
            Err(error) => format!("is lost: {error}"),
        };
        Fault::Crashed { program: self.name.clone(), how, stderr: self.last_words() }
    }

    fn last_words(&mut self) -> String {
        let start = Instant::now();
        while self.error_reader.as_ref().is_some_and(|reader| !reader.is_finished())
            && start.elapsed() < Duration::from_secs(1)
        {
            thread::sleep(Duration::from_millis(5));
        }
        let kept = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(TOLD_LINES)..];
        let cut = |line: &&str| line.chars().take(TOLD_WIDTH).collect::<String>();
        last.iter().map(cut).collect::<Vec<_>>().join("\n")
    }
}

/// Starts the command; a program that is just being written is tried again for a moment.
fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..50 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
    command.spawn()
}

fn cannot_start(name: &Path, error: &io::Error) -> Fault {
    let mut why = error.to_string();
    if error.kind() == io::ErrorKind::NotFound && name.exists() {
        why.push_str("; what should run it (an interpreter or loader) is absent");
    }
    Fault::CannotStart { program: name.to_path_buf(), why }
}

fn writer(mut stdin: ChildStdin) -> Sender<Vec<u8>> {
    let (sender, bytes) = channel::<Vec<u8>>();
    thread::spawn(move || {
        for bytes in bytes {
            if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

fn keep_last(mut stderr: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..count]);
        let excess = kept.len().saturating_sub(KEPT);
        kept.drain(..excess);
    }
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was killed by signal {signal}{}", signal_name(signal));
    }
    match status.code() {
        Some(0) => "ended without an answer".to_owned(),
        Some(code) => format!("exited with status {code}"),
        None => format!("ended: {status}"),
    }
}

#[cfg(unix)]
fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 | 10 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL; perhaps for lack of memory)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}
