//! Work in a worker process for whoever hands over codes: engines that cut data themselves.

use crate::batch::{Rows, Shape};
use crate::code::{fork, role};
use crate::table::Table;
use crate::{deep, error};
use cairn_columns::Facts;
use cairn_dataset::{DatasetError, DistinctLane, Limits, Task, Work, Workers};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyArray;
use std::ffi::OsString;
use std::sync::Mutex;
use std::time::Duration;

/// What becomes of codes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request {
    task: String,
    facts: String,
    level: String,
    runs: u64,
    evm_version: Option<String>,
    role: Option<String>,
    row_seconds: f64,
    row_megabytes: u64,
    worker: Vec<OsString>,
}

impl Request {
    pub(crate) fn work(self) -> PyResult<Work> {
        let task = match self.task.as_str() {
            "analyze" => Task::Analyze(self.facts.parse::<Facts>().map_err(error::of)?),
            "recompile" => Task::Recompile(self.level.parse().map_err(error::of::<String>)?, self.runs),
            "lift" => Task::Lift,
            other => return Err(error::plain(&format!("unknown task `{other}`"))),
        };
        let time = Duration::try_from_secs_f64(self.row_seconds).map_err(error::of)?;
        Ok(Work {
            task,
            fork: fork(self.evm_version.as_deref())?,
            role: role(self.role.as_deref())?,
            workers: Workers::Processes(self.worker),
            limits: Limits { time, memory: self.row_megabytes.saturating_mul(1 << 20) },
        })
    }
}

/// Bytes of codes and results that a lane remembers.
const MEMORY_BYTES: usize = 256 << 20;

/// A worker process, which starts with the first codes and in whose place another comes if it dies.
#[pyclass(frozen, module = "cairn")]
pub(crate) struct Lane(Mutex<DistinctLane>);

#[pymethods]
impl Lane {
    #[new]
    fn new(request: Request) -> PyResult<Lane> {
        let lane = cairn_dataset::Lane::new(request.work()?).map_err(error::of)?;
        Ok(Lane(Mutex::new(DistinctLane::new(lane, MEMORY_BYTES))))
    }

    /// A result without rows.
    fn empty(&self) -> PyResult<Table> {
        let mut lane = self.0.lock().unwrap_or_else(|poison| poison.into_inner());
        Ok(Table::flat(lane.lane().schema().map_err(error::of)?, Vec::new()))
    }

    /// Works on each row of a column of codes; with `distinct` once on those that are equal, now and in later
    /// calls.
    #[pyo3(signature = (codes, *, distinct=false))]
    fn work_on(&self, py: Python<'_>, codes: AnyArray, distinct: bool) -> PyResult<Table> {
        let reader = codes.into_reader()?;
        let shape = Shape::of(&reader.field(), None, &[])?;
        let mut rows = Vec::new();
        for array in reader {
            shape.cut(&array.map_err(error::of)?, &mut rows)?;
        }
        let made = deep::run(py, |_| {
            let mut lane = self.0.lock().unwrap_or_else(|poison| poison.into_inner());
            let batches = if distinct {
                lane.work_on(&rows.iter().flat_map(Rows::codes).collect::<Vec<_>>())?
            } else {
                let mut batches = Vec::new();
                for piece in &rows {
                    batches.append(&mut lane.lane().work_on(&piece.codes().collect::<Vec<_>>())?);
                }
                batches
            };
            Ok((lane.lane().schema()?, batches))
        })?;
        let (schema, batches) = made.map_err(|error: DatasetError| error::of(error))?;
        Ok(Table::flat(schema, batches))
    }
}
