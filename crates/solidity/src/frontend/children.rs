//! The front ends that run, so that all can be stopped before this program ends in a way that drops nothing.
//!
//! On Unix each leads a process group: a front end that is a script is stopped with what it started.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All that run. It is never locked under a child's own lock.
static RUNNING: Mutex<Vec<Arc<Mutex<Child>>>> = Mutex::new(Vec::new());

/// A front end that runs. It is stopped, with what it started, when the value is dropped, and by [`stop_all`].
pub(super) struct RunningChild(Arc<Mutex<Child>>);

impl RunningChild {
    /// Starts a program by `spawn`.
    ///
    /// # Errors
    /// Those of `spawn`.
    pub(super) fn start(
        command: &mut Command,
        spawn: impl FnOnce(&mut Command) -> io::Result<Child>,
    ) -> io::Result<RunningChild> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        // Locked before it starts: `stop_all` misses none.
        let mut running = lock(&RUNNING);
        let child = Arc::new(Mutex::new(spawn(command)?));
        running.push(Arc::clone(&child));
        Ok(RunningChild(child))
    }

    /// Its pipes, the first time.
    pub(super) fn take_pipes(&self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let mut child = lock(&self.0);
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    /// How it ended; `None` while it runs.
    pub(super) fn try_wait(&self) -> io::Result<Option<ExitStatus>> {
        lock(&self.0).try_wait()
    }

    /// Stops it, without waiting for its end.
    pub(super) fn kill(&self) -> io::Result<()> {
        kill(&mut lock(&self.0))
    }

    /// Stops it, and waits for its end.
    pub(super) fn stop(&self) -> io::Result<ExitStatus> {
        stop(&self.0)
    }
}

impl Drop for RunningChild {
    fn drop(&mut self) {
        let _ = self.stop();
        lock(&RUNNING).retain(|child| !Arc::ptr_eq(child, &self.0));
    }
}

/// Proof that no front end runs. While it lives none starts, and who waits for one that was stopped goes on
/// waiting.
pub(super) struct NoneRuns {
    _running: MutexGuard<'static, Vec<Arc<Mutex<Child>>>>,
}

/// Stops all front ends of this process.
pub(super) fn stop_all() -> NoneRuns {
    let running = lock(&RUNNING);
    for child in &*running {
        let _ = stop(child);
    }
    NoneRuns { _running: running }
}

fn stop(child: &Mutex<Child>) -> io::Result<ExitStatus> {
    let mut child = lock(child);
    kill(&mut child)?;
    child.wait()
}

/// Kills a program with its group, as long as nobody has asked how it ended: afterwards its number may be another's.
fn kill(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    if child.try_wait()?.is_none() {
        use rustix::process::{Pid, Signal, kill_process_group};
        return Ok(kill_process_group(Pid::from_child(child), Signal::KILL)?);
    }
    child.kill()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::process::{Pid, test_kill_process};
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    /// What a script started ends with it.
    #[test]
    fn a_front_end_is_stopped_with_what_it_started() {
        let mut script = Command::new("sh");
        script.args(["-c", "sleep 300 & echo $!; wait"]).stdout(Stdio::piped());
        let child = RunningChild::start(&mut script, Command::spawn).expect("a shell");
        let (_, stdout, _) = child.take_pipes();
        let mut line = String::new();
        BufReader::new(stdout.expect("its output")).read_line(&mut line).expect("a number");
        let started = Pid::from_raw(line.trim().parse().expect("a number")).expect("not 0");
        assert!(test_kill_process(started).is_ok());
        drop(child);
        let end = Instant::now() + Duration::from_secs(10);
        // Who takes over what has lost its parent may be slow to ask how it ended.
        while test_kill_process(started).is_ok() && !is_zombie(started) {
            assert!(Instant::now() < end, "it still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// True of a process that has ended and was not asked for; where this is not told, false.
    fn is_zombie(process: Pid) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
        stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
    }
}
