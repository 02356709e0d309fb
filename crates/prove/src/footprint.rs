//! How much memory a proof takes: one that grows without end is given up before the machine has none left.
//!
//! Counted is by how much the process has grown since the proof began, so what other threads prove at once counts,
//! too, and what a proof has left behind does not. Where the system does not tell, nothing is counted.

use std::cell::Cell;
use std::time::Duration;

/// How often the memory is looked at.
const INTERVAL: Duration = Duration::from_millis(50);

/// The growth of the process since a proof began.
pub(crate) struct Footprint {
    before: u64,
    looked: Cell<Duration>,
}

impl Footprint {
    /// Begins now.
    pub(crate) fn start() -> Self {
        Footprint { before: kilobytes().unwrap_or(0), looked: Cell::new(Duration::ZERO) }
    }

    /// True if it has grown by more than so many megabytes, where that is to be looked at again.
    pub(crate) fn is_beyond(&self, megabytes: u64, elapsed: Duration) -> bool {
        if elapsed < self.looked.get() + INTERVAL {
            return false;
        }
        self.looked.set(elapsed);
        kilobytes().is_some_and(|now| now.saturating_sub(self.before) > megabytes * 1024)
    }
}

/// What the process has in memory.
#[cfg(target_os = "linux")]
fn kilobytes() -> Option<u64> {
    resident(&std::fs::read_to_string("/proc/self/status").ok()?)
}

#[cfg(not(target_os = "linux"))]
fn kilobytes() -> Option<u64> {
    None
}

/// What is resident, of the text that Linux has for a process.
#[cfg(target_os = "linux")]
fn resident(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim_end().parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn growth_is_seen() {
        assert_eq!(resident("Name:\tx\nVmRSS:\t   1234 kB\nThreads:\t1"), Some(1234));
        assert_eq!(resident("Name:\tx"), None);
        let footprint = Footprint::start();
        let grown = vec![1u8; 600 << 20];
        assert!(grown.iter().step_by(4096).all(|byte| *byte == 1));
        let second = Duration::from_secs(1);
        assert!(footprint.is_beyond(300, second));
        // So soon it is not looked at again.
        assert!(!footprint.is_beyond(300, second));
        assert!(!footprint.is_beyond(900, second * 2));
    }
}
