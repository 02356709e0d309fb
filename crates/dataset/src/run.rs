//! A job from beginning to end.

use crate::error::{DatasetError, at};
use crate::files;
use crate::input::Input;
use crate::job::Job;
use crate::progress::{Progress, Watch};
use crate::{scan, shards};
use serde_json::{Value, json};
use std::fs::{File, TryLockError};
use std::ops::ControlFlow;
use std::path::Path;

/// Rows for which there is a shard.
const ROWS_A_SHARD: u64 = 1 << 14;
const MAX_SHARDS: u64 = 1024;

/// What a finished job has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Rows of the input.
    pub rows: u64,
    /// Distinct codes.
    pub distinct: u64,
    /// Distinct codes whose row has an error.
    pub failed: u64,
    /// True when all was there before.
    pub was_complete: bool,
}

/// Does a job, or goes on with it. `tell` hears how far it is, from several threads, and may stop it.
///
/// # Errors
/// [`DatasetError`]; what is done stays, and the next run goes on from there.
pub fn run(job: &Job, tell: &(dyn Fn(Progress) -> ControlFlow<()> + Sync)) -> Result<Summary, DatasetError> {
    let input = Input::open(job)?;
    files::prepare(&job.output)?;
    let _lock = Lock::take(&job.output)?;
    let rows = input.rows();
    let shards = rows.div_ceil(ROWS_A_SHARD).next_power_of_two().min(MAX_SHARDS) as u32;
    job.claim(rows, shards)?;
    let done = job.output.join("done.json");
    if let Some(summary) = read_summary(&done) {
        remove_work(&job.output)?;
        return Ok(summary);
    }
    scan::prepare(job)?;
    files::prepare(&job.output.join("codes"))?;
    let watch = Watch::new(tell);
    let scanned = scan::scan(job, &input, shards, &watch)?;
    let failed = shards::work(job, &scanned, shards, &watch)?;
    let summary = Summary { rows, distinct: scanned.distinct, failed, was_complete: false };
    let text = json!({ "rows": rows, "distinct": summary.distinct, "failed": failed }).to_string();
    files::write(&done, text.as_bytes())?;
    remove_work(&job.output)?;
    Ok(summary)
}

/// Keeps other runs away as long as it lives.
///
/// A process that another thread is just starting holds all open files until it runs its program, so closing the
/// file alone would let the lock go later.
struct Lock(File);

impl Lock {
    fn take(output: &Path) -> Result<Lock, DatasetError> {
        let path = output.join(".lock");
        let file = File::create(&path).map_err(at(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(DatasetError::Busy(output.to_owned())),
            Err(TryLockError::Error(error)) => Err(DatasetError::File(path, error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // What is not let go here is when the file is closed.
        _ = self.0.unlock();
    }
}

fn read_summary(path: &Path) -> Option<Summary> {
    let value: Value = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
    let number = |key: &str| value[key].as_u64();
    Some(Summary {
        rows: number("rows")?,
        distinct: number("distinct")?,
        failed: number("failed")?,
        was_complete: true,
    })
}

fn remove_work(output: &Path) -> Result<(), DatasetError> {
    let work = output.join(".work");
    match work.exists() {
        true => std::fs::remove_dir_all(&work).map_err(at(&work)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_let_go_though_somebody_else_has_the_file_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(folder.path()).expect("nobody else");
        // What a process has that was started and does not run its program yet.
        let inherited = lock.0.try_clone().expect("a copy");
        assert!(matches!(Lock::take(folder.path()), Err(DatasetError::Busy(_))));
        drop(lock);
        assert!(Lock::take(folder.path()).is_ok());
        drop(inherited);
    }
}
