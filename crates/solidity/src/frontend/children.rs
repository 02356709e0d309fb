//! The front ends that run, so that all can be stopped before this program ends in a way that drops nothing.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All that run. It is never locked under a child's own lock.
static RUNNING: Mutex<Vec<Arc<Mutex<Child>>>> = Mutex::new(Vec::new());

/// A front end that runs. It is stopped when the value is dropped, and by [`stop_all`].
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
        lock(&self.0).kill()
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
    child.kill()?;
    child.wait()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
