//! What Cairn makes of a dispatcher, at any level, tells its functions: routines that cases share, tables, and bodies that
//! are alike hide none from `find_cases`.

use cairn_driver::{Emit, Input, Language, Level, Options, Session, build};
use cairn_testkit::next_random;
use std::collections::BTreeSet;
use std::fmt::Write;

const PROGRAMS: u64 = 40;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        next_random(&mut self.0) % end
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Long constants that several bodies push.
const TOPICS: [&str; 2] = [
    "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
];

/// A body: checks that many have in common, and one of a few things to do, so that some are alike.
fn body(random: &mut Random) -> String {
    let value = random.pick(&["if callvalue() { revert(0, 0) }", "if callvalue() { revert(0, 0) }", ""]);
    let size = random.pick(&["4", "36", "68"]);
    let checks = random.pick(&["", "if shr(160, calldataload(4)) { revert(0, 0) }"]);
    let topic = TOPICS[random.below(2) as usize];
    let work = match random.below(6) {
        0 => format!("log1(0, 0, {topic})"),
        1 => "mstore(0, calldataload(4)) mstore(32, 3) mstore(0, sload(keccak256(0, 64))) return(0, 32)"
            .to_owned(),
        2 => format!("sstore({}, calldataload(4))", random.below(3)),
        3 => format!("mstore(0, sload({})) return(0, 32)", random.below(3)),
        4 => format!(
            "mstore(0, caller()) mstore(32, 5) let at := keccak256(0, 64)
             sstore(at, add(sload(at), calldataload(36))) log3(0, 32, {topic}, caller(), calldataload(4))"
        ),
        _ => "let s for { let i := 0 } lt(i, calldataload(4)) { i := add(i, 1) } { s := add(s, sload(i)) }
              mstore(0, s) return(0, 32)"
            .to_owned(),
    };
    format!("{value} if lt(calldatasize(), {size}) {{ revert(0, 0) }} {checks} {work}")
}

/// A program with a dispatcher, and its selectors.
fn program(seed: u64) -> (String, BTreeSet<u32>) {
    let mut random = Random(seed);
    let count = 1 + random.below(40);
    // Some are short, and some have bits in common.
    let masks = [u32::MAX, u32::MAX, 0x00ff_ffff, 0x0000_ffff, 0xffff_fff0];
    let mut selectors = BTreeSet::new();
    while selectors.len() < count as usize {
        selectors.insert(random.below(1 << 32) as u32 & masks[random.below(5) as usize]);
    }
    let mut text = String::from(
        "{ mstore(64, 128)\nif iszero(lt(calldatasize(), 4)) {\nswitch shr(224, calldataload(0))\n",
    );
    for selector in &selectors {
        _ = writeln!(text, "case 0x{selector:08x} {{ {} stop() }}", body(&mut random));
    }
    text.push_str("default {} }\nrevert(0, 0) }");
    (text, selectors)
}

#[test]
fn every_level_tells_its_functions() {
    let mut faults = String::new();
    for seed in 0..PROGRAMS {
        let (text, wanted) = program(seed);
        let input = Input { name: "dispatcher.yul".into(), text, language: Language::Yul };
        for level in Level::ALL {
            let options = Options { level, ..Options::default() };
            let made = build(&input, &[Emit::Bin], &options, &mut Session::default()).expect("valid");
            let code = cairn_evm::hex::decode(made.get(Emit::Bin).expect("asked for")).expect("digits");
            let found = cairn_bytecode::find_cases(&code, options.fork);
            let found: BTreeSet<u32> = found.iter().map(|case| case.selector).collect();
            if found != wanted {
                let missing: Vec<_> = wanted.difference(&found).map(|word| format!("{word:08x}")).collect();
                let more: Vec<_> = found.difference(&wanted).map(|word| format!("{word:08x}")).collect();
                _ = writeln!(faults, "seed {seed} {level:?}: missing {missing:?}, too many {more:?}");
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}
