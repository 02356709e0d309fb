//! What all nets of Yul programs have in common: build a program at every level, call each build in
//! the same world, compare everything that can be seen but for gas, and make a failing program small.
//!
//! * `-O0` is the reference; the other levels and the literal stackifier are compared with it.
//! * A call that runs out of gas at `-O0` has no meaning that can be compared (A1); neither have the
//!   calls behind it. Running out of gas at another level only is a difference.
//! * The other levels take turns in the fork that they compile for, as far as the program is valid there, and in the
//!   executions that they expect; all builds run on the newest chain.
//! * A net must compare something: it says how many calls were compared, and demands that most
//!   programs ran to an end.
//!
//! `CAIRN_NETS_PROGRAMS` sets the number of programs (and uses every core), `CAIRN_NETS_SEED` the first
//! seed, so that a failure is repeated by its seed and one program.

use crate::world;
use cairn_diag::FileId;
use cairn_driver::reduce::reduce;
use cairn_driver::{Input, Language, Level, Options, Session};
use cairn_evm::Fork;
use cairn_exec::{Address, Machine, Message, Observation, Outcome, Status, find_difference};
use cairn_filetest::build::{Built, compile, is_lack_of_room};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

/// Failing programs that are made smaller and shown.
const MAX_SHOWN: usize = 3;
/// A net ends after so many: there is enough to look at.
const MAX_FAULTS: usize = 12;
/// Every so many programs the IR is verified after each pass, too.
const VERIFIED: u64 = 16;

/// The executions that code is priced for, in turn.
const RUNS: [u64; 3] = [200, 1, 1_000_000];
/// The forks that it is compiled for, in turn: what they lack is made of other operations.
const FORKS: [Fork; 8] = [
    Fork::Osaka,
    Fork::Paris,
    Fork::Osaka,
    Fork::Prague,
    Fork::London,
    Fork::Osaka,
    Fork::Shanghai,
    Fork::Istanbul,
];

/// What stands behind creation code that reads it; no whole number of words.
const ARGUMENTS: [u8; 0x63] = arguments();

/// A program with what is done to it.
pub(crate) struct Case {
    /// Yul.
    pub(crate) text: String,
    /// Whether the text is creation code, or the code that is called.
    pub(crate) role: Role,
    /// Whom the calls are sent to; they reach the program at [`world::CONTRACT`].
    pub(crate) to: Address,
    pub(crate) calls: Vec<Message>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Creation,
    /// As the former, with [`ARGUMENTS`] behind it.
    CreationWithArguments,
    Runtime,
    /// As the latter; what is compared with it is its bytecode compiled anew.
    Recompiled,
}

/// A way to compile.
pub(crate) type Variant = (&'static str, Options);

/// All of them, `-O0` first.
pub(crate) fn variants(seed: u64) -> Vec<Variant> {
    let verify = seed.is_multiple_of(VERIFIED);
    let level = |level| Options { level, verify, ..Options::default() };
    vec![
        ("-O0", level(Level::O0)),
        ("-O1", level(Level::O1)),
        ("-O2", level(Level::O2)),
        ("-O3", level(Level::O3)),
        ("-Os", level(Level::Os)),
        match seed % 2 {
            0 => ("-O0 --spec", Options { spec: true, ..level(Level::O0) }),
            _ => ("-O2 --spec", Options { spec: true, ..level(Level::O2) }),
        },
    ]
}

/// These ways with the fork and the executions whose turn it is; the first is as it was.
pub(crate) fn in_turn(mut variants: Vec<Variant>, seed: u64, text: &str) -> Vec<Variant> {
    // Independent of what else the seed decides by its remainder.
    let turn = (seed / 2) as usize;
    let fork = FORKS[turn % FORKS.len()];
    let dialect = cairn_yul::Dialect { fork, ..cairn_yul::Dialect::default() };
    let is_valid = !cairn_yul::parse(text, FileId(0), &dialect).diagnostics.has_errors();
    for (_, options) in variants.iter_mut().skip(1) {
        options.runs = RUNS[turn % RUNS.len()];
        if is_valid {
            options.fork = fork;
        }
    }
    variants
}

/// Numbers of several widths, and bytes behind them.
const fn arguments() -> [u8; 0x63] {
    let mut bytes = [0; 0x63];
    bytes[0x1f] = 6;
    let mut at = 0x20;
    while at < 0x63 {
        bytes[at] = (at * 37) as u8;
        at += 1;
    }
    bytes
}

/// What happened in a net.
#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    /// Programs of which some call ended.
    ran: u64,
    /// Calls compared between two builds, those of equal code left out.
    compared: u64,
    /// Calls of the reference that succeeded, reverted, halted.
    success: u64,
    revert: u64,
    halt: u64,
    /// Programs of which a call ran out of gas at `-O0`.
    out_of_gas: u64,
    /// Builds of programs without a frame whose values did not fit on the stack.
    without_room: u64,
}

impl Counts {
    /// A net that compares next to nothing finds nothing.
    fn assert_useful(&self, net: &str) {
        assert!(self.ran * 10 >= self.programs * 8, "{net}: hardly any program ran: {self:?}");
        assert!(self.compared >= 2 * self.programs, "{net}: hardly anything was compared: {self:?}");
        assert!(self.success * 5 >= self.halt, "{net}: hardly anything succeeded: {self:?}");
    }
}

/// What is wrong with how a program is compiled.
struct Fault {
    /// How it was compiled.
    variant: &'static str,
    kind: String,
    text: String,
}

/// Checks as many programs as asked for; panics with the faults found, made small.
pub(crate) fn run_net(net: &str, default: u64, generate: fn(u64) -> Case) {
    run_net_at(net, default, generate, variants);
}

/// As [`run_net`], with ways to compile of the net's own, the reference first.
#[expect(clippy::print_stderr, reason = "says how much was compared")]
pub(crate) fn run_net_at(
    net: &str,
    default: u64,
    generate: fn(u64) -> Case,
    variants: fn(u64) -> Vec<Variant>,
) {
    let asked = setting("CAIRN_NETS_PROGRAMS");
    let (first, count) = (setting("CAIRN_NETS_SEED").unwrap_or(0), asked.unwrap_or(default));
    let start = std::time::Instant::now();
    let (counts, mut faults) = in_parallel(asked.is_some(), first..first + count, |seed, counts| {
        let case = generate(seed);
        check(&case, &in_turn(variants(seed), seed, &case.text), counts)
    });
    eprintln!("{net}: {counts:?}, {} differ, {:?}", faults.len(), start.elapsed());
    faults.sort_by_key(|(seed, _)| *seed);
    let seeds: Vec<String> = faults.iter().map(|(seed, fault)| format!("{seed} ({})", fault.kind)).collect();
    let shown: String = faults
        .iter()
        .take(MAX_SHOWN)
        .map(|(seed, fault)| {
            let case = generate(*seed);
            shrunk(*seed, &case, fault, in_turn(variants(*seed), *seed, &case.text))
        })
        .collect();
    assert!(seeds.is_empty(), "{net}: {} fail: {}{shown}", seeds.len(), seeds.join(", "));
    if count > 1 {
        counts.assert_useful(net);
    }
}

/// Checks as many seeds as asked for, and panics with the faults found; what happened, and how many were asked for.
#[expect(clippy::print_stderr, reason = "says how much was compared")]
pub(crate) fn check_seeds<C: Default + Send + Merge + std::fmt::Debug>(
    net: &str,
    default: u64,
    max_shown: usize,
    check: impl Fn(u64, &mut C) -> Option<String> + Sync,
) -> (C, u64) {
    let asked = setting("CAIRN_NETS_PROGRAMS");
    let (first, count) = (setting("CAIRN_NETS_SEED").unwrap_or(0), asked.unwrap_or(default));
    let start = std::time::Instant::now();
    let (counts, mut faults) = in_parallel(asked.is_some(), first..first + count, check);
    eprintln!("{net}: {counts:?}, {} differ, {:?}", faults.len(), start.elapsed());
    faults.sort();
    let shown: Vec<String> =
        faults.iter().take(max_shown).map(|(seed, fault)| format!("seed {seed}: {fault}")).collect();
    assert!(faults.is_empty(), "{} fail\n{}", faults.len(), shown.join("\n\n"));
    (counts, count)
}

pub(crate) fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Runs `check` for each seed, on every core if there are many; the faults with their seeds.
pub(crate) fn in_parallel<C: Default + Send + Merge, F: Send>(
    is_long: bool,
    seeds: std::ops::Range<u64>,
    check: impl Fn(u64, &mut C) -> Option<F> + Sync,
) -> (C, Vec<(u64, F)>) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let n_threads = if is_long { cores } else { 1 };
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let (mut counts, mut faults) = (C::default(), Vec::new());
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end || faults.len() >= MAX_FAULTS {
                return (counts, faults);
            }
            faults.extend(check(seed, &mut counts).map(|fault| (seed, fault)));
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        let mut all = (C::default(), Vec::new());
        for thread in threads {
            let (counts, faults) = thread.join().expect("a net does not panic");
            all.0.merge(&counts);
            all.1.extend(faults);
        }
        all
    })
}

/// Counts of several threads.
pub(crate) trait Merge {
    fn merge(&mut self, other: &Self);
}

impl Merge for Counts {
    fn merge(&mut self, other: &Self) {
        self.programs += other.programs;
        self.ran += other.ran;
        self.compared += other.compared;
        self.success += other.success;
        self.revert += other.revert;
        self.halt += other.halt;
        self.out_of_gas += other.out_of_gas;
        self.without_room += other.without_room;
    }
}

/// The smallest program found that fails in the same way, with what differs.
fn shrunk(seed: u64, case: &Case, fault: &Fault, all: Vec<Variant>) -> String {
    let at = all.iter().find(|(name, _)| *name == fault.variant).map(|(_, options)| options.clone());
    let at = at.map_or(String::new(), |options| format!(" for {}, {} runs", options.fork, options.runs));
    let two: Vec<Variant> =
        all.into_iter().filter(|(name, _)| *name == "-O0" || *name == fault.variant).collect();
    let recheck = |text: &str| {
        let case = Case { text: text.to_owned(), calls: case.calls.clone(), ..*case };
        check(&case, &two, &mut Counts::default()).filter(|found| found.kind == fault.kind)
    };
    // Edits are accepted by length, so the text begins as they print it.
    let printed = cairn_driver::format(&input(&case.text), &Options::default(), &mut Session::default()).ok();
    let start = printed.filter(|text| recheck(text).is_some()).unwrap_or_else(|| case.text.clone());
    let small = reduce(&start, Language::Yul, &mut |candidate| recheck(candidate).is_some(), &|| false);
    let text = recheck(&small).map_or_else(|| fault.text.clone(), |found| found.text);
    format!("\n\nseed {seed}: {}{at}: {text}\n{small}\n", fault.kind)
}

/// What is wrong with how a program is compiled in these ways.
fn check(case: &Case, variants: &[Variant], counts: &mut Counts) -> Option<Fault> {
    counts.programs += 1;
    let mut codes: Vec<Vec<u8>> = Vec::new();
    let mut reference: Option<Vec<Observation>> = None;
    let mut n_compared = 0;
    for (name, options) in variants {
        let built = match case.role {
            Role::Recompiled if reference.is_some() => recompiled(&case.text, options),
            Role::Creation | Role::CreationWithArguments | Role::Runtime | Role::Recompiled => {
                build(&case.text, options)
            }
        };
        let code = match built {
            Built::Code(code) => code,
            Built::NoRoom => {
                counts.without_room += 1;
                continue;
            }
            Built::Fault(kind, text) => {
                return Some(Fault { variant: name, kind: format!("{name}: {kind}"), text });
            }
        };
        if codes.contains(&code) {
            continue;
        }
        let Some(expected) = &reference else {
            reference = Some(reference_run(case, &code, counts));
            codes.push(code);
            continue;
        };
        let (_, found) = run(case, &code, expected.len());
        n_compared += expected.len() as u64;
        if let Some(difference) = find_difference(expected, &found) {
            let kind = format!("{name} differs from -O0: {}", difference.what);
            return Some(Fault { variant: name, kind, text: difference.to_string() });
        }
        codes.push(code);
    }
    counts.compared += n_compared;
    counts.ran += u64::from(reference.is_some_and(|run| !run.is_empty()));
    None
}

/// What a program does at `-O0`, if that has a meaning.
pub(crate) fn outcome(case: &Case) -> Option<Vec<Observation>> {
    outcome_with(case, Options::default())
}

/// As [`outcome`], with options beside the level.
pub(crate) fn outcome_with(case: &Case, options: Options) -> Option<Vec<Observation>> {
    let Built::Code(code) = build(&case.text, &Options { level: Level::O0, ..options }) else {
        return None;
    };
    let mut counts = Counts::default();
    let observations = reference_run(case, &code, &mut counts);
    (counts.out_of_gas == 0).then_some(observations)
}

/// A program whose buffers lie further up each time, and leave nothing as it was in free memory; a function is
/// put before one that begins with `anchor`.
pub(crate) fn with_far_memory(text: &str, anchor: &str) -> String {
    const FAR: &str = "function far() -> p {
        p := add(mload(0x40), 0x60)
        for { let i := 0 } lt(i, 0x400) { i := add(i, 0x20) } { mstore(add(p, i), not(mul(i, 0x10001))) }
    }";
    let text = text.replace("mload(0x40)", "far()").replace("mload(64)", "far()");
    text.replace(anchor, &format!("{FAR}\n{anchor}"))
}

/// What the calls do at `-O0`, as far as that has a meaning.
fn reference_run(case: &Case, code: &[u8], counts: &mut Counts) -> Vec<Observation> {
    let (outcomes, mut observations) = run(case, code, usize::MAX);
    if let Some(endless) = outcomes.iter().position(Outcome::is_out_of_gas) {
        counts.out_of_gas += 1;
        observations.truncate(endless);
    }
    for observation in &observations {
        match observation.status {
            Status::Success => counts.success += 1,
            Status::Revert => counts.revert += 1,
            Status::Halt => counts.halt += 1,
        }
    }
    observations
}

/// The first calls of a case with one build of its program.
fn run(case: &Case, code: &[u8], n_calls: usize) -> (Vec<Outcome>, Vec<Observation>) {
    let mut machine: Machine = world::machine();
    let (mut outcomes, mut observations) = (Vec::new(), Vec::new());
    match case.role {
        Role::Runtime | Role::Recompiled => machine.set_code(world::CONTRACT, code.to_vec()),
        Role::Creation | Role::CreationWithArguments => {
            let arguments: &[u8] = if case.role == Role::Creation { &[] } else { &ARGUMENTS };
            let outcome = machine
                .deploy(&Message::new([code, arguments].concat()))
                .expect("the intrinsic cost is paid");
            let created = outcome.created.map(|created| machine.code(created));
            observations.push(machine.observe(&outcome));
            outcomes.push(outcome);
            machine.set_code(world::CONTRACT, created.unwrap_or_default());
        }
    }
    for call in case.calls.iter().take(n_calls.saturating_sub(observations.len())) {
        let outcome = machine.call(case.to, call).expect("the intrinsic cost is paid");
        observations.push(machine.observe(&outcome));
        outcomes.push(outcome);
    }
    // Creation runs in any case.
    observations.truncate(n_calls);
    (outcomes, observations)
}

/// The bytecode of a program, compiled anew.
fn recompiled(text: &str, options: &Options) -> Built {
    let Built::Code(code) = build(text, options) else { return Built::NoRoom };
    let mut session = Session::default();
    match catch_unwind(AssertUnwindSafe(|| cairn_driver::recompile(&code, None, options, &mut session))) {
        Ok(Ok(recompiled)) => Built::Code(recompiled.code),
        Ok(Err(failure)) => Built::Fault("recompile", failure.to_string()),
        Err(_) => Built::Fault("panic", "recompile, see above".to_owned()),
    }
}

fn input(text: &str) -> Input {
    Input { name: "net.yul".into(), text: text.to_owned(), language: Language::Yul }
}

fn build(text: &str, options: &Options) -> Built {
    match catch_unwind(AssertUnwindSafe(|| compile(text, options))) {
        Ok(compiled) => {
            Built::of(compiled, |errors| is_lack_of_room(errors) && !text.contains("memoryguard"))
        }
        Err(_) => Built::Fault("panic", "see above".to_owned()),
    }
}
