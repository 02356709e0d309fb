//! Random free-form modules mean the same before and after they are legalized, the result is
//! canonical, and legalizing it again changes nothing.

use crate::generate::{self, Choices, Profile};
use cairn_evm::{Fork, Opcode, Word};
use cairn_ir::Module;
use cairn_ir::interp::{Env, Outcome, Run, interpret};
use cairn_ir::text::print;
use cairn_ir::verify::{Form, verify};
use cairn_legalize::{Options, SwitchShape, legalize};

fn run(module: &Module, max_steps: u64) -> Run {
    let mut env = Env { max_steps, calldata: (0..=99).collect(), ..Env::default() };
    env.words.insert(Opcode::CALLVALUE, Word::from(7));
    env.words.insert(Opcode::TIMESTAMP, Word::MAX);
    env.words.insert(Opcode::CALLER, Word::from(0xabcdef));
    env.storage.insert(Word::from(1), Word::MAX - Word::from(12));
    match interpret(module, &mut env) {
        Ok(run) => run,
        Err(faults) => {
            let faults: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            panic!("not in free form: {faults:?}\n{}", print(module));
        }
    }
}

/// Checks one module; true if its run ended so that it could be compared.
fn check(seed: u64, profile: Profile, fork: Fork) -> bool {
    let mut choices = Choices::from_seed(seed);
    let mut module = generate::module(&mut choices, profile);
    let text = print(&module);
    let before = run(&module, 3_000);
    let switch = if seed.is_multiple_of(2) { SwitchShape::Cost } else { SwitchShape::Cascade };
    let options = Options { fork, switch, runs: 1 << (seed % 20), ..Options::default() };
    if let Err(faults) = legalize(&mut module, &options) {
        let faults: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
        panic!("seed {seed}: {faults:?}\n{text}");
    }
    let legalized = print(&module);
    let left = verify(&module, Form::Canonical);
    let left: Vec<&str> = left.iter().map(|fault| fault.message.as_str()).collect();
    assert!(left.is_empty(), "seed {seed} is not canonical: {left:?}\n{text}\n{legalized}");
    let again = legalize(&mut module, &options).expect("canonical code is legal");
    assert!(again.is_unchanged(), "seed {seed} changes again: {again:?}\n{legalized}\n{}", print(&module));
    // `unreachable` is never executed: what happens after it is anybody's choice.
    if matches!(before.outcome, Outcome::Limit(_) | Outcome::Invalid | Outcome::Unsupported(_)) {
        return false;
    }
    let after = run(&module, 3_000_000);
    assert_eq!(before.outcome, after.outcome, "seed {seed}\n{text}\n{legalized}");
    assert_eq!(before.storage, after.storage, "seed {seed}\n{text}\n{legalized}");
    assert_eq!(before.transient, after.transient, "seed {seed}\n{text}\n{legalized}");
    assert_eq!(before.logs, after.logs, "seed {seed}\n{text}\n{legalized}");
    true
}

/// Seeds to run: `CAIRN_SEEDS` or the given number.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("CAIRN_SEEDS").ok().and_then(|text| text.parse().ok());
    0..asked.unwrap_or(count)
}

fn check_all(count: u64, profile: Profile, fork: Fork) {
    let seeds = seeds(count);
    let total = seeds.end;
    let compared = seeds.filter(|seed| check(*seed, profile, fork)).count() as u64;
    assert!(compared * 3 > total, "only {compared} of {total} runs ended");
}

#[test]
fn narrow_types() {
    check_all(1_500, Profile { wide: false, odd: false, max_blocks: 8 }, Fork::Osaka);
}

#[test]
fn wide_types() {
    check_all(600, Profile { wide: true, odd: false, max_blocks: 5 }, Fork::Osaka);
}

#[test]
fn an_old_fork_without_shifts() {
    let profile = Profile { wide: true, odd: false, max_blocks: 3 };
    let mut compared = 0;
    for seed in seeds(200) {
        let mut choices = Choices::from_seed(seed);
        let module = generate::module(&mut choices, profile);
        // Nothing stands in for these.
        if ["tstore", "chainid", "selfbalance"].iter().any(|name| print(&module).contains(name)) {
            continue;
        }
        compared += u64::from(check(seed, profile, Fork::Byzantium));
    }
    assert!(compared > 20, "only {compared} runs ended");
}
