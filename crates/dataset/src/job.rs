//! What is to be done.

use crate::error::{DatasetError, at};
use crate::files;
use crate::work::{Limits, Task, Work, Workers};
use cairn_bytecode::Role;
use cairn_columns::SCHEMA_VERSION;
use cairn_evm::Fork;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A job.
#[derive(Clone, Debug)]
pub struct Job {
    /// A Parquet file, or a folder with some, which are read in the order of their names.
    pub input: PathBuf,
    /// The folder of the result; it is made.
    pub output: PathBuf,
    /// The column with codes, as bytes or as hexadecimal digits; `None` takes the first of
    /// `runtime`, `code`, `bytecode` that there is.
    pub column: Option<String>,
    /// Columns of the input that the table of rows keeps.
    pub keep: Vec<String>,
    /// What is done.
    pub task: Task,
    /// The fork that codes run on.
    pub fork: Fork,
    /// Whether bytes may follow codes; `None` finds out for each by what it does.
    pub role: Option<Role>,
    /// Workers at the same time; 0 is one a core.
    pub threads: usize,
    /// Who works.
    pub workers: Workers,
    /// What a code may take.
    pub limits: Limits,
}

impl Job {
    /// A job with usual options.
    pub fn new(input: PathBuf, output: PathBuf, task: Task) -> Job {
        Job {
            input,
            output,
            column: None,
            keep: Vec::new(),
            task,
            fork: Fork::default(),
            role: None,
            threads: 0,
            workers: Workers::Threads,
            limits: Limits::default(),
        }
    }

    /// Number of workers.
    pub(crate) fn lanes(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |count| count.get()),
            count => count,
        }
    }

    /// What is done with codes, and how.
    pub(crate) fn work(&self) -> Work {
        let Job { task, fork, role, limits, .. } = *self;
        Work { task, fork, role, limits, workers: self.workers.clone() }
    }

    /// What makes two runs parts of one job.
    fn identity(&self, rows: u64, shards: u32) -> Result<Value, DatasetError> {
        let order = self.work().order();
        let inputs: Result<Vec<Value>, DatasetError> =
            files::inputs(&self.input)?.iter().map(|path| identity_of(path)).collect();
        Ok(json!({
            "cairn": env!("CARGO_PKG_VERSION"),
            "schema_version": SCHEMA_VERSION,
            "task": order["task"],
            "facts": order["facts"],
            "level": order["level"],
            "runs": order["runs"],
            "fork": order["fork"],
            "role": order["role"],
            "column": self.column,
            "keep": self.keep,
            "input": inputs?,
            "rows": rows,
            "shards": shards,
        }))
    }

    /// Writes what the job is into the folder, or compares it with what is there.
    pub(crate) fn claim(&self, rows: u64, shards: u32) -> Result<(), DatasetError> {
        let path = self.output.join("job.json");
        let wanted = self.identity(rows, shards)?;
        let Ok(text) = std::fs::read_to_string(&path) else {
            return files::write(&path, wanted.to_string().as_bytes());
        };
        let there: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let differs = |key: &&String| there[key.as_str()] != wanted[key.as_str()];
        let keys = wanted.as_object().into_iter().flat_map(|object| object.keys());
        let what: Vec<String> = keys
            .filter(differs)
            .map(|key| format!("its {key} is {}, not {}", there[key.as_str()], wanted[key.as_str()]))
            .collect();
        match what.first() {
            None => Ok(()),
            Some(first) => Err(DatasetError::OtherJob(self.output.clone(), first.clone())),
        }
    }
}

/// Name, size and time of change of a file.
fn identity_of(path: &Path) -> Result<Value, DatasetError> {
    let data = std::fs::metadata(path).map_err(at(path))?;
    let changed = data.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Ok(json!({
        "name": path.file_name().map(|name| name.to_string_lossy()),
        "bytes": data.len(),
        "changed": changed.map(|time| time.as_nanos().to_string()),
    }))
}
