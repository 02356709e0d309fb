//! Lifts bytecode to Yul, builds that, and compares the behaviour of the original and the result: at -O0,
//! which takes the text as it is, and at -O2.
//!
//! The samples and figures are those of the other tests here, so that the same calls judge both ways.

use crate::figures::Figures;
use crate::semantic::build_at;
use crate::{COMBINATIONS, contracts, creation, part, semantic, step};
use cairn_bytecode::Role;
use cairn_driver::{Level, Options, Recompiled, Session, lift_to_yul};
use cairn_evm::Fork;
use cairn_exec::{Address, Environment, Machine, Message, Observation};
use cairn_testkit::next_random;
use std::collections::BTreeMap;

fn by_yul(code: &[u8], role: Option<Role>, fork: Fork, level: Level) -> Recompiled {
    let options = Options { level, fork, ..Options::default() };
    let kept = |reason: String| Recompiled { code: code.to_vec(), kept: Some(reason), notes: Vec::new() };
    let raised = match lift_to_yul(code, role, &BTreeMap::new(), &options, &mut Session::default()) {
        Ok(raised) => raised,
        Err(reason) => return kept(reason),
    };
    if let Some(hazard) = raised.observed.hazards().first() {
        return kept((*hazard).to_owned());
    }
    match build_at("lifted", &raised.text, &options) {
        Ok(new) => Recompiled { code: new, kept: None, notes: Vec::new() },
        Err(reason) => kept(reason),
    }
}

fn at_o0(code: &[u8], role: Option<Role>, fork: Fork) -> Recompiled {
    by_yul(code, role, fork, Level::O0)
}

fn at_o2(code: &[u8], role: Option<Role>, fork: Fork) -> Recompiled {
    by_yul(code, role, fork, Level::O2)
}

/// Nothing but values that do not fit on the stack may be in the way, and that seldom.
fn demand(title: &str, figures: Option<Figures>) {
    let Some(figures) = figures else { return };
    figures.print(title);
    assert!(figures.wrong.is_empty() && figures.equal > 0);
    assert!(figures.recompiled * 2 > figures.codes);
}

#[test]
fn a_sample_of_contracts_lifts_to_yul() {
    demand("contracts -O0", contracts::compare(at_o0, contracts::Part { first: 1, step: 600 }, 2));
    demand("contracts -O2", contracts::compare(at_o2, contracts::Part { first: 2, step: 600 }, 2));
}

#[test]
fn a_sample_of_built_programs_lifts_to_yul() {
    for level in [Level::O0, Level::O2] {
        demand("semantic-dev at -O0", semantic::compare(at_o0, "semantic-dev", level, 200));
        demand("semantic-dev at -O2", semantic::compare(at_o2, "semantic-dev", level, 200));
    }
}

#[test]
fn creation_code_lifts_to_yul() {
    demand("own creation codes -O0", Some(creation::compare_own(at_o0)));
    demand("own creation codes -O2", Some(creation::compare_own(at_o2)));
    demand("scenarios", creation::compare_scenarios(at_o2, 17));
}

/// Programs of random jumps: loops with several entries and exits, in each other and across each other.
/// Each block counts itself into a sum, takes one from what is left, and asks calldata where to go.
fn random_jumps(random: &mut u64) -> Vec<u8> {
    let mut below = |bound: u64| next_random(random) % bound;
    let count = 2 + below(9);
    let place = |block: u64| ((7 + 32 * block) as u16).to_be_bytes();
    let [high, low] = place(0);
    let mut code = vec![0x60, 40, 0x5f, 0x61, high, low, 0x56];
    for block in 0..count {
        code.extend([
            0x5b,
            0x60,
            31,
            0x02,
            0x60,
            block as u8 + 1,
            0x01,
            0x90,
            0x60,
            1,
            0x90,
            0x03,
            0x80,
            0x15,
        ]);
        code.extend([&[0x61][..], &place(count), &[0x57, 0x90, 0x81, 0x35, 0x60, 1, 0x16]].concat());
        code.extend(
            [&[0x61][..], &place(below(count)), &[0x57, 0x61], &place(below(count)), &[0x56]].concat(),
        );
    }
    code.extend([0x5b, 0x55, 0x00]);
    code
}

/// The sum after calls with random calldata.
fn sums(code: &[u8], seed: u64) -> Vec<Observation> {
    let target = Address::repeat_byte(0xc0);
    let mut machine = Machine::new(Environment::default());
    machine.set_code(target, code.to_vec());
    let calldata =
        |call: u64| (0..80).map(|byte| (seed >> ((byte * 7 + call) % 59)) as u8).collect::<Vec<u8>>();
    let run = |call: u64| machine.call(target, &Message::new(calldata(call))).ok();
    let outcomes: Vec<_> = (0..8).filter_map(run).collect();
    outcomes.iter().map(|outcome| machine.observe(outcome)).collect()
}

#[test]
fn random_jumps_lift_to_yul() {
    let (mut random, mut states, mut too_deep) = (7, 0, 0);
    for _ in 0..400 {
        let code = random_jumps(&mut random);
        let lift =
            || lift_to_yul(&code, None, &BTreeMap::new(), &Options::default(), &mut Session::default());
        states += lift().expect("the program is closed").detours.states;
        for compile in [at_o0, at_o2] {
            let result = compile(&code, None, Fork::Osaka);
            if let Some(reason) = &result.kept {
                assert!(reason.starts_with("stack too deep"), "{reason}");
                too_deep += 1;
                continue;
            }
            assert_eq!(sums(&code, random), sums(&result.code, random), "{}", cairn_evm::hex::encode(&code));
        }
    }
    println!("{states} cycles with several entries, {too_deep} of 800 programs too deep");
    assert!(states > 100 && too_deep < 80);
}

#[test]
#[ignore = "long; run with --release"]
fn all_contracts_lift_to_yul() {
    demand("contracts -O0", contracts::compare(at_o0, part(), COMBINATIONS / 10));
    demand("contracts -O2", contracts::compare(at_o2, part(), COMBINATIONS / 10));
}

#[test]
#[ignore = "long; run with --release"]
fn all_built_programs_lift_to_yul() {
    for level in [Level::O0, Level::O2] {
        demand("semantic-dev at -O0", semantic::compare(at_o0, "semantic-dev", level, step()));
        demand("semantic-dev at -O2", semantic::compare(at_o2, "semantic-dev", level, step()));
    }
    demand("scenarios", creation::compare_scenarios(at_o2, step()));
}
