//! How long the optimizer takes, in one warm process: on real contracts and by step on programs that
//! grow. Both tests are ignored: run them in release, each alone, with `--nocapture`.
//!
//! `speed` reads the 20 largest programs of `real/real-dev.jsonl.gz` in the corpus (`CAIRN_CORPUS`),
//! and prints seconds a program and a step. `growth` makes programs of two sizes, ten times apart,
//! and prints for each step the best time of both and how far it is from linear. `CAIRN_STEP` selects
//! steps by a part of the name, `CAIRN_SHAPE` programs. With `CAIRN_ROUNDS=1` each step runs once on
//! each size, so that a tool that counts instructions (`callgrind`, collecting in `Step::run`) can
//! tell growth of work from growth of memory; `CAIRN_DIVISOR` divides the sizes for such slow tools.
#![allow(clippy::print_stdout, reason = "a test reports on standard output")]

#[path = "common/shapes.rs"]
mod shapes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use cairn_diag::FileId;
use cairn_yul::{Block, Dialect, NameTable, Object, parse};
use cairn_yul_opt::{Cause, NoObserver, Observer, Options, Plan, STEPS, Sequence, Step, optimize};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Programs of the corpus that are measured.
const N_PROGRAMS: usize = 20;

/// Runs of each program; the best one counts.
const RUNS: usize = 3;

/// Rounds of a step that is measured alone, on both sizes by turns; the best of each counts, since
/// other work on the machine can only add time.
const ROUNDS: usize = 5;

/// Runs on the smaller size in a round.
const SMALL_RUNS: usize = 5;

/// Factor between the sizes whose times are compared.
const FACTOR: usize = 10;

/// The delay after which mimalloc gives memory back; −1 for never.
const KEEPS_MEMORY: &str = "MIMALLOC_PURGE_DELAY";

/// Time beyond linear growth that a step may take.
const MAX_GROWTH: f64 = 2.0;

/// Times below this many seconds are not compared.
const MEASURABLE: f64 = 0.01;

/// Seconds that this thread has run.
fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Adds up the time of each step.
struct Clock {
    last: f64,
    total: BTreeMap<&'static str, f64>,
}

impl Observer for Clock {
    fn after_step(&mut self, _: &str, step: Step, _: Cause, _: &Block, _: &NameTable) {
        *self.total.entry(step.name).or_default() += now() - self.last;
        self.last = now();
    }

    fn enter_object(&mut self, _: &str, _: &Block, _: &NameTable) {
        self.last = now();
    }
}

fn parsed(source: &str, dialect: &Dialect) -> (Object, NameTable) {
    let parsed = parse(source, FileId(0), dialect);
    assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
    (parsed.object.expect("a tree"), parsed.names)
}

fn timed(
    (mut object, mut names): (Object, NameTable),
    dialect: &Dialect,
    options: &Options,
    observer: &mut dyn Observer,
) -> (Object, NameTable, f64) {
    let start = now();
    optimize(&mut object, &mut names, dialect, options, observer).expect("nothing is rejected");
    (object, names, now() - start)
}

#[test]
#[ignore = "a measurement: run it in release with --nocapture"]
fn speed() {
    let Some(mut programs) = programs() else {
        println!("skipped: no corpus");
        return;
    };
    programs.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    let dialect = Dialect::default();
    let mut clock = Clock { last: 0.0, total: BTreeMap::new() };
    let mut sum = 0.0;
    for (name, text) in programs.iter().take(N_PROGRAMS) {
        let tree = parsed(text, &dialect);
        let runs = (0..RUNS).map(|_| timed(tree.clone(), &dialect, &Options::default(), &mut NoObserver).2);
        let best = runs.fold(f64::INFINITY, f64::min);
        timed(tree, &dialect, &Options::default(), &mut clock);
        println!("{:>8} bytes {best:.3} s  {name}", text.len());
        sum += best;
    }
    let mut rows: Vec<(&str, f64)> = clock.total.into_iter().collect();
    rows.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    rows.iter().for_each(|(name, time)| println!("{time:.3} s  {name}"));
    println!("{sum:.3} s in all");
    assert!(!programs.is_empty(), "the corpus holds programs");
}

#[test]
#[ignore = "a measurement: run it in release with --nocapture"]
fn growth() {
    if std::env::var_os(KEEPS_MEMORY).is_none() {
        measure_again_with_memory();
        return;
    }
    let selected = std::env::var("CAIRN_STEP").unwrap_or_default();
    let shape = std::env::var("CAIRN_SHAPE").unwrap_or_default();
    let divisor = std::env::var("CAIRN_DIVISOR").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut steep = Vec::new();
    for shape in shapes::SHAPES.iter().filter(|row| row.name.contains(&shape)) {
        let size = shape.size / divisor;
        println!("{} {} -> {}", shape.name, size, size * FACTOR);
        let (small, large) = (Prepared::new(shape, size), Prepared::new(shape, size * FACTOR));
        for row in STEPS.iter().filter(|row| row.name.contains(&selected)) {
            let (small, large) = best_times(&small, &large, *row);
            let growth = large / small / FACTOR as f64;
            println!("  {:31} {:9.3} ms {:9.3} ms  growth {growth:.2}", row.name, small * 1e3, large * 1e3);
            if growth > MAX_GROWTH && large > MEASURABLE {
                steep.push(format!("{} on {}", row.name, shape.name));
            }
        }
    }
    assert!(steep.is_empty(), "more than {MAX_GROWTH} times linear: {steep:?}");
}

/// Runs the test in a process whose allocator keeps the memory that it has got, so that no step pays
/// for the system clearing pages.
fn measure_again_with_memory() {
    let test = std::env::current_exe().expect("the test has a path");
    let arguments = ["growth", "--exact", "--ignored", "--nocapture"];
    let status = Command::new(test).args(arguments).env(KEEPS_MEMORY, "-1").status();
    assert!(status.expect("the test runs").success(), "see above");
}

/// A program in the forms that steps need.
struct Prepared {
    hoisted: (Object, NameTable),
    /// The same in SSA form.
    ssa: (Object, NameTable),
}

impl Prepared {
    fn new(shape: &shapes::Shape, size: usize) -> Prepared {
        let dialect = Dialect::default();
        let tree = parsed(&(shape.program)(size), &dialect);
        let prepare = |tree, steps| {
            let (object, names, _) = timed(tree, &dialect, &steps_of(steps), &mut NoObserver);
            (object, names)
        };
        Prepared { ssa: prepare(tree.clone(), "hgoxa"), hoisted: prepare(tree, "hgo") }
    }

    /// Seconds of one step.
    fn seconds(&self, step: Step) -> f64 {
        let tree = if step.name == "UnusedStoreEliminator" { &self.ssa } else { &self.hoisted };
        let argument = if step.name == "NameDisplacer" { ":a,b" } else { "" };
        let sequence = format!("{{{}{argument}}}", step.name);
        let options = Options { disambiguates: step.name == "Disambiguator", ..steps_of(&sequence) };
        let mut clock = Clock { last: 0.0, total: BTreeMap::new() };
        timed(tree.clone(), &Dialect::default(), &options, &mut clock);
        clock.total[step.name]
    }
}

fn steps_of(text: &str) -> Options {
    let sequence: Sequence = text.parse().expect("a sequence");
    Options { plan: Plan::Steps(sequence), ..Options::default() }
}

/// Best times of one step on two programs.
fn best_times(small: &Prepared, large: &Prepared, step: Step) -> (f64, f64) {
    let rounds = std::env::var("CAIRN_ROUNDS").ok().and_then(|text| text.parse().ok());
    let small_runs = if rounds == Some(1) { 1 } else { SMALL_RUNS };
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds.unwrap_or(ROUNDS) {
        let small = (0..small_runs).map(|_| small.seconds(step)).fold(f64::INFINITY, f64::min);
        best = (best.0.min(small), best.1.min(large.seconds(step)));
    }
    best
}

fn programs() -> Option<Vec<(String, String)>> {
    let corpus: PathBuf = std::env::var_os("CAIRN_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from);
    let file = std::fs::File::open(corpus.join("real/real-dev.jsonl.gz")).ok()?;
    let text = std::io::read_to_string(flate2::read::GzDecoder::new(file)).ok()?;
    let cases = text.lines().map(|line| {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case");
        let field = |name: &str| case[name].as_str().expect("a text").to_owned();
        (field("name"), field("yul"))
    });
    Some(cases.collect())
}
