//! Random sequences of steps on random programs: the program must do the same before and after.
//!
//! Programs run in the interpreter of `cairn_yul`; compared are how they end, calls, logs and what is
//! returned, and storage unless the execution fails. `CAIRN_FUZZ_PROGRAMS` sets how many programs the
//! ignored test makes, `CAIRN_FUZZ_SEED` where it starts.
#![allow(clippy::print_stdout, reason = "a test reports on standard output")]

#[path = "common/program.rs"]
mod program;

use cairn_diag::FileId;
use cairn_yul::interp::{End, Limits, Outcome, World, run};
use cairn_yul::{DebugComments, Dialect, NameTable, Object, parse, print_object, resolve};
use cairn_yul_opt::{NoObserver, Options, Plan, STEPS, Suite, optimize};
use program::{Random, random_program};

// Shows S002-47.
#[test]
fn random_sequences_keep_behaviour() {
    compare_many(1, 250);
}

#[test]
#[ignore = "long: run it in release, with CAIRN_FUZZ_PROGRAMS"]
fn many_random_sequences_keep_behaviour() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    compare_many(number("CAIRN_FUZZ_SEED", 1_000_000), number("CAIRN_FUZZ_PROGRAMS", 10_000));
}

fn compare_many(first: u64, n: u64) {
    let (mut n_compared, mut n_not_ended) = (0, 0);
    for seed in first..first + n {
        match compare(seed) {
            Compared::Same => n_compared += 1,
            Compared::DidNotEnd => n_not_ended += 1,
        }
    }
    println!("{n_compared} programs behave the same; {n_not_ended} did not end");
    assert!(n_compared > n / 2, "most programs should end");
}

enum Compared {
    Same,
    DidNotEnd,
}

fn compare(seed: u64) -> Compared {
    let mut random = Random::new(seed);
    let source = random_program(&mut random);
    let dialect = Dialect::default();
    let parsed = parse(&source, FileId(0), &dialect);
    assert!(!parsed.diagnostics.has_errors(), "seed {seed}: {:?}\n{source}", parsed.diagnostics);
    let (original, names) = (parsed.object.expect("a tree"), parsed.names);
    let calldata: Vec<u8> =
        (0..256).map(|_| (random.next() >> 24) as u8 & if random.chance(2) { 3 } else { 255 }).collect();
    let world = World { calldata, ..World::default() };
    let before = execute(&original, &dialect, &world, 20_000);
    if !has_ended(&before) {
        return Compared::DidNotEnd;
    }
    let (sequence, options) = random_options(&mut random);
    let (mut optimized, mut new_names): (Object, NameTable) = (original, names);
    let result = optimize(&mut optimized, &mut new_names, &dialect, &options, &mut NoObserver);
    result.expect("nothing is rejected");
    let text = print_object(&optimized, &new_names, &dialect, DebugComments::Omit);
    let faults = resolve(&optimized, FileId(0), &new_names, &dialect);
    assert!(
        !faults.has_errors(),
        "seed {seed}, `{sequence}` makes an invalid program: {faults:?}\n{source}\n{text}"
    );
    let mut after = execute(&optimized, &dialect, &world, 200_000);
    if after.end == End::StepLimit {
        // Splitting and rematerialising in turns can make a program many times longer.
        after = execute(&optimized, &dialect, &world, 20_000_000);
    }
    let difference = difference(&before, &after);
    assert!(
        difference.is_none(),
        "seed {seed}, `{sequence}`: {}\n{source}\n{text}",
        difference.unwrap_or_default()
    );
    Compared::Same
}

fn execute(object: &Object, dialect: &Dialect, world: &World, steps: usize) -> Outcome {
    let limits = Limits { steps, expression: 100_000, depth: 1_000, ..Limits::default() };
    run(object, dialect, world, &limits)
}

fn has_ended(outcome: &Outcome) -> bool {
    match outcome.end {
        End::Finished | End::Terminated | End::Reverted | End::Failed => true,
        End::Unsupported | End::StepLimit | End::TraceLimit | End::ExpressionLimit | End::DepthLimit => false,
    }
}

fn difference(before: &Outcome, after: &Outcome) -> Option<String> {
    let is_failed = matches!(before.end, End::Reverted | End::Failed);
    if before.end != after.end {
        return Some(format!("ends differ: {:?} and {:?}", before.end, after.end));
    }
    if before.trace != after.trace {
        return Some(format!("traces differ:\n{:#?}\n{:#?}", before.trace, after.trace));
    }
    if before.returndata != after.returndata {
        return Some("returned data differ".into());
    }
    if !is_failed && before.storage != after.storage {
        return Some(format!("storage differs: {:?} and {:?}", before.storage, after.storage));
    }
    (!is_failed && before.transient_storage != after.transient_storage)
        .then(|| "transient storage differs".into())
}

/// The default suite, or letters with brackets; steps whose needs are not met get them inserted.
fn random_options(random: &mut Random) -> (String, Options) {
    if random.chance(8) {
        return ("suite".into(), Options { plan: Plan::Suite(Suite::default()), ..Options::default() });
    }
    let letters: Vec<char> = STEPS.iter().filter_map(|row| row.letter).collect();
    let mut sequence = String::new();
    let mut is_open = false;
    for _ in 0..1 + random.below(24) {
        match random.below(30) {
            0 if !is_open => {
                sequence.push('[');
                is_open = true;
            }
            1 | 2 if is_open => {
                sequence.push(']');
                is_open = false;
            }
            3 => sequence.push_str("{ConstantOptimiser}"),
            4 => sequence.push_str("{NameSimplifier}"),
            5 => sequence.push_str("{StackCompressor}"),
            _ => sequence.push(letters[random.below(letters.len() as u64) as usize]),
        }
    }
    if is_open {
        sequence.push(']');
    }
    if random.chance(4) {
        sequence.push_str("{NameSimplifier}{VarNameCleaner}");
    }
    let plan = Plan::Steps(sequence.parse().expect("a sequence"));
    (sequence, Options { plan, ..Options::default() })
}
