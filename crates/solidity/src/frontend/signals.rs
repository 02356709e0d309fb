//! A program that is told to end takes its front ends with it.
//!
//! Front ends lead process groups of their own, to which Ctrl-C does not go, and who ends one program (a build tool, a
//! service manager) ends that one only; a front end may work for minutes before it notices that nobody listens.

use std::io;

/// From now on, SIGINT and SIGTERM stop the front ends first and then end this program as they would have.
/// Elsewhere than on Unix this does nothing.
///
/// # Errors
/// When the system gives no way to wait for signals, or no thread.
pub fn end_with_this_program() -> io::Result<()> {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                // Held until the end, so that nobody takes a stopped front end for a broken one and says so.
                let _none_runs = super::children::stop_all();
                // It only returns where the signal cannot end a program.
                _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        })?;
    }
    Ok(())
}
