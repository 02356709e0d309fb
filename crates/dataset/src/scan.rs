//! The first half of a job: reads all rows and keeps each distinct code once.
//!
//! The input is cut into pieces by rows and by bytes of new codes, so memory is bounded. A piece gives
//! a file of the table of rows, then a file of new codes; the second says that the piece is done.
//! Which code is new depends on the pieces before alone, so a run that goes on writes the same files.
//! Codes that come often are known again by comparing bytes, which costs a tenth of hashing them.

use crate::error::DatasetError;
use crate::files;
use crate::input::{Cells, Input};
use crate::job::Job;
use crate::progress::{Phase, Watch};
use crate::rows::RowsFile;
use crate::spool::{self, Hash, Hashed, Piece};
use arrow_array::RecordBatch;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;

/// Rows of a piece.
const PIECE_ROWS: u64 = 1 << 17;
/// Bytes of new codes after which a piece ends.
const PIECE_BYTES: usize = 128 << 20;
/// Bytes of codes that are kept to know them again.
const CACHE_BYTES: usize = 256 << 20;
/// Batches that wait.
const AHEAD: usize = 2;

/// What reading found.
pub(crate) struct Scanned {
    /// Files of codes.
    pub(crate) pieces: Vec<PathBuf>,
    /// Distinct codes.
    pub(crate) distinct: u64,
}

/// Reads what was not read yet.
pub(crate) fn scan(
    job: &Job,
    input: &Input,
    shards: u32,
    watch: &Watch<'_>,
) -> Result<Scanned, DatasetError> {
    let mut scan = Scan {
        job,
        input,
        shards,
        seen: FxHashSet::default(),
        cache: Cache::default(),
        pieces: Vec::new(),
        rows: 0,
        current: None,
    };
    scan.take_up()?;
    let total = input.rows();
    watch.report(Phase::Reading, scan.rows, total)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(job.lanes()).build();
    let pool = pool.map_err(|error| DatasetError::Worker(error.to_string()))?;
    std::thread::scope(|scope| {
        let (sender, batches) = sync_channel(AHEAD);
        let skip = scan.rows;
        scope.spawn(move || input.read(skip, |batch| sender.send(batch).is_ok()));
        for batch in batches {
            let batch = batch?;
            pool.install(|| scan.add(&batch))?;
            watch.report(Phase::Reading, scan.rows, total)?;
        }
        scan.end_piece()
    })?;
    Ok(Scanned { distinct: scan.seen.len() as u64, pieces: scan.pieces })
}

struct Scan<'j> {
    job: &'j Job,
    input: &'j Input,
    shards: u32,
    /// First halves of hashes: enough of a cryptographic hash to tell codes apart.
    seen: FxHashSet<u128>,
    cache: Cache,
    pieces: Vec<PathBuf>,
    /// Rows that were read.
    rows: u64,
    current: Option<Current>,
}

/// The piece in the making.
struct Current {
    file: RowsFile,
    rows: u64,
    codes: Vec<Hashed>,
    bytes: usize,
}

impl Scan<'_> {
    /// Takes over the pieces of earlier runs.
    fn take_up(&mut self) -> Result<(), DatasetError> {
        loop {
            let path = spool::path_of(&self.job.output.join(".work"), self.pieces.len());
            let Some(piece) = Piece::open(&path)? else { return Ok(()) };
            self.rows += piece.rows;
            piece.hashes(|hash| _ = self.seen.insert(half(&hash)))?;
            self.pieces.push(path);
        }
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<(), DatasetError> {
        let cells = self.input.codes(batch);
        let raw: Vec<Option<&[u8]>> = (0..batch.num_rows()).map(|row| cells.raw(row)).collect();
        let hashes: Vec<Result<Hash, String>> =
            raw.par_iter().map(|raw| self.cache.hash_of(&cells, *raw)).collect();
        let mut current = match self.current.take() {
            Some(current) => current,
            None => {
                let path = self.job.output.join("rows").join(format!("{:06}.parquet", self.pieces.len()));
                Current { file: RowsFile::new(&path, self.input)?, rows: 0, codes: Vec::new(), bytes: 0 }
            }
        };
        for (raw, hash) in raw.iter().zip(&hashes) {
            let (Some(raw), Ok(hash)) = (raw, hash) else { continue };
            if self.seen.insert(half(hash)) {
                let code = cells.code(raw).map(|code| code.into_owned()).unwrap_or_default();
                current.bytes += code.len();
                current.codes.push((*hash, code));
            }
            self.cache.insert(raw, *hash);
        }
        current.file.add(self.rows, batch, &hashes)?;
        current.rows += batch.num_rows() as u64;
        self.rows += batch.num_rows() as u64;
        let is_full = current.rows >= PIECE_ROWS || current.bytes >= PIECE_BYTES;
        self.current = Some(current);
        if is_full { self.end_piece() } else { Ok(()) }
    }

    fn end_piece(&mut self) -> Result<(), DatasetError> {
        let Some(current) = self.current.take() else { return Ok(()) };
        current.file.commit()?;
        let path = spool::path_of(&self.job.output.join(".work"), self.pieces.len());
        spool::write(&path, current.rows, self.shards, &current.codes)?;
        self.pieces.push(path);
        Ok(())
    }
}

fn half(hash: &Hash) -> u128 {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    u128::from_le_bytes(bytes)
}

/// Codes with their hashes, by a quick hash; which of two with the same one stays is no matter.
#[derive(Default)]
struct Cache {
    known: FxHashMap<u64, (Box<[u8]>, Hash)>,
    bytes: usize,
}

impl Cache {
    fn hash_of(&self, cells: &Cells<'_>, raw: Option<&[u8]>) -> Result<Hash, String> {
        let raw = raw.ok_or_else(|| "there is no code: the value is null".to_owned())?;
        match self.known.get(&quick(raw)) {
            Some((bytes, hash)) if **bytes == *raw => Ok(*hash),
            _ => cells.code(raw).map(|code| cairn_evm::keccak256(code).0),
        }
    }

    fn insert(&mut self, raw: &[u8], hash: Hash) {
        if self.bytes + raw.len() > CACHE_BYTES {
            return;
        }
        self.known.entry(quick(raw)).or_insert_with(|| {
            self.bytes += raw.len() + 64;
            (raw.into(), hash)
        });
    }
}

fn quick(raw: &[u8]) -> u64 {
    rustc_hash::FxBuildHasher.hash_one(raw)
}

/// Makes the folders of this half.
pub(crate) fn prepare(job: &Job) -> Result<(), DatasetError> {
    files::prepare(&job.output.join("rows"))?;
    files::prepare(&job.output.join(".work"))
}
