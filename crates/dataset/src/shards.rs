//! The second half of a job: works on distinct codes, shard by shard, several at a time.
//!
//! The file of a shard appears when all its codes have a row. Rows stand in the order in which codes
//! first came in the input.

use crate::cut::Cutter;
use crate::error::{DatasetError, at};
use crate::files::Draft;
use crate::job::Job;
use crate::lane::Lane;
use crate::progress::{Phase, Watch};
use crate::scan::Scanned;
use crate::spool::{Hashed, Piece};
use crate::table::TableFile;
use crate::task::Recipe;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Codes of a task.
const TASK_CODES: usize = 64;
/// Bytes of codes after which a task ends.
const TASK_BYTES: usize = 4 << 20;
/// Stack of a thread that works on codes itself.
const STACK_BYTES: usize = 256 << 20;
/// Key of the number of failed codes in the metadata of files.
const FAILED_KEY: &str = "cairn.failed";

/// Where the rows of a shard go.
pub(crate) fn path_of(output: &Path, shard: u32) -> PathBuf {
    output.join("codes").join(format!("{shard:06}.parquet"))
}

/// What is shared by lanes.
struct Board<'j> {
    job: &'j Job,
    scanned: &'j Scanned,
    watch: &'j Watch<'j>,
    shards: u32,
    next: AtomicU32,
    done: AtomicU64,
    failed: AtomicU64,
    /// One lane failed: the others end.
    ends: AtomicBool,
}

/// Works on all shards that are not done; the number of codes that failed.
pub(crate) fn work(
    job: &Job,
    scanned: &Scanned,
    shards: u32,
    watch: &Watch<'_>,
) -> Result<u64, DatasetError> {
    let board = Board {
        job,
        scanned,
        watch,
        shards,
        next: AtomicU32::new(0),
        done: AtomicU64::new(0),
        failed: AtomicU64::new(0),
        ends: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let mut lanes = Vec::new();
        for _ in 0..job.lanes() {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let lane = thread.spawn_scoped(scope, || {
                let result = board.lane();
                board.ends.fetch_or(result.is_err(), Ordering::Relaxed);
                result
            });
            lanes.push(lane.map_err(|error| DatasetError::Worker(error.to_string()))?);
        }
        let died = |_| Err(DatasetError::Worker("a thread of ours died".to_owned()));
        lanes.into_iter().try_for_each(|lane| lane.join().unwrap_or_else(died))
    })?;
    Ok(board.failed.into_inner())
}

impl Board<'_> {
    fn lane(&self) -> Result<(), DatasetError> {
        let mut lane = Lane::new(self.job.work())?;
        loop {
            let shard = self.next.fetch_add(1, Ordering::Relaxed);
            if shard >= self.shards || self.ends.load(Ordering::Relaxed) {
                return Ok(());
            }
            let path = path_of(&self.job.output, shard);
            match path.exists() {
                true => self.count_done(&path)?,
                false => self.shard(&mut lane, shard, &path)?,
            }
        }
    }

    /// Counts the rows of a shard of an earlier run.
    fn count_done(&self, path: &Path) -> Result<(), DatasetError> {
        let file = File::open(path).map_err(at(path))?;
        let reader = SerializedFileReader::new(file).map_err(at(path))?;
        let data = reader.metadata().file_metadata();
        let entries = data.key_value_metadata().into_iter().flatten();
        let failed = entries.filter(|entry| entry.key == FAILED_KEY).find_map(|entry| entry.value.clone());
        let failed = failed.and_then(|text| text.parse().ok()).unwrap_or(0);
        self.count(u64::try_from(data.num_rows()).unwrap_or(0), failed)
    }

    fn count(&self, rows: u64, failed: u64) -> Result<(), DatasetError> {
        self.failed.fetch_add(failed, Ordering::Relaxed);
        let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
        if self.ends.load(Ordering::Relaxed) {
            return Err(DatasetError::Stopped);
        }
        self.watch.report(Phase::Working, done, self.scanned.distinct)
    }

    fn shard(&self, lane: &mut Lane, shard: u32, path: &Path) -> Result<(), DatasetError> {
        let recipe = Recipe::of(&self.job.work().order()).map_err(DatasetError::Worker)?;
        let schema = recipe.schema()?;
        let draft = Draft::new(path)?;
        let file = draft.file.try_clone().map_err(at(path))?;
        let table = TableFile::new(path, file, schema)?;
        let mut sheet = Sheet { path, table, cutter: Cutter::default(), failed: 0 };
        let mut task: Vec<Hashed> = Vec::new();
        let mut bytes = 0;
        for piece in &self.scanned.pieces {
            let Some(piece) = Piece::open(piece)? else { continue };
            piece.codes(shard, |(hash, code)| {
                bytes += code.len();
                task.push((hash, code));
                if task.len() >= TASK_CODES || bytes >= TASK_BYTES {
                    self.task(lane, &task, &mut sheet)?;
                    task.clear();
                    bytes = 0;
                }
                Ok(())
            })?;
        }
        self.task(lane, &task, &mut sheet)?;
        sheet.table.note(FAILED_KEY, sheet.failed.to_string());
        sheet.table.close()?;
        draft.commit()
    }

    /// Works on the codes of a task and writes their rows.
    fn task(&self, lane: &mut Lane, codes: &[Hashed], sheet: &mut Sheet<'_>) -> Result<(), DatasetError> {
        lane.perform(codes, &mut |batch| {
            let errors = failed_in(&batch);
            sheet.add(&batch, errors)?;
            self.count(batch.num_rows() as u64, errors)
        })?;
        sheet.end_task()
    }
}

/// The file of a shard in the making.
struct Sheet<'p> {
    path: &'p Path,
    table: TableFile,
    cutter: Cutter,
    failed: u64,
}

impl Sheet<'_> {
    fn add(&mut self, batch: &RecordBatch, errors: u64) -> Result<(), DatasetError> {
        self.failed += errors;
        let whole = self.cutter.add(batch).map_err(at(self.path))?;
        whole.iter().try_for_each(|batch| self.table.write(batch))
    }

    fn end_task(&mut self) -> Result<(), DatasetError> {
        let rest = self.cutter.end().map_err(at(self.path))?;
        rest.iter().try_for_each(|batch| self.table.write(batch))
    }
}

/// Rows with an error.
fn failed_in(batch: &RecordBatch) -> u64 {
    let errors = batch.column_by_name("error").and_then(|column| column.as_string_opt::<i32>());
    errors.map_or(0, |errors| (errors.len() - errors.null_count()) as u64)
}
