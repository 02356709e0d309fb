//! What a job writes.

use crate::data::{contract, errors, files, job, read, rows, run_job, write, write_columns, write_text};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, NullArray};
use cairn_columns::Facts;
use cairn_dataset::{DatasetError, Phase, Task, Workers, run};
use cairn_driver::Level;
use std::ops::ControlFlow;
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) fn rows_and_codes() {
    let folder = TempDir::new().expect("a folder");
    let (input, output) = (folder.path().join("in.parquet"), folder.path().join("out"));
    let codes = [Some(contract(1)), None, Some(contract(2)), Some(contract(1)), Some(Vec::new())];
    write(&input, &codes);
    let mut job = job(&input, &output);
    job.keep = vec!["block".to_owned()];
    let summary = run_job(&job).expect("a result");
    assert_eq!((summary.rows, summary.distinct, summary.failed, summary.was_complete), (5, 3, 0, false));
    let hash = |code: &Vec<u8>| cairn_evm::keccak256(code).to_vec();
    let expected = |code: &Option<Vec<u8>>| {
        code.as_ref().map(hash).ok_or_else(|| "there is no code: the value is null".to_owned())
    };
    let expected: Vec<_> = (0..).zip(codes.iter().map(expected)).collect();
    assert_eq!(rows(&output), expected);
    assert_eq!(errors(&output).len(), 3);
    let kept: Vec<i64> = read(&output.join("rows"))[0]["block"].as_primitive::<Int64Type>().values().to_vec();
    assert_eq!(kept, [0, 5, 10, 15, 20]);
    let facts = &read(&output.join("codes"))[0];
    assert_eq!(facts["functions"].as_list::<i32>().value_length(0), 1);
    assert!(!output.join(".work").exists());
    let again = run_job(&job).expect("it is there");
    assert!(again.was_complete && again.distinct == 3);
}

/// Enough for several shards and tasks.
fn some_codes() -> Vec<Option<Vec<u8>>> {
    (0..40_000).map(|row| Some(contract(row % 500))).collect()
}

pub(crate) fn processes_and_threads() {
    let folder = TempDir::new().expect("a folder");
    let input = folder.path().join("in.parquet");
    write(&input, &some_codes());
    let outputs = ["processes", "threads", "one"].map(|name| folder.path().join(name));
    for (at, output) in outputs.iter().enumerate() {
        let mut job = job(&input, output);
        if at > 0 {
            job.workers = Workers::Threads;
        }
        job.threads = [2, 3, 1][at];
        assert_eq!(run_job(&job).expect("a result").distinct, 500);
    }
    let expected = files(&outputs[0]);
    assert!(expected.keys().filter(|name| name.starts_with("codes/")).count() > 1, "several shards");
    outputs.iter().for_each(|output| assert!(files(output) == expected, "{}", output.display()));
}

pub(crate) fn recompile_and_lift() {
    let folder = TempDir::new().expect("a folder");
    let input = folder.path().join("in.parquet");
    write(&input, &[Some(contract(1)), Some(vec![0x5f, 0x35, 0x56, 0x5b, 0x00])]);
    let mut job = job(&input, folder.path().join("new"));
    job.task = Task::Recompile(Level::O2, 200);
    run_job(&job).expect("a result");
    let batch = &read(&folder.path().join("new/codes"))[0];
    let (code, kept) = (batch["code"].as_binary::<i32>(), batch["kept"].as_string::<i32>());
    assert!(code.value(0).len() <= contract(1).len() && !code.value(0).is_empty());
    assert!(kept.is_null(0) && kept.is_valid(1), "the second jumps to where is not known");
    job.task = Task::Lift;
    job.output = folder.path().join("text");
    assert_eq!(run_job(&job).expect("a result").failed, 1);
    let batch = &read(&folder.path().join("text/codes"))[0];
    assert!(batch["module"].as_string::<i32>().value(0).contains("sstore"));
    assert!(batch["error"].is_valid(1));
}

pub(crate) fn kinds_of_input() {
    let folder = TempDir::new().expect("a folder");
    let input = folder.path().join("in");
    std::fs::create_dir(&input).expect("a folder");
    write_text(&input.join("b.parquet"), &["0X5f 5ffd ; fails", " 00 ", "6", "é1"]);
    write_text(&input.join("a.parquet"), &["5f5ffd"]);
    let output = folder.path().join("out");
    let summary = run_job(&job(&input, &output)).expect("a result");
    assert_eq!((summary.rows, summary.distinct), (5, 2));
    let found: Vec<bool> = rows(&output).iter().map(|(_, found)| found.is_ok()).collect();
    assert_eq!(found, [true, true, true, false, false]);
    assert_eq!(rows(&output)[0].1, rows(&output)[1].1, "the file `a` comes first");
    let message = "`é` is not a hexadecimal digit at position 0".to_owned();
    assert_eq!(rows(&output)[4].1, Err(message));
}

/// A column that is nothing but nulls has rows that say so.
pub(crate) fn nulls_alone() {
    let folder = TempDir::new().expect("a folder");
    let (input, output) = (folder.path().join("in.parquet"), folder.path().join("out"));
    write_columns(&input, vec![("code", Arc::new(NullArray::new(2)))]);
    let summary = run_job(&job(&input, &output)).expect("a result");
    assert_eq!((summary.rows, summary.distinct), (2, 0));
    assert!(rows(&output).iter().all(|(_, found)| found.is_err()));
}

pub(crate) fn other_job() {
    let folder = TempDir::new().expect("a folder");
    let (input, output) = (folder.path().join("in.parquet"), folder.path().join("out"));
    write(&input, &[Some(contract(1))]);
    let mut job = job(&input, &output);
    run_job(&job).expect("a result");
    job.task = Task::Analyze(Facts::SELECTORS);
    let error = run_job(&job).expect_err("other facts");
    assert!(matches!(error, DatasetError::OtherJob(..)), "{error}");
    assert!(error.to_string().contains("its facts"), "{error}");
    job.task = Task::Analyze(Facts::all());
    write(&input, &[Some(contract(2)), None]);
    assert!(run_job(&job).expect_err("another input").to_string().contains("its input"));
}

pub(crate) fn faulty_input() {
    let folder = TempDir::new().expect("a folder");
    let (input, output) = (folder.path().join("in.parquet"), folder.path().join("out"));
    let message = |job: &cairn_dataset::Job| run_job(job).expect_err("a fault").to_string();
    let mut job = job(&input, &output);
    assert!(message(&job).contains("in.parquet"));
    std::fs::write(&input, "no Parquet").expect("a file");
    assert!(message(&job).contains("in.parquet"));
    write(&input, &[Some(contract(1))]);
    job.column = Some("block".to_owned());
    assert!(message(&job).starts_with("no column `block` with bytes or text; the input has block, code"));
    job.column = None;
    job.keep = vec!["hash".to_owned()];
    assert_eq!(message(&job), "no column `hash`; the input has block, code");
    job.keep.clear();
    job.workers = Workers::Processes(vec!["/nowhere/cairn".into()]);
    assert!(message(&job).starts_with("worker processes do not start"));
}

pub(crate) fn stopped() {
    let folder = TempDir::new().expect("a folder");
    let input = folder.path().join("in.parquet");
    write(&input, &some_codes());
    let job = job(&input, folder.path().join("out"));
    let is_late =
        |phase| if phase == Phase::Working { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let error = run(&job, &|progress| is_late(progress.phase)).expect_err("stopped");
    assert!(matches!(error, DatasetError::Stopped));
    run_job(&job).expect("it goes on");
    let undisturbed = crate::data::job(&input, folder.path().join("undisturbed"));
    run_job(&undisturbed).expect("a result");
    assert!(files(&job.output) == files(&undisturbed.output));
}
