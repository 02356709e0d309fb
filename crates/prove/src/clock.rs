//! Processor time: what is proven in so many seconds must not depend on what else a machine does.
//!
//! Counted is what the thread of a proof has run, and what solvers have for it. Where a system does not tell
//! that, it is time on the clock; and so that nobody waits for ever for a process that does nothing, that is
//! bounded everywhere ([`PATIENCE`]).

use std::time::{Duration, Instant};

/// Time on the clock, at most, for a second of processor time.
pub(crate) const PATIENCE: u32 = 10;

/// Parts of a second in which the system counts what a process has run.
#[cfg(target_os = "linux")]
const TICKS: u64 = 100;

/// What the thread that asks has run so far.
#[cfg(target_os = "linux")]
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// Time since the process first asked.
#[cfg(not(target_os = "linux"))]
pub fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// What another process has run so far; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn time_of_process(id: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    ticks(&text).map(|ticks| Duration::from_millis(ticks * 1000 / TICKS))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn time_of_process(_: u32) -> Option<Duration> {
    None
}

/// What a process has run by itself and in the system, of the line that Linux has for it.
#[cfg(target_os = "linux")]
fn ticks(text: &str) -> Option<u64> {
    // The name may have spaces and parentheses of its own.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11).map(str::parse::<u64>);
    Some(fields.next()?.ok()? + fields.next()?.ok()?)
}

/// The time of one proof.
pub(crate) struct Clock {
    thread: Duration,
    wall: Instant,
}

impl Clock {
    /// Begins now, on the thread that is to be watched.
    pub(crate) fn start() -> Self {
        Clock { thread: processor_time(), wall: Instant::now() }
    }

    /// How much there was, with what solvers took.
    pub(crate) fn elapsed(&self, solvers: Duration) -> Duration {
        let thread = processor_time().saturating_sub(self.thread);
        // Without processor time the thread's is that of waiting, too.
        let own = if cfg!(target_os = "linux") { thread + solvers } else { thread };
        own.max(self.wall.elapsed() / PATIENCE)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn lines_of_processes_are_read() {
        let text = "12 (a) b (c) S 1 12 12 0 -1 4194560 100 0 0 0 250 31 0 0 20 0 1 0 5 6 7";
        assert_eq!(ticks(text), Some(281));
        assert_eq!(ticks("12 (a) S 1"), None);
        assert!(time_of_process(std::process::id()).is_some());
    }

    #[test]
    fn waiting_is_no_work() {
        let clock = Clock::start();
        std::thread::sleep(Duration::from_millis(200));
        let waited = clock.elapsed(Duration::ZERO);
        assert!(waited < Duration::from_millis(100), "{waited:?}");
        assert!(clock.elapsed(Duration::from_secs(3)) >= Duration::from_secs(3));
    }
}
