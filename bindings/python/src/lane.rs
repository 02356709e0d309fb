//! Work in a worker process for whoever hands over codes: engines that cut data themselves.

use crate::batch::{Shape, code_of};
use crate::code::{fork, role};
use crate::table::Table;
use crate::{deep, error};
use cairn_columns::Facts;
use cairn_dataset::{Limits, Task, Work, Workers};
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

/// A worker process, which starts with the first codes and in whose place another comes if it dies.
#[pyclass(frozen, module = "cairn")]
pub(crate) struct Lane(Mutex<cairn_dataset::Lane>);

#[pymethods]
impl Lane {
    #[new]
    fn new(request: Request) -> PyResult<Lane> {
        cairn_dataset::Lane::new(request.work()?).map(|lane| Lane(Mutex::new(lane))).map_err(error::of)
    }

    /// A result without rows.
    fn empty(&self) -> PyResult<Table> {
        let lane = self.0.lock().unwrap_or_else(|poison| poison.into_inner());
        Ok(Table::flat(lane.schema().map_err(error::of)?, Vec::new()))
    }

    /// Works on each row of a column of codes.
    fn work_on(&self, py: Python<'_>, codes: AnyArray) -> PyResult<Table> {
        let reader = codes.into_reader()?;
        let shape = Shape::of(&reader.field(), None, &[])?;
        let mut rows = Vec::new();
        for array in reader {
            shape.cut(&array.map_err(error::of)?, &mut rows)?;
        }
        let made = deep::run(py, |_| {
            let mut lane = self.0.lock().unwrap_or_else(|poison| poison.into_inner());
            let mut batches = Vec::new();
            for piece in &rows {
                let codes: Vec<_> = (0..piece.codes.len()).map(|row| code_of(&piece.codes, row)).collect();
                batches.append(&mut lane.work_on(&codes)?);
            }
            Ok((lane.schema()?, batches))
        })?;
        let (schema, batches) = made.map_err(|error: cairn_dataset::DatasetError| error::of(error))?;
        Ok(Table::flat(schema, batches))
    }
}
