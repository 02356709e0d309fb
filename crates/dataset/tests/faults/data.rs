//! Inputs and what is read of results.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray};
use cairn_columns::Facts;
use cairn_dataset::{DatasetError, Job, Summary, Task, Workers, run};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A contract with one selector, which makes it a code of its own.
pub(crate) fn contract(number: u32) -> Vec<u8> {
    let dispatcher = format!("5f3560e01c63{number:08x}1460105700005b");
    cairn_evm::hex::decode(format!("{dispatcher}34602057600160055560095f5fa1005b5f5ffd")).expect("digits")
}

/// Columns `block` and `code`.
pub(crate) fn write(path: &Path, codes: &[Option<Vec<u8>>]) {
    let blocks: ArrayRef = Arc::new(Int64Array::from_iter_values((0..codes.len() as i64).map(|row| 5 * row)));
    let code: ArrayRef = Arc::new(BinaryArray::from_iter(codes.iter().map(|code| code.as_deref())));
    write_columns(path, vec![("block", blocks), ("code", code)]);
}

pub(crate) fn write_text(path: &Path, codes: &[&str]) {
    let code: ArrayRef = Arc::new(StringArray::from_iter_values(codes));
    write_columns(path, vec![("bytecode", code)]);
}

pub(crate) fn write_columns(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).expect("columns");
    let file = File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("memory");
    writer.close().expect("memory");
}

/// A job in two worker processes of this program.
pub(crate) fn job(input: impl AsRef<Path>, output: impl AsRef<Path>) -> Job {
    let this = std::env::current_exe().expect("a program");
    let mut job =
        Job::new(input.as_ref().to_owned(), output.as_ref().to_owned(), Task::Analyze(Facts::all()));
    job.workers = Workers::Processes(vec![this.into(), "worker".into()]);
    job.threads = 2;
    job
}

pub(crate) fn run_job(job: &Job) -> Result<Summary, DatasetError> {
    run(job, &|_| ControlFlow::Continue(()))
}

/// Batches of all files of a folder, by name.
pub(crate) fn read(folder: &Path) -> Vec<RecordBatch> {
    let mut batches = Vec::new();
    for path in paths(folder) {
        let file = File::open(path).expect("a file");
        let reader =
            ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("Parquet");
        batches.extend(reader.map(|batch| batch.expect("rows")));
    }
    batches
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The table of rows: number, and hash or error.
pub(crate) fn rows(output: &Path) -> Vec<(i64, Result<Vec<u8>, String>)> {
    let mut list = Vec::new();
    for batch in read(&output.join("rows")) {
        let numbers = batch["row"].as_primitive::<Int64Type>().values().to_vec();
        let (hash, error) = (batch["hash"].as_binary::<i32>(), batch["error"].as_string::<i32>());
        for (at, number) in numbers.into_iter().enumerate() {
            let found = match hash.is_valid(at) {
                true => Ok(hash.value(at).to_vec()),
                false => Err(error.value(at).to_owned()),
            };
            list.push((number, found));
        }
    }
    list
}

/// Errors of codes by hash; none is `None`. Each code is there once.
pub(crate) fn errors(output: &Path) -> BTreeMap<Vec<u8>, Option<String>> {
    let mut list = BTreeMap::new();
    for batch in read(&output.join("codes")) {
        let (hash, error) = (batch["hash"].as_binary::<i32>(), batch["error"].as_string::<i32>());
        for at in 0..batch.num_rows() {
            let message = error.is_valid(at).then(|| error.value(at).to_owned());
            assert_eq!(list.insert(hash.value(at).to_vec(), message), None, "each code once");
        }
    }
    list
}

/// Every file of a result with its bytes, but for what belongs to runs.
pub(crate) fn files(output: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut list = BTreeMap::new();
    for folder in ["rows", "codes"] {
        for path in paths(&output.join(folder)) {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            list.insert(format!("{folder}/{name}"), std::fs::read(path).expect("a file"));
        }
    }
    let done = std::fs::read(output.join("done.json")).expect("a finished job");
    list.insert("done.json".to_owned(), done);
    list
}
