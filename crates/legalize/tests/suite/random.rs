//! Random free-form modules mean the same before and after they are legalized, the result is
//! canonical, one round does the work, and legalizing it again changes nothing.

use crate::generate::{self, Choices, Profile};
use crate::surroundings::{Input, MAX_STEPS};
use cairn_evm::Fork;
use cairn_ir::Module;
use cairn_ir::interp::{Outcome, Run, interpret};
use cairn_ir::text::print;
use cairn_ir::verify::{Form, verify};
use cairn_legalize::{Options, SwitchShape, legalize};

fn run(module: &Module, input: &Input, max_steps: u64) -> Run {
    match interpret(module, &mut input.env(max_steps)) {
        Ok(run) => run,
        Err(faults) => {
            let faults: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            panic!("not in free form: {faults:?}\n{}", print(module));
        }
    }
}

/// Checks one module; true if its run ended so that it could be compared.
fn check(seed: u64, profile: Profile) -> bool {
    let mut choices = Choices::from_seed(seed);
    let mut module = generate::module(&mut choices, profile);
    let text = print(&module);
    let inputs = Input::several(seed);
    let before = inputs.each_ref().map(|input| run(&module, input, MAX_STEPS));
    let switch = if seed.is_multiple_of(2) { SwitchShape::Cost } else { SwitchShape::Cascade };
    let options = Options { fork: profile.fork, switch, runs: 1 << (seed % 20), ..Options::default() };
    let report = legalize(&mut module, &options).unwrap_or_else(|faults| {
        let faults: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
        panic!("seed {seed}: {faults:?}\n{text}");
    });
    assert!(
        report.rounds <= 2,
        "seed {seed}: a pass undoes what one before it gave: {} rounds\n{text}",
        report.rounds
    );
    let legalized = print(&module);
    let left = verify(&module, Form::Canonical);
    let left: Vec<&str> = left.iter().map(|fault| fault.message.as_str()).collect();
    assert!(left.is_empty(), "seed {seed} is not canonical: {left:?}\n{text}\n{legalized}");
    let again = legalize(&mut module, &options).expect("canonical code is legal");
    assert!(again.is_unchanged(), "seed {seed} changes again: {again:?}\n{legalized}\n{}", print(&module));
    let mut is_compared = false;
    for (input, before) in inputs.iter().zip(before) {
        // `unreachable` is never executed: what happens after it is anybody's choice.
        if matches!(before.outcome, Outcome::Limit(_) | Outcome::Unreachable | Outcome::Unsupported(_)) {
            continue;
        }
        is_compared = true;
        let after = Run { steps: before.steps, ..run(&module, input, 3_000_000) };
        assert_eq!(before, after, "seed {seed}\n{text}\n{legalized}");
    }
    is_compared
}

/// Seeds to run: `CAIRN_SEEDS` or the given number.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("CAIRN_SEEDS").ok().and_then(|text| text.parse().ok());
    0..asked.unwrap_or(count)
}

fn check_all(count: u64, profile: Profile) {
    let seeds = seeds(count);
    let total = seeds.end;
    let compared = seeds.filter(|seed| check(*seed, profile)).count() as u64;
    assert!(compared * 3 > total, "only {compared} of {total} runs ended");
}

// Shows S000-08, S003-13, S003-34.
#[test]
fn narrow_types() {
    check_all(1_500, Profile { wide: false, odd: false, max_blocks: 8, max_ops: 8, fork: Fork::Osaka });
}

// Shows S000-08, S003-01, S003-19.
#[test]
fn wide_types() {
    check_all(600, Profile { wide: true, odd: false, max_blocks: 5, max_ops: 8, fork: Fork::Osaka });
}

#[test]
fn an_old_fork_without_shifts() {
    let profile = Profile { wide: true, odd: false, max_blocks: 3, max_ops: 8, fork: Fork::Byzantium };
    check_all(200, profile);
    // Bytes of a `u32` change places: as products they must be seen to fit as they are as shifts.
    check(1264, profile);
}
