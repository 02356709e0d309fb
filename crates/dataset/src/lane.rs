//! Works on codes one task after the other, by a worker process or on its own thread.
//!
//! Where a worker fails, the code that it was at is tried once more, alone in a new one, unless it ran
//! out of time or memory: what fails then has an error for a result. What the dead worker had done and
//! not yet sent is done again.

use crate::error::DatasetError;
use crate::spool::Hashed;
use crate::supervisor::{Failure, Said, Worker};
use crate::task::{Recipe, with_hashes};
use crate::work::{Work, Workers};
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use std::ops::Range;

/// Workers that may die one after the other before they begin with any row.
const MAX_STILLBORN: u32 = 5;

/// A worker process, in place of one that died a new one, and what it is told.
pub struct Lane {
    work: Work,
    pub(crate) recipe: Recipe,
    order: Vec<u8>,
    worker: Option<Worker>,
    stillborn: u32,
}

/// A part of a task.
enum Part {
    Rows(Range<usize>),
    /// A row at which a worker died.
    Suspect(usize),
    /// A row that has no result.
    Failed(usize, Failure),
}

/// How a part ended: at `row` nothing more came.
struct Break {
    /// Rows with a result.
    done: usize,
    /// The row that the worker had begun.
    at: Option<usize>,
    failure: Failure,
    /// What a worker wrote to standard error that had not begun with a row.
    last_lines: Vec<String>,
}

fn internal(error: ArrowError) -> DatasetError {
    DatasetError::Worker(error.to_string())
}

impl Lane {
    /// A lane whose worker starts with the first codes.
    ///
    /// # Errors
    /// None but mistakes of ours.
    pub fn new(work: Work) -> Result<Lane, DatasetError> {
        let order = work.order();
        let recipe = Recipe::of(&order).map_err(DatasetError::Worker)?;
        Ok(Lane { work, recipe, order: order.to_string().into_bytes(), worker: None, stillborn: 0 })
    }

    /// Works on codes; gives their results in order, in pieces.
    pub(crate) fn perform(
        &mut self,
        codes: &[Hashed],
        emit: &mut dyn FnMut(RecordBatch) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let Workers::Processes(command) = &self.work.workers else { return self.perform_here(codes, emit) };
        let command = command.clone();
        let mut parts = vec![Part::Rows(0..codes.len())];
        while let Some(part) = parts.pop() {
            let (range, is_suspect) = match part {
                Part::Rows(range) => (range, false),
                Part::Suspect(row) => (row..row + 1, true),
                Part::Failed(row, failure) => {
                    emit(self.error_row(&codes[row], &failure)?)?;
                    continue;
                }
            };
            if range.is_empty() {
                continue;
            }
            let Some(end) = self.attempt(&command, codes, range.clone(), emit)? else { continue };
            let Some(at) = end.at else {
                self.note_stillborn(&end)?;
                parts.push(Part::Rows(end.done..range.end));
                continue;
            };
            self.stillborn = 0;
            parts.push(Part::Rows(at + 1..range.end));
            let is_final = is_suspect || !matches!(end.failure, Failure::Died(_));
            parts.push(if is_final { Part::Failed(at, end.failure) } else { Part::Suspect(at) });
            parts.push(Part::Rows(end.done..at));
        }
        Ok(())
    }

    fn note_stillborn(&mut self, end: &Break) -> Result<(), DatasetError> {
        self.stillborn += 1;
        if self.stillborn <= MAX_STILLBORN {
            return Ok(());
        }
        let written = if end.last_lines.is_empty() { "" } else { "; it wrote:" };
        let lines: String = end.last_lines.iter().map(|line| format!("\n  {line}")).collect();
        Err(DatasetError::Worker(format!("{}{written}{lines}", end.failure)))
    }

    /// Gives rows to the worker; `None` when all came back.
    fn attempt(
        &mut self,
        command: &[std::ffi::OsString],
        codes: &[Hashed],
        range: Range<usize>,
        emit: &mut dyn FnMut(RecordBatch) -> Result<(), DatasetError>,
    ) -> Result<Option<Break>, DatasetError> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(command, &self.order, self.work.limits)?,
        };
        worker.begin(&codes[range.clone()]);
        let (mut done, mut at) = (range.start, None);
        loop {
            let failure = match worker.next() {
                Said::Row(row) => {
                    at = Some(range.start + row as usize).filter(|row| range.contains(row));
                    continue;
                }
                Said::Result(batch) if batch.num_rows() <= range.end - done => {
                    let hashes: Vec<_> =
                        codes[done..done + batch.num_rows()].iter().map(|(hash, _)| *hash).collect();
                    done += batch.num_rows();
                    emit(with_hashes(&batch, &hashes).map_err(internal)?)?;
                    continue;
                }
                Said::End if done == range.end => {
                    self.worker = Some(worker);
                    self.stillborn = 0;
                    return Ok(None);
                }
                Said::Failed(failure) => failure,
                Said::Result(_) | Said::End => Failure::Died("it lost count of rows".to_owned()),
            };
            let at = at.filter(|row| *row >= done);
            let last_lines = if at.is_none() { worker.last_lines() } else { Vec::new() };
            return Ok(Some(Break { done, at, failure, last_lines }));
        }
    }

    fn error_row(&self, (hash, _): &Hashed, failure: &Failure) -> Result<RecordBatch, DatasetError> {
        let mut results = self.recipe.start();
        results.push_error(&failure.to_string());
        results.finish().and_then(|batch| with_hashes(&batch, &[*hash])).map_err(internal)
    }

    fn perform_here(
        &mut self,
        codes: &[Hashed],
        emit: &mut dyn FnMut(RecordBatch) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let mut results = self.recipe.start();
        codes.iter().for_each(|(hash, code)| results.push(*hash, code, || {}));
        let hashes: Vec<_> = codes.iter().map(|(hash, _)| *hash).collect();
        emit(results.finish().and_then(|batch| with_hashes(&batch, &hashes)).map_err(internal)?)
    }
}
