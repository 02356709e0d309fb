//! Random Yul programs behave alike however they are compiled.
//!
//! Each program is built in two ways (levels, with or without the literal stackifier), the pairs
//! taking turns, deployed and called on revm; everything observable but gas must be equal. Some
//! programs are built without some optimizer passes, and one of the two for an older fork, where the program is valid
//! there, and for more or fewer executions. A failing program is made smaller and shown.
//!
//! `CAIRN_FUZZ_PROGRAMS` sets the number of programs, `CAIRN_FUZZ_SEED` the first seed,
//! `CAIRN_FUZZ_VARIANTS` which ways to compile, all of them each program (`-O0,-O2 --spec`). The
//! defaults are fixed, so that a failure repeats.

mod generate;
mod random;
mod reference;

use cairn_diag::FileId;
use cairn_driver::reduce::reduce;
use cairn_driver::{Language, Level, Options};
use cairn_evm::Fork;
use cairn_exec::{
    Environment, Message, Observation, Outcome, Scenario, U256, account, find_difference, run_scenario,
};
use cairn_filetest::build::{Built, compile, is_lack_of_room};
use random::Random;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Failing programs that are made smaller and shown.
const MAX_SHOWN: usize = 3;
const GAS_LIMIT: u64 = 20_000_000;

/// Every so many programs the IR is verified after each pass too; the stack code always is.
const VERIFIED: u64 = 5;

/// Every so many programs some passes are left out, so that each stands in other company.
const SKIPPING: u64 = 4;
/// As many at most.
const MAX_SKIPPED: usize = 3;

/// Forks and expected executions that the second of a pair takes turns in.
const FORKS: [Fork; 5] = [Fork::Osaka, Fork::Paris, Fork::Cancun, Fork::London, Fork::Shanghai];
const RUNS: [u64; 3] = [200, 1, 1_000_000];

/// A way to compile.
type Variant = (&'static str, Options);

/// Every way to compile.
fn variants(verify: bool) -> Vec<Variant> {
    let level = |level| Options { level, verify, ..Options::default() };
    vec![
        ("-O0", level(Level::O0)),
        ("-O1", level(Level::O1)),
        ("-O2", level(Level::O2)),
        ("-O3", level(Level::O3)),
        ("-Os", level(Level::Os)),
        ("-O0 --spec", Options { spec: true, ..level(Level::O0) }),
        ("-O2 --spec", Options { spec: true, ..level(Level::O2) }),
    ]
}

/// The ways to compile a program: those asked for, else the pair whose turn it is.
fn variants_of(seed: u64, text: &str) -> Vec<Variant> {
    let mut all = variants(seed.is_multiple_of(VERIFIED));
    if let Ok(list) = std::env::var("CAIRN_FUZZ_VARIANTS") {
        all.retain(|(name, _)| list.split(',').any(|part| part == *name));
        return all;
    }
    let n = all.len() as u64;
    // Each pair of different ones has its turn once in `n * (n - 1)` programs.
    let (first, distance) = (seed % n, 1 + seed / n % (n - 1));
    let second = (first + distance) % n;
    let mut pair = vec![all[first as usize].clone(), all[second as usize].clone()];
    let (fork, turn) = (FORKS[(seed / n) as usize % FORKS.len()], &mut pair[1].1);
    turn.runs = RUNS[(seed / n) as usize % RUNS.len()];
    let dialect = cairn_yul::Dialect { fork, ..cairn_yul::Dialect::default() };
    if !cairn_yul::parse(text, FileId(0), &dialect).diagnostics.has_errors() {
        turn.fork = fork;
    }
    if seed % SKIPPING == 1 {
        let mut random = Random::new(seed);
        pair.iter_mut().for_each(|(_, options)| options.skipped_passes = some_passes(&mut random));
    }
    pair
}

/// Names of a few passes.
fn some_passes(random: &mut Random) -> Vec<String> {
    let count = random.between(1, MAX_SKIPPED);
    (0..count).map(|_| random.pick(cairn_opt::pipeline::PASSES).name.to_owned()).collect()
}

#[test]
fn random_programs_behave_alike_at_every_level() {
    let counts = run_programs(generate::program, check);
    assert!(2 * counts.compared > counts.programs, "hardly anything was compared: {counts:?}");
}

#[test]
fn random_programs_do_what_the_yul_interpreter_does() {
    let counts = run_programs(generate::interpretable_program, reference::check);
    assert!(counts.compared > counts.programs, "hardly anything was compared: {counts:?}");
}

/// What is wrong with how a program is compiled in these ways.
type Check = fn(&str, &[Variant], &mut Counts) -> Option<Fault>;

/// Checks as many programs as asked for; panics with the faults found, made small.
fn run_programs(generate: fn(u64) -> String, check: Check) -> Counts {
    let setting =
        |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let first: u64 = setting("CAIRN_FUZZ_SEED", 0);
    let mut counts = Counts { programs: setting("CAIRN_FUZZ_PROGRAMS", 300), ..Counts::default() };
    let mut failures = Vec::new();
    for seed in first..first + counts.programs {
        let text = generate(seed);
        if let Some(fault) = check(&text, &variants_of(seed, &text), &mut counts) {
            failures.push((seed, text, fault));
        }
    }
    let mut report = String::new();
    for (seed, text, fault) in failures.iter().take(MAX_SHOWN) {
        let variants = variants_of(*seed, text);
        let mut fails_alike = |candidate: &str| {
            check(candidate, &variants, &mut Counts::default()).is_some_and(|found| found.kind == fault.kind)
        };
        let small = reduce(text, Language::Yul, &mut fails_alike, &|| false);
        let fault = check(&small, &variants, &mut Counts::default()).expect("the small program fails too");
        let skipped: Vec<&str> =
            variants.iter().flat_map(|(_, options)| &options.skipped_passes).map(String::as_str).collect();
        let skipped = skipped.join(" ");
        let turns = variants.last().map(|(_, options)| format!("{}, {} runs", options.fork, options.runs));
        let turns = turns.unwrap_or_default();
        report += &format!(
            "\n\nseed {seed}: {} ({turns}): {}; skipped: {skipped}\n{small}",
            fault.kind, fault.text
        );
    }
    let seeds: Vec<String> =
        failures.iter().map(|(seed, _, fault)| format!("{seed} ({})", fault.kind)).collect();
    assert!(seeds.is_empty(), "{} fail: {}; {counts:?}{report}", seeds.len(), seeds.join(", "));
    counts
}

#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    /// Pairs of variants compared.
    compared: u64,
    /// Variants that could not be built for lack of room for frames.
    without_room: u64,
    /// Programs whose run used up the gas.
    out_of_gas: u64,
}

struct Fault {
    kind: String,
    text: String,
}

/// What is wrong with how a program is compiled.
fn check(text: &str, variants: &[Variant], counts: &mut Counts) -> Option<Fault> {
    let mut reference: Option<(&str, Vec<Observation>)> = None;
    for (name, options) in variants {
        let code = match build(text, options) {
            Built::Code(code) => code,
            Built::NoRoom => {
                counts.without_room += 1;
                continue;
            }
            Built::Fault(kind, text) => {
                // Enough of the message to tell faults apart, without the names in it.
                let message: String = text.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
                return Some(Fault { kind: format!("{name}: {kind}: {message}"), text });
            }
        };
        let run = run_scenario(&scenario(), &code).expect("the intrinsic cost is paid");
        if run.outcomes.iter().any(Outcome::is_out_of_gas) {
            counts.out_of_gas += 1;
            return None;
        }
        match &reference {
            None => reference = Some((name, run.observations)),
            Some((other, observations)) => {
                counts.compared += 1;
                if let Some(difference) = find_difference(observations, &run.observations) {
                    let kind = format!("{name} differs from {other}");
                    return Some(Fault { kind, text: difference.to_string() });
                }
            }
        }
    }
    None
}

thread_local! {
    /// Message and place of the panic that is being caught; `None` while panics are not caught.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs something that may panic; the message and place of the panic if it does.
fn catch<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            CAUGHT.with_borrow_mut(|caught| match caught {
                Some(text) => *text = info.to_string(),
                None => report(info),
            });
        }));
    });
    CAUGHT.set(Some(String::new()));
    let result = catch_unwind(AssertUnwindSafe(run));
    let text = CAUGHT.take().unwrap_or_default();
    result.map_err(|_| text)
}

fn build(text: &str, options: &Options) -> Built {
    match catch(|| compile(text, options)) {
        Ok(compiled) => {
            Built::of(compiled, |errors| is_lack_of_room(errors) && !text.contains("memoryguard"))
        }
        Err(text) => Built::Fault("panic", text),
    }
}

/// A deployment and calls with various data, some of them static.
fn scenario() -> Scenario {
    let words = |words: &[u64]| {
        words.iter().flat_map(|word| U256::from(*word).to_be_bytes::<32>()).collect::<Vec<u8>>()
    };
    let call = |data: Vec<u8>| Message::new(data);
    Scenario {
        environment: Environment { gas_limit: GAS_LIMIT, ..Environment::default() },
        deploy: Message::new(vec![]),
        calls: vec![
            call(vec![]),
            call(words(&[1, 2, 3, 4])).with_value(U256::from(7)),
            call(words(&[5, u64::MAX, 0, 300])).from(account(2)),
            call(vec![0xff; 100]),
            call(vec![]).statically(),
            call(words(&[5, 2, 3, u64::MAX])).statically(),
        ],
    }
}

#[test]
fn generated_programs_are_valid_and_do_not_repeat() {
    let programs: std::collections::BTreeSet<String> = (0..200).map(generate::program).collect();
    assert_eq!(programs.len(), 200);
    for text in programs {
        let parsed = cairn_yul::parse(&text, cairn_diag::FileId(0), &cairn_yul::Dialect::default());
        assert!(!parsed.diagnostics.has_errors(), "{:?}\n{text}", parsed.diagnostics);
    }
}
