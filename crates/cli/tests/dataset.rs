//! Data sets on the command line: a Parquet file in, a folder of tables out.

#![cfg(feature = "parquet")]

mod common;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use common::ends_with;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// A dispatcher with one case, nothing, no code, and the first again.
const CODES: [Option<&str>; 4] = [
    Some("0x5f3560e01c63aabbccdd1460105700005b00"),
    Some(""),
    None,
    Some("5f3560e01c63aabbccdd1460105700005b00"),
];

fn write(path: &Path, kept: &str) {
    let blocks: ArrayRef = Arc::new(Int64Array::from_iter_values([7, 8, 9, 10]));
    let codes: ArrayRef = Arc::new(StringArray::from_iter(CODES));
    let batch = RecordBatch::try_from_iter([(kept, blocks), ("runtime", codes)]).expect("columns");
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
        write(&folder.path().join("in.parquet"), "block");
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

/// The commands of the recipe for a shell, as docs/recipes.md has them.
fn recipe() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recipes.md");
    let text = std::fs::read_to_string(path).expect("the recipes");
    let (_, rest) = text.split_once("```sh\n").expect("a recipe for a shell");
    rest.split_once("```").expect("its end").0.to_owned()
}

/// Where `parallel` is GNU's; other programs have the name, too.
fn has_parallel() -> bool {
    let found = Command::new("parallel").arg("--version").output();
    found.is_ok_and(|found| String::from_utf8_lossy(&found.stdout).contains("GNU parallel"))
}

#[test]
fn the_recipe_for_a_shell_runs_and_goes_on() {
    if !has_parallel() {
        println!("skipped: the recipe for a shell, for there is no GNU parallel");
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let months = folder.path().join("months");
    std::fs::create_dir(&months).expect("a folder");
    ["one", "two"].iter().for_each(|name| write(&months.join(name).with_extension("parquet"), "name"));
    let programs = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().map(PathBuf::from);
    let known = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(programs.into_iter().chain(std::env::split_paths(&known)));
    let run = || {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(recipe()).current_dir(folder.path()).env("PATH", path.as_ref().expect("a path"));
        shell.output().expect("a shell")
    };
    // A month that is no Parquet yet fails; the others are done, and the next run does only what failed.
    std::fs::write(months.join("three.parquet"), "not yet").expect("disk");
    assert!(!run().status.success());
    let done = |name: &str| folder.path().join("out").join(name).join("done.json").exists();
    assert!(done("one") && done("two") && !done("three"));
    write(&months.join("three.parquet"), "name");
    let second = run();
    assert!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
    assert!(done("three"));
    let jobs = std::fs::read_to_string(folder.path().join("log")).expect("a log");
    assert_eq!(jobs.lines().count(), 1 + 3 + 1, "{jobs}");
}
