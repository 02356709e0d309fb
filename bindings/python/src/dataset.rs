//! Data sets: the driver of `cairn-dataset`, with this Python as its worker processes.

use crate::{deep, error, lane};
use cairn_dataset::{Job, Phase, Progress, Work};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// Where a job reads and writes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request {
    input: PathBuf,
    output: PathBuf,
    column: Option<String>,
    keep: Vec<String>,
    threads: usize,
}

/// Does a job: rows, distinct codes, failed codes. `progress` hears the phase, what is done, and of
/// how much.
#[pyfunction]
pub(crate) fn run_dataset(
    py: Python<'_>,
    request: Request,
    work: lane::Request,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, u64, u64)> {
    let Request { input, output, column, keep, threads } = request;
    let Work { task, fork, role, workers, limits } = work.work()?;
    let job = Job { input, output, column, keep, task, fork, role, threads, workers, limits };
    let latest: Mutex<Option<Progress>> = Mutex::new(None);
    let tick = |py: Python<'_>| {
        let news = latest.lock().unwrap_or_else(|poison| poison.into_inner()).take();
        let (Some(news), Some(progress)) = (news, &progress) else { return Ok(()) };
        let phase = match news.phase {
            Phase::Reading => "reading",
            Phase::Working => "working",
        };
        progress.call1(py, (phase, news.done, news.total)).map(drop)
    };
    let summary = deep::run_watched(
        py,
        |stop| {
            cairn_dataset::run(&job, &|news| {
                *latest.lock().unwrap_or_else(|poison| poison.into_inner()) = Some(news);
                match stop.load(Ordering::Relaxed) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })
        },
        tick,
    )?;
    let summary = summary.map_err(error::of)?;
    Ok((summary.rows, summary.distinct, summary.failed))
}

/// Is a worker process until standard input ends.
#[pyfunction]
pub(crate) fn work(py: Python<'_>) -> PyResult<()> {
    Ok(deep::run(py, |_| cairn_dataset::work())??)
}
