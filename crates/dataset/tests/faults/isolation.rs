//! Codes at which workers die, hang or take too much.

use crate::data::{contract, errors, files, job, run_job, write};
use cairn_dataset::{Limits, Task, Workers};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Codes by what happens at them; they begin with `fe` and a number.
const FAULTS: [(&str, &str); 5] = [
    ("abort", "the worker died: signal 6"),
    ("hang", "it took longer than 10 s"),
    ("overflow", "the worker died: signal 6"),
    ("memory", "it took more than 512 MiB of memory"),
    ("panic", "internal error: as the test wants"),
];

pub(crate) fn one_bad_code() {
    let folder = TempDir::new().expect("a folder");
    let (input, output) = (folder.path().join("in.parquet"), folder.path().join("out"));
    let bad = |number: usize| vec![0xfe, number as u8];
    let mut codes: Vec<_> = (0..400).map(|number| Some(contract(number))).collect();
    for number in 0..FAULTS.len() {
        codes.insert(37 * (number + 1), Some(bad(number)));
    }
    // Two of them are neighbours.
    codes.swap(38, 2 * 37);
    write(&input, &codes);
    let text: Vec<String> =
        FAULTS.iter().enumerate().map(|(number, (kind, _))| format!("{kind}:fe{number:02x}")).collect();
    let mut job = job(&input, &output);
    let Workers::Processes(command) = &mut job.workers else { panic!("processes") };
    let mut with_faults: Vec<std::ffi::OsString> =
        vec!["env".into(), format!("CAIRN_WORKER_FAULTS={}", text.join(",")).into()];
    with_faults.append(command);
    *command = with_faults;
    job.limits = Limits { time: Duration::from_secs(10), memory: 512 << 20 };
    let start = Instant::now();
    let summary = run_job(&job).expect("a result");
    assert!(start.elapsed() < Duration::from_secs(180), "{:?}", start.elapsed());
    assert_eq!((summary.distinct, summary.failed), (405, 5));
    let found = errors(&output);
    assert_eq!(found.len(), 405);
    for (number, (kind, message)) in FAULTS.iter().enumerate() {
        let error = found[&cairn_evm::keccak256(bad(number)).to_vec()].clone();
        assert_eq!(error.as_deref(), Some(*message), "{kind}");
    }
    assert_eq!(found.values().filter(|error| error.is_some()).count(), 5);
}

/// A worker that dies before it begins is no fault of a code: several in a row end the run.
pub(crate) fn startup() {
    let folder = TempDir::new().expect("a folder");
    let input = folder.path().join("in.parquet");
    write(&input, &[Some(contract(1))]);
    let mut job = job(&input, folder.path().join("out"));
    job.workers = Workers::Processes(vec!["false".into()]);
    let error = run_job(&job).expect_err("no worker").to_string();
    assert!(error.starts_with("worker processes do not start: the worker died"), "{error}");
    // What it wrote tells why; of much only the end.
    let script = "i=0; while [ $i -lt 3000 ]; do echo line $i of many >&2; i=$((i+1)); done; exit 3";
    job.workers = Workers::Processes(vec!["sh".into(), "-c".into(), script.into()]);
    let error = run_job(&job).expect_err("no worker").to_string();
    assert!(error.contains("exit code 3; it wrote:\n") && error.ends_with("line 2999 of many"), "{error}");
    assert_eq!(error.lines().count(), 9, "{error}");
    // One that dies now and then loses nothing: here before each second start.
    let flag = folder.path().join("flag");
    let this = std::env::current_exe().expect("a program");
    let script = format!(
        "if [ -e {0} ]; then rm {0}; exec {1} worker; else touch {0}; exit 3; fi",
        flag.display(),
        this.display()
    );
    job.workers = Workers::Processes(vec!["sh".into(), "-c".into(), script.into()]);
    job.threads = 1;
    assert_eq!(run_job(&job).expect("a result").failed, 0);
}

/// A worker that dies once, whatever killed it, leaves no trace in the files: not even where pages end.
pub(crate) fn died_once() {
    let folder = TempDir::new().expect("a folder");
    let input = folder.path().join("in.parquet");
    // Codes with long texts: those of a task are more than a page.
    let stores = |number: u32| {
        (0..2_000u32).flat_map(move |slot| [0x61, number as u8, slot as u8, 0x61, 1, slot as u8, 0x55])
    };
    let code = |number: u32| Some(stores(number).chain([0x00]).collect::<Vec<u8>>());
    write(&input, &(0..200).map(code).collect::<Vec<_>>());
    let mut job = job(&input, folder.path().join("undisturbed"));
    job.task = Task::Lift;
    run_job(&job).expect("a result");
    let expected = files(&job.output);
    let (flag, this) = (folder.path().join("flag"), std::env::current_exe().expect("a program"));
    let fault = "CAIRN_WORKER_FAULTS=abort:610d";
    let script = format!(
        "if [ -e {0} ]; then exec {1} worker; else touch {0}; exec env {fault} {1} worker; fi",
        flag.display(),
        this.display()
    );
    job.workers = Workers::Processes(vec!["sh".into(), "-c".into(), script.into()]);
    (job.threads, job.output) = (1, folder.path().join("disturbed"));
    assert_eq!(run_job(&job).expect("a result").failed, 0);
    assert!(flag.exists() && files(&job.output) == expected);
}
