//! Runs programs that a mutant may have broken: they end in time, with bounded memory, and as soon as
//! enough of what they print is known.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Kilobytes of address space of each process.
const MEMORY: u64 = 6_000_000;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Success,
    Failure,
    /// Its lines were enough.
    Stopped,
    TimedOut,
}

/// What becomes of a program after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    GoOn,
    Stop,
}

/// A command that runs a program with bounded memory.
pub(super) fn bounded(program: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")]).arg(program);
    command
}

/// Runs a command, shows its lines as they come, and ends it, with all that it started, where a line is
/// the last one wanted or the next one does not come in time. `None` where it does not start.
pub(super) fn watch(
    command: &mut Command,
    limit: Duration,
    mut on_line: impl FnMut(&str) -> Next,
) -> Option<End> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(stdout).split(b'\n').map_while(Result::ok);
        lines.map(|line| String::from_utf8_lossy(&line).into_owned()).all(|line| sender.send(line).is_ok())
    });
    let begin = Instant::now();
    let end = loop {
        match lines.recv_timeout(limit.saturating_sub(begin.elapsed())) {
            Ok(line) if on_line(&line) == Next::Stop => break End::Stopped,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => break End::TimedOut,
            Err(RecvTimeoutError::Disconnected) => {
                return Some(if child.wait().ok()?.success() { End::Success } else { End::Failure });
            }
        }
    };
    kill_group(&mut child);
    Some(end)
}

/// Ends a process and those that it started: tests run the command line.
fn kill_group(child: &mut Child) {
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expected: End, n_lines: usize) {
        let mut command = bounded(Path::new("sh"));
        command.args(["-c", script]);
        let mut seen = 0;
        let end = watch(&mut command, Duration::from_millis(1500), |line| {
            seen += 1;
            if line == "enough" { Next::Stop } else { Next::GoOn }
        });
        assert_eq!((end, seen), (Some(expected), n_lines), "{script}");
    }

    #[test]
    fn ends_are_told_apart() {
        check("echo a; echo b", End::Success, 2);
        check("echo a; exit 3", End::Failure, 1);
        check("echo a; echo enough; sleep 60", End::Stopped, 2);
        check("echo a; sleep 60", End::TimedOut, 1);
    }
}
