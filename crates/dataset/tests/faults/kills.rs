//! Runs that are killed.

use crate::data::{contract, files, job, rows, run_job, write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Kills of one run.
const KILLS: u64 = 20;

fn start(input: &std::path::Path, output: &std::path::Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.arg("run").arg(input).arg(output).stderr(Stdio::null()).spawn().expect("a process")
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// The moments are spread over the time that an undisturbed run takes; each kill is followed by a run
/// that goes on, so later ones hit what is left.
pub(crate) fn killed_at_any_moment() {
    let folder = TempDir::new().expect("a folder");
    let input = folder.path().join("in.parquet");
    // Several pieces and shards; each code is larger than its contract to take some time.
    let code =
        |row: u32| Some([contract(row.wrapping_mul(2_654_435_761) % 12_000), vec![0x5b; 300]].concat());
    write(&input, &(0..300_000).map(code).collect::<Vec<_>>());
    let whole = folder.path().join("whole");
    let begin = Instant::now();
    run_job(&job(&input, &whole)).expect("a result");
    let time = begin.elapsed();
    let expected = files(&whole);
    assert_eq!(rows(&whole).len(), 300_000);
    let mut dice = Dice(std::process::id().into());
    let (mut hit, mut runs) = (0, 0);
    while hit < KILLS {
        runs += 1;
        let output = folder.path().join(format!("killed{runs}"));
        // Several kills of one job, until it is done.
        loop {
            let mut child = start(&input, &output);
            std::thread::sleep(Duration::from_millis(dice.roll(time.as_millis() as u64).max(5)));
            let was_running = child.try_wait().expect("a process").is_none();
            child.kill().expect("a process");
            child.wait().expect("a process");
            hit += u64::from(was_running);
            if !was_running || hit >= KILLS {
                break;
            }
        }
        run_job(&job(&input, &output)).expect("it goes on");
        assert!(files(&output) == expected, "run {runs} after {hit} kills");
        assert!(!output.join(".work").exists());
        std::fs::remove_dir_all(&output).expect("a folder");
    }
    println!("{hit} kills in {runs} jobs of {time:?}");
}

pub(crate) fn orphans() {
    let folder = TempDir::new().expect("a folder");
    let (input, output) = (folder.path().join("in.parquet"), folder.path().join("out"));
    write(&input, &[Some(vec![0xfe, 1])]);
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    let command = command.arg("run").arg(&input).arg(&output).env("CAIRN_WORKER_FAULTS", "hang:fe01");
    let mut child = command.stderr(Stdio::null()).spawn().expect("a process");
    let workers = |parent: u32| children_of(parent);
    let begin = Instant::now();
    while workers(child.id()).is_empty() && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let found = workers(child.id());
    child.kill().expect("a process");
    child.wait().expect("a process");
    if !cfg!(target_os = "linux") {
        return;
    }
    assert!(!found.is_empty(), "the worker hangs");
    let is_there = |id: &u32| std::path::Path::new(&format!("/proc/{id}/cwd")).read_link().is_ok();
    while found.iter().any(is_there) {
        assert!(begin.elapsed() < Duration::from_secs(30), "it lives on");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Children of a process, where the system tells.
fn children_of(parent: u32) -> Vec<u32> {
    let entries = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("children")).ok());
    lists
        .flat_map(|list| list.split(' ').filter_map(|id| id.trim().parse().ok()).collect::<Vec<u32>>())
        .collect()
}
