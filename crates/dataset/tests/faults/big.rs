//! A million rows, 97% of which were there before: time and memory.

use crate::data::{job, rows, run_job};
use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use flate2::read::GzDecoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tempfile::TempDir;

const ROWS: usize = 1_000_000;
const DISTINCT: usize = 30_000;

/// Codes of the corpus.
fn corpus() -> Option<Vec<Vec<u8>>> {
    let root = PathBuf::from(std::env::var_os("CAIRN_CORPUS")?);
    let file = File::open(root.join("bytecode/bytecodes.jsonl.gz")).ok()?;
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    let code = |line: std::io::Result<String>| {
        let row: serde_json::Value = serde_json::from_str(&line.expect("readable")).expect("JSON");
        cairn_evm::hex::decode(row["runtime"].as_str().expect("digits")).expect("digits")
    };
    Some(lines.map(code).collect())
}

/// The code of a number: one of the corpus, with another trailer.
fn code(corpus: &[Vec<u8>], number: usize) -> Vec<u8> {
    let mut code = corpus[number % corpus.len()].clone();
    code.extend_from_slice(&(number as u32).to_be_bytes());
    code
}

fn write(path: &Path, corpus: &[Vec<u8>]) {
    let schema = Arc::new(arrow_schema::Schema::new(vec![arrow_schema::Field::new(
        "code",
        arrow_schema::DataType::Binary,
        false,
    )]));
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).expect("a writer");
    // Each code comes early, then again and again without order.
    let number = |row: usize| if row.is_multiple_of(33) { row / 33 } else { row * 7_919 % (row / 33 + 1) };
    for first in (0..ROWS).step_by(2_000) {
        let codes = (first..first + 2_000).map(|row| code(corpus, number(row) % DISTINCT));
        let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(codes));
        let batch = RecordBatch::try_new(schema.clone(), vec![column]).expect("a batch");
        writer.write(&batch).expect("disk");
        if writer.in_progress_size() > 64 << 20 {
            writer.flush().expect("disk");
        }
    }
    writer.close().expect("disk");
}

/// Most memory that this process, and any of its workers, held; in MB.
fn peak() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) >> 10
}

/// Memory of all processes of the run, looked at again and again; in MB.
fn memory_of_all() -> u64 {
    let this = std::process::id();
    let of = |id: u32| {
        let text = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or("0 kB");
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0)
    };
    let tasks = std::fs::read_dir(format!("/proc/{this}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = lists
        .flat_map(|list| list.split(' ').filter_map(|id| id.trim().parse().ok()).collect::<Vec<_>>())
        .collect();
    (of(this) + children.into_iter().map(of).sum::<u64>()) >> 10
}

pub(crate) fn million() {
    let Some(corpus) = corpus() else { return println!("skipped: no corpus") };
    let folder = TempDir::new().expect("a folder");
    let (input, output) = (folder.path().join("in.parquet"), folder.path().join("out"));
    write(&input, &corpus);
    let bytes = std::fs::metadata(&input).expect("a file").len();
    drop(corpus);
    let ends = std::sync::atomic::AtomicBool::new(false);
    let (seconds, summary, most) = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut most = 0;
            while !ends.load(std::sync::atomic::Ordering::Relaxed) {
                most = most.max(memory_of_all());
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            most
        });
        let start = Instant::now();
        let summary = run_job(&job(&input, &output)).expect("a result");
        let seconds = start.elapsed().as_secs_f64();
        ends.store(true, std::sync::atomic::Ordering::Relaxed);
        (seconds, summary, watcher.join().expect("a thread"))
    });
    println!(
        "{} rows in {} MB, {} distinct, {} failed: {seconds:.1} s, {most} MB of memory at most ({} MB peak here)",
        summary.rows,
        bytes >> 20,
        summary.distinct,
        summary.failed,
        peak(),
    );
    assert_eq!((summary.rows, rows(&output).len()), (ROWS as u64, ROWS));
    assert_eq!((summary.distinct, summary.failed), (DISTINCT as u64, 0));
    assert!(seconds < 60.0 && most < 1536);
}
