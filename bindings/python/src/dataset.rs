//! Data sets: the driver of `cairn-dataset`, with this Python as its worker processes.

use crate::code::{fork, role};
use crate::{deep, error};
use cairn_columns::Facts;
use cairn_dataset::{Job, Limits, Phase, Progress, Task, Workers};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What a job is asked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request {
    input: PathBuf,
    output: PathBuf,
    task: String,
    facts: String,
    level: String,
    runs: u64,
    column: Option<String>,
    keep: Vec<String>,
    evm_version: Option<String>,
    role: Option<String>,
    threads: usize,
    row_seconds: f64,
    row_megabytes: u64,
    worker: Vec<OsString>,
}

impl Request {
    fn job(self) -> PyResult<Job> {
        let task = match self.task.as_str() {
            "analyze" => Task::Analyze(self.facts.parse::<Facts>().map_err(error::of)?),
            "recompile" => Task::Recompile(self.level.parse().map_err(error::of::<String>)?, self.runs),
            "lift" => Task::Lift,
            other => return Err(error::plain(&format!("unknown task `{other}`"))),
        };
        let time = Duration::try_from_secs_f64(self.row_seconds).map_err(error::of)?;
        let mut job = Job::new(self.input, self.output, task);
        job.column = self.column;
        job.keep = self.keep;
        job.fork = fork(self.evm_version.as_deref())?;
        job.role = role(self.role.as_deref())?;
        job.threads = self.threads;
        job.limits = Limits { time, memory: self.row_megabytes.saturating_mul(1 << 20) };
        job.workers = Workers::Processes(self.worker);
        Ok(job)
    }
}

/// Does a job: rows, distinct codes, failed codes. `progress` hears the phase, what is done, and of
/// how much.
#[pyfunction]
pub(crate) fn run_dataset(
    py: Python<'_>,
    request: Request,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, u64, u64)> {
    let job = request.job()?;
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
