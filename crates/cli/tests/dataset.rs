//! Data sets on the command line: a Parquet file in, a folder of tables out.

#![cfg(feature = "parquet")]

mod common;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use common::ends_with;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A dispatcher with one case, nothing, no code, and the first again.
const CODES: [Option<&str>; 4] = [
    Some("0x5f3560e01c63aabbccdd1460105700005b00"),
    Some(""),
    None,
    Some("5f3560e01c63aabbccdd1460105700005b00"),
];

fn write(path: &Path) {
    let blocks: ArrayRef = Arc::new(Int64Array::from_iter_values([7, 8, 9, 10]));
    let codes: ArrayRef = Arc::new(StringArray::from_iter(CODES));
    let batch = RecordBatch::try_from_iter([("block", blocks), ("runtime", codes)]).expect("columns");
    let mut writer = ArrowWriter::try_new(File::create(path).expect("a file"), batch.schema(), None);
    let writer = writer.as_mut().expect("a writer");
    writer.write(&batch).expect("disk");
    writer.finish().expect("disk");
}

fn read(path: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file"));
    let mut batches = reader.expect("Parquet").build().expect("Parquet");
    batches.next().expect("a batch").expect("rows")
}

struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Case {
        let folder = TempDir::new().expect("a folder");
        write(&folder.path().join("in.parquet"));
        Case { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    #[track_caller]
    fn run(&self, command: &str, more: &[&str], code: i32) -> String {
        let (input, output) = (self.path("in.parquet"), self.path("out"));
        ends_with(&[&[command, &input, &output], more].concat(), "", code).1
    }

    fn codes(&self) -> RecordBatch {
        read(&self.folder.path().join("out/codes/000000.parquet"))
    }
}

#[test]
fn each_code_is_analysed_once() {
    let case = Case::new();
    let said = case.run("analyze", &["--facts", "selectors", "--keep", "block"], 0);
    assert!(said.contains("4 rows, 2 distinct codes"), "{said}");
    let rows = read(&case.folder.path().join("out/rows/000000.parquet"));
    assert!(rows["block"].len() == 4 && rows["hash"].is_null(2) && rows["error"].is_valid(2));
    let hashes = rows["hash"].as_binary::<i32>();
    assert_eq!(hashes.value(0), hashes.value(3));
    let codes = case.codes();
    assert_eq!(codes.num_rows(), 2);
    assert!(codes.column_by_name("selectors").is_some() && codes.column_by_name("blocks").is_none());
    let again = case.run("analyze", &["--facts", "selectors", "--keep", "block"], 0);
    assert!(again.contains("it was complete"), "{again}");
    assert!(case.run("analyze", &[], 2).contains("another job"));
}

#[test]
fn recompile_and_lift_take_data_sets() {
    let case = Case::new();
    case.run("recompile", &["-O1", "-j", "2"], 0);
    assert!(case.codes().column_by_name("kept").is_some());
    std::fs::remove_dir_all(case.path("out")).expect("a folder");
    case.run("lift", &[], 0);
    assert!(case.codes()["module"].as_string::<i32>().value(0).contains("calldataload"));
}

#[test]
fn wrong_usage_is_told() {
    let case = Case::new();
    assert!(case.run("analyze", &["--facts", "edge"], 2).contains("did you mean `edges`?"));
    assert!(case.run("analyze", &["--column", "block"], 2).contains("no column `block`"));
    assert!(case.run("analyze", &["-o", "x"], 2).contains("folder"));
    assert!(case.run("lift", &["-o", "x"], 2).contains("folder"));
    ends_with(&["analyze", &case.path("in.parquet"), "--keep", "block"], "", 2);
    ends_with(&["analyze", &case.path("absent.parquet"), &case.path("out")], "", 1);
}
