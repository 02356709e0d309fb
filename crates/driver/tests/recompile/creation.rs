//! Creation code is recompiled and deployed with its arguments: the same storage, and what is
//! deployed answers calls as before.

use crate::Compile;
use crate::contracts::count_different;
use crate::figures::Figures;
use crate::rows::{Rows, hex};
use crate::semantic::{build, message};
use cairn_driver::Level;
use cairn_evm::Fork;
use cairn_exec::{Environment, Machine, Message, Observation, Prices, U256};
use serde_json::Value;

/// A deployment and calls of what it makes.
struct Case {
    name: String,
    creation: Vec<u8>,
    arguments: Vec<u8>,
    deploy: Message,
    calls: Vec<Message>,
}

/// Programs with constructor arguments, compiled at all levels.
pub(crate) fn compare_own(compile: Compile) -> Figures {
    let mut figures = Figures::default();
    let word = |number: u64| U256::from(number).to_be_bytes::<32>().to_vec();
    let lists = [vec![], word(5), [word(7), word(9)].concat(), [word(64), word(3), vec![1, 2, 3]].concat()];
    for (name, yul) in OWN {
        for level in [Level::O0, Level::O1, Level::O2, Level::Os, Level::O3] {
            let creation = build(name, yul, level);
            for arguments in &lists {
                let case = Case {
                    name: format!("{name} -O{level} with {} bytes", arguments.len()),
                    creation: creation.clone(),
                    arguments: arguments.clone(),
                    deploy: Message::new(vec![]),
                    calls: vec![Message::new(vec![]), Message::new(word(1)), Message::new(word(2))],
                };
                compare(compile, &case, &mut figures);
            }
        }
    }
    figures
}

/// Programs with immutables of which the code that they deploy stays data.
pub(crate) fn unopened_immutables(compile: Compile) -> Vec<String> {
    let levels = [Level::O0, Level::O1, Level::O2, Level::Os, Level::O3];
    let own = OWN.iter().filter(|(name, _)| name.starts_with("immutables"));
    let cases = own.flat_map(|(name, yul)| levels.map(|level| (name, level, build(name, yul, level))));
    let is_opened = |creation: &[u8]| {
        let notes = compile(creation, None, Fork::Osaka).notes;
        notes.iter().any(|note| note.ends_with("that it deploys are compiled anew"))
    };
    let unopened = cases.filter(|(.., creation)| !is_opened(creation));
    unopened.map(|(name, level, _)| format!("{name} -O{level}")).collect()
}

/// Recorded creation code of each compiler mode, in recorded scenarios.
pub(crate) fn compare_scenarios(compile: Compile, step: usize) -> Option<Figures> {
    let codes: std::collections::BTreeMap<String, Value> = Rows::open_in("real", "real-dev")?
        .filter_map(|row| Some((row["name"].as_str()?.to_owned(), row["solc"].clone())))
        .collect();
    let scenarios: Vec<Value> = Rows::open_in("real", "scenarios-dev")?.collect();
    let mut figures = Figures::default();
    let pairs = scenarios.iter().flat_map(|scenario| {
        let modes = scenario["contract"].as_str().and_then(|name| codes.get(name)?.as_object());
        modes.into_iter().flatten().map(move |mode| (scenario, mode))
    });
    for (scenario, (mode, compiled)) in pairs.step_by(step) {
        let Some(creation) = compiled["creation_code"].as_str().filter(|text| !text.contains('_')) else {
            continue;
        };
        let text = |value: &Value| value.as_str().map(hex).unwrap_or_default();
        let calls = scenario["steps"].as_array().into_iter().flatten();
        let case = Case {
            name: format!("{} by {mode}", scenario["name"].as_str().unwrap_or("?")),
            creation: hex(creation),
            arguments: text(&scenario["constructor_args"]),
            deploy: Message::new(vec![]),
            calls: calls.map(|step| message(step, text(&step["calldata"]))).collect(),
        };
        compare(compile, &case, &mut figures);
    }
    Some(figures)
}

/// Our own creation code of every `step`-th semantic test, with the recorded calls.
pub(crate) fn compare_built(compile: Compile, name: &str, level: Level, step: usize) -> Option<Figures> {
    let mut figures = Figures::default();
    for row in Rows::open_in("semantic", name)?.step_by(step) {
        let name = row["name"].as_str().unwrap_or("?");
        let text = |value: &Value| value.as_str().map(hex).unwrap_or_default();
        let calls = row["steps"].as_array().into_iter().flatten();
        let case = Case {
            name: name.to_owned(),
            creation: build(name, row["yul"].as_str().expect("Yul"), level),
            arguments: text(&row["constructor_args"]),
            deploy: message(&row, vec![]),
            calls: calls.map(|step| message(step, text(&step["calldata"]))).collect(),
        };
        compare(compile, &case, &mut figures);
    }
    Some(figures)
}

fn compare(compile: Compile, case: &Case, figures: &mut Figures) {
    let result = compile(&case.creation, None, Fork::Osaka);
    figures.count(&case.creation, &result);
    if let Some(reason) = &result.kept {
        return figures.refused.push(format!("{}: {reason}", case.name));
    }
    let left = observe(case, &case.creation, Prices::Fork);
    let right = observe(case, &result.code, Prices::Fork);
    let unequal = count_different(&left, &right) + left.len().abs_diff(right.len());
    figures.rows += left.len();
    figures.equal += left.len().saturating_sub(unequal);
    let gas = |list: &[(Observation, u64)]| list.iter().map(|(_, gas)| gas).sum::<u64>();
    figures.count_gas(&case.name, gas(&left), gas(&right));
    if unequal > 0 {
        let left = observe(case, &case.creation, Prices::Nominal);
        let right = observe(case, &result.code, Prices::Nominal);
        let same = left.len() == right.len() && count_different(&left, &right) == 0;
        let list = if same { &mut figures.gas_alone } else { &mut figures.wrong };
        list.push(format!("{}: {unequal} of {}", case.name, left.len()));
    }
}

/// What the deployment and then each call did.
fn observe(case: &Case, creation: &[u8], prices: Prices) -> Vec<(Observation, u64)> {
    let mut machine = Machine::new(Environment { prices, ..Environment::default() });
    let mut deploy = case.deploy.clone();
    deploy.data = [creation, &case.arguments].concat().into();
    let Ok(outcome) = machine.deploy(&deploy) else { return Vec::new() };
    let mut list = vec![(machine.observe(&outcome), outcome.gas.execution)];
    let Some(address) = outcome.created else { return list };
    for call in &case.calls {
        let Ok(outcome) = machine.call(address, call) else { continue };
        list.push((machine.observe(&outcome), outcome.gas.execution));
    }
    list
}

/// Name and Yul.
const OWN: [(&str, &str); 7] = [
    (
        "a word that is stored",
        r#"object "C" {
            code {
                if lt(sub(codesize(), datasize("C")), 32) { revert(0, 0) }
                codecopy(0, datasize("C"), 32)
                sstore(0, mload(0))
                codecopy(0, dataoffset("R"), datasize("R"))
                return(0, datasize("R"))
            }
            object "R" { code { mstore(0, add(sload(0), calldataload(0))) return(0, 32) } }
        }"#,
    ),
    (
        "immutables",
        r#"object "C" {
            code {
                codecopy(0, datasize("C"), 64)
                let a := mload(0)
                let b := mload(32)
                codecopy(0, dataoffset("R"), datasize("R"))
                setimmutable(0, "a", a)
                setimmutable(0, "b", b)
                return(0, datasize("R"))
            }
            object "R" { code {
                if iszero(loadimmutable("a")) { mstore(0, 77) return(0, 32) }
                mstore(0, add(loadimmutable("a"), mul(loadimmutable("b"), calldataload(0))))
                mstore(32, loadimmutable("b"))
                return(0, 64)
            } }
        }"#,
    ),
    (
        "immutables of some bits",
        r#"object "C" {
            code {
                codecopy(0, datasize("C"), 64)
                let a := mload(0)
                let b := mload(32)
                codecopy(0, dataoffset("R"), datasize("R"))
                setimmutable(0, "a", not(a))
                setimmutable(0, "b", or(shl(200, a), b))
                setimmutable(0, "c", mul(a, b))
                setimmutable(0, "d", sub(a, b))
                return(0, datasize("R"))
            }
            object "R" { code {
                if and(loadimmutable("d"), 1) { mstore(0, balance(loadimmutable("a"))) return(0, 32) }
                mstore(0, shl(96, loadimmutable("a")))
                mstore(32, and(loadimmutable("b"), 0xffffffff))
                mstore(64, add(loadimmutable("c"), and(loadimmutable("d"), 0xff)))
                mstore(96, and(sub(loadimmutable("a"), calldataload(0)), 0xffffffffffffffffffffffffffffffffffffffff))
                return(0, 128)
            } }
        }"#,
    ),
    (
        "a hash of all that is appended",
        r#"object "C" {
            code {
                let size := sub(codesize(), datasize("C"))
                codecopy(128, datasize("C"), size)
                sstore(size, keccak256(128, size))
                for { let i := 0 } lt(i, size) { i := add(i, 1) } {
                    codecopy(0, add(datasize("C"), i), 32)
                    sstore(add(1000, i), mload(0))
                }
                codecopy(0, dataoffset("R"), datasize("R"))
                return(0, datasize("R"))
            }
            object "R" { code { mstore(0, sload(calldataload(0))) return(0, 32) } }
        }"#,
    ),
    (
        "data and code that says how long it is",
        r#"object "C" {
            code {
                codecopy(0, dataoffset("table"), 40)
                sstore(0, mload(0))
                sstore(1, mload(8))
                codecopy(0, dataoffset("R"), datasize("R"))
                return(0, datasize("R"))
            }
            data "table" hex"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324252627"
            object "R" {
                code {
                    mstore(0, codesize())
                    codecopy(32, add(dataoffset("words"), calldataload(0)), 32)
                    return(0, 64)
                }
                data "words" "one two three four five six seven"
            }
        }"#,
    ),
    (
        "nothing is deployed",
        r#"object "C" {
            code {
                codecopy(0, datasize("C"), 32)
                switch mload(0)
                case 5 { sstore(1, 2) stop() }
                case 7 { revert(0, 32) }
                default { sstore(3, mload(0)) return(0, 0) }
            }
        }"#,
    ),
    (
        "a factory, and code with a trailer",
        r#"object "C" {
            code {
                codecopy(0, datasize("C"), 32)
                sstore(0, mload(0))
                codecopy(0, dataoffset("R"), datasize("R"))
                return(0, datasize("R"))
            }
            object "R" {
                code {
                    let size := datasize("Child")
                    codecopy(0, dataoffset("Child"), size)
                    mstore(size, calldataload(0))
                    let child := create(0, 0, add(size, 32))
                    pop(call(gas(), child, 0, 0, 0, 0, 32))
                    mstore(32, iszero(child))
                    return(0, 64)
                }
                object "Child" {
                    code {
                        codecopy(0, datasize("Child"), 32)
                        sstore(0, mload(0))
                        codecopy(0, dataoffset("Inner"), datasize("Inner"))
                        return(0, datasize("Inner"))
                    }
                    object "Inner" { code { mstore(0, sload(0)) return(0, 32) } }
                }
                data ".metadata" hex"a264697066735822122000000000000000000000000000000000000000000000000000000000000000000064736f6c63430008250033"
            }
        }"#,
    ),
];
