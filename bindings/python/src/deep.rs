//! Work without Python: on a thread with a deep stack, while the caller listens for Ctrl-C.

use crate::error;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Stack of a thread that works: enough for the deepest nesting that the parsers accept. It is
/// address space; memory is what is used of it.
const STACK_BYTES: usize = 256 << 20;
/// Between two looks at signals.
const TICK: Duration = Duration::from_millis(100);

/// A thread with a deep stack.
pub(crate) fn thread() -> std::thread::Builder {
    std::thread::Builder::new().name("cairn".into()).stack_size(STACK_BYTES)
}

/// Does `work`, which may look whether it is to stop.
///
/// # Errors
/// A signal came, whose handler raised; or Cairn has a fault.
pub(crate) fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    run_watched(py, work, |_| Ok(()))
}

/// The same; `tick` is called from time to time in the thread of the caller, and can stop the work.
///
/// # Errors
/// Those of [`run`] and those of `tick`.
pub(crate) fn run_watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
    tick: impl Fn(Python<'_>) -> PyResult<()> + Sync,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let result = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, is_done) = channel();
            let stop = &stop;
            let worker = move || {
                let result = catch_unwind(AssertUnwindSafe(|| work(stop)));
                // The receiver waits for it.
                _ = done.send(());
                result
            };
            let worker = thread().spawn_scoped(scope, worker);
            let worker = worker.map_err(|error| error::plain(&format!("cannot start a thread: {error}")))?;
            let mut interrupt = None;
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let outcome = Python::attach(|py| py.check_signals().and_then(|()| tick(py)));
                if let Err(raised) = outcome {
                    stop.store(true, Ordering::Relaxed);
                    interrupt.get_or_insert(raised);
                }
            }
            let result = worker.join().and_then(|result| result);
            match interrupt {
                Some(raised) => Err(raised),
                None => result.map_err(|payload| error::bug(text_of(payload.as_ref()))),
            }
        })
    })?;
    tick(py)?;
    Ok(result)
}

/// What a panic said.
pub(crate) fn text_of(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown")
}
