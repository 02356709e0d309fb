//! Batches: programs from JSON lines, plain or compressed, and from Parquet.

use super::super::common::fail;
use super::program::Program;
use crate::Outcome;
use cairn_driver::bytes_of_hex;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs one after the other.
pub(super) struct Batch {
    name: String,
    programs: Box<dyn Iterator<Item = Result<Program, String>>>,
    size: Option<u64>,
    position: Arc<AtomicU64>,
}

/// True for names of batches.
pub(super) fn is_batch(path: &Path) -> bool {
    let name = path.as_os_str().to_string_lossy().to_lowercase();
    [".jsonl", ".json", ".jsonl.gz", ".json.gz", ".parquet"].iter().any(|ending| name.ends_with(ending))
}

/// True when standard input begins as JSON does; nothing of it is taken.
pub(super) fn is_batch_piped() -> bool {
    let mut input = std::io::stdin().lock();
    let begins = |bytes: &[u8]| bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    input.fill_buf().is_ok_and(begins)
}

impl Batch {
    /// Opens a batch; `-` is standard input with JSON lines.
    pub(super) fn open(path: &Path) -> Result<Batch, Outcome> {
        let name = path.display().to_string();
        let problem = |error: String| fail(&format!("{name}: {error}"));
        let position = Arc::new(AtomicU64::new(0));
        if path.as_os_str() == "-" {
            let programs = json_lines(Box::new(BufReader::new(std::io::stdin())));
            return Ok(Batch { name, programs, size: None, position });
        }
        let file = File::open(path).map_err(|error| problem(error.to_string()))?;
        if name.to_lowercase().ends_with(".parquet") {
            return parquet(&name, file, position).map_err(problem);
        }
        let size = file.metadata().ok().map(|data| data.len());
        let counted = Counted { file, position: position.clone() };
        let reader: Box<dyn BufRead> = if name.to_lowercase().ends_with(".gz") {
            Box::new(BufReader::new(MultiGzDecoder::new(counted)))
        } else {
            Box::new(BufReader::new(counted))
        };
        Ok(Batch { name, programs: json_lines(reader), size, position })
    }

    /// Size of the whole in the unit of [`Batch::position`].
    pub(super) fn size(&self) -> Option<u64> {
        self.size
    }

    /// How far it has been read.
    pub(super) fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// Skips programs; says how many there were.
    pub(super) fn skip(&mut self, count: usize) -> Result<usize, Outcome> {
        for skipped in 0..count {
            if self.programs.next().is_none() {
                return Ok(skipped);
            }
        }
        Ok(count)
    }

    /// The next programs, at most `count`.
    pub(super) fn next(&mut self, count: usize) -> Result<Vec<Program>, Outcome> {
        let programs: Result<Vec<Program>, String> = self.programs.by_ref().take(count).collect();
        programs.map_err(|error| fail(&format!("{}: {error}", self.name)))
    }
}

/// Counts the bytes that are read.
struct Counted {
    file: File,
    position: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.position.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Programs of JSON lines; empty lines are none.
fn json_lines(reader: Box<dyn BufRead>) -> Box<dyn Iterator<Item = Result<Program, String>>> {
    let lines = reader.lines().filter(|line| line.as_ref().map_or(true, |text| !text.trim().is_empty()));
    Box::new(lines.map(|line| line.map(|text| program_of(&text)).map_err(|error| error.to_string())))
}

fn program_of(text: &str) -> Program {
    let row: serde_json::Value = match serde_json::from_str(text) {
        Ok(row) => row,
        Err(error) => return Program { name: String::new(), code: Err(error.to_string()) },
    };
    let name = row["name"].as_str().unwrap_or_default().to_owned();
    let digits =
        row["runtime"].as_str().ok_or_else(|| "no field `runtime` with hexadecimal digits".to_owned());
    Program { name, code: digits.and_then(bytes_of_hex) }
}

#[cfg(feature = "parquet")]
fn parquet(name: &str, file: File, position: Arc<AtomicU64>) -> Result<Batch, String> {
    let (rows, programs) = super::parquet_file::read(file, position.clone())?;
    Ok(Batch { name: name.to_owned(), programs, size: Some(rows), position })
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &str, _: File, _: Arc<AtomicU64>) -> Result<Batch, String> {
    Err("this `cairn` was built without the feature `parquet`".to_owned())
}
