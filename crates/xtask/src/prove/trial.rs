//! The trial on another compiler's optimizer: what solc makes with it is proven against what it makes without.
//!
//! The contracts are `tests/trial/contracts.sol`. Each is compiled without and with the optimizer, by way of IR and
//! not, and three pairs of these codes are proven. What is known to differ stands in docs/prove.md and in [`KNOWN`].

use super::samples::{Other, Subject};
use crate::project::{Outcome, read, root, run};
use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;
use std::process::Command;

/// Executions that the optimizer is told to expect.
const RUNS: u32 = 200;

/// A way to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    name: &'static str,
    via_ir: bool,
    optimizer: bool,
}

const IR: Way = Way { name: "ir", via_ir: true, optimizer: false };
const IR_OPTIMIZED: Way = Way { name: "ir-optimized", via_ir: true, optimizer: true };
const LEGACY: Way = Way { name: "legacy", via_ir: false, optimizer: false };
const LEGACY_OPTIMIZED: Way = Way { name: "legacy-optimized", via_ir: false, optimizer: true };

/// What is proven against what.
const PAIRS: [(Way, Way); 3] = [(IR, IR_OPTIMIZED), (LEGACY, LEGACY_OPTIMIZED), (LEGACY, IR_OPTIMIZED)];

/// Functions that differ: in which pairs the second code is this one, by contract and signature.
const KNOWN: [(Way, Way, &str, &str); 4] = [
    (IR, IR_OPTIMIZED, "Packed", "bump()"),
    (LEGACY, IR_OPTIMIZED, "Packed", "bump()"),
    (LEGACY, IR_OPTIMIZED, "Loops", "push(uint256)"),
    (LEGACY, IR_OPTIMIZED, "Votes", "propose(bytes32)"),
];

/// Calls `visit` on each pair of codes until it says that it has enough; `solc` is the folder of npm's package.
pub(super) fn each(
    solc: &Path,
    scratch: &Path,
    filter: &str,
    visit: &mut dyn FnMut(Subject) -> Outcome<bool>,
) -> Outcome {
    for (first, second) in PAIRS {
        let [before, after] = [first, second].map(|way| compiled(solc, scratch, way));
        let (before, after) = (before?, after?);
        for (contract, artifact) in before.as_object().into_iter().flatten() {
            let name = format!("{contract} {} {}", first.name, second.name);
            let (text, other) = (code(artifact)?, code(&after[contract])?);
            if text.is_empty() {
                // An interface.
                continue;
            }
            let known =
                KNOWN.iter().filter(|(a, b, of, _)| (*a, *b, *of) == (first, second, contract.as_str()));
            let selector = |signature: &str| artifact["evm"]["methodIdentifiers"][signature].as_str();
            let differs = known.filter_map(|(.., signature)| Some(format!("0x{}", selector(signature)?)));
            let differs: Vec<String> = differs.collect();
            let other = Other::Code(other);
            let subject = Subject { name, text, other, functions: Vec::new(), differs };
            if subject.name.contains(filter) && !visit(subject)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The contracts by their names, as solc gives them.
fn compiled(solc: &Path, scratch: &Path, way: Way) -> Outcome<Value> {
    let source = read(&root().join("tests/trial/contracts.sol"))?;
    let request = json!({
        "language": "Solidity",
        "sources": { "contracts.sol": { "content": source } },
        "settings": {
            "optimizer": { "enabled": way.optimizer, "runs": RUNS },
            "viaIR": way.via_ir,
            "metadata": { "appendCBOR": false, "bytecodeHash": "none" },
            "outputSelection": { "*": { "*": ["evm.deployedBytecode.object", "evm.methodIdentifiers"] } },
        },
    });
    let path = scratch.join("request.json");
    std::fs::write(&path, request.to_string()).map_err(|error| error.to_string())?;
    let input = File::open(&path).map_err(|error| error.to_string())?;
    // To a file, for the program ends before a pipe has taken all that it says.
    let path = scratch.join("answer.json");
    let answer = File::create(&path).map_err(|error| error.to_string())?;
    let mut command = Command::new("node");
    command.arg(solc.join("solc.js")).arg("--standard-json").stdin(input).stdout(answer);
    run(command)?;
    let answer = read(&path)?;
    // What the program says before its answer is no part of it.
    let start = answer.find('{').unwrap_or(0);
    let answer: Value = serde_json::from_str(&answer[start..]).map_err(|error| format!("solc: {error}"))?;
    match &answer["contracts"]["contracts.sol"] {
        Value::Null => Err(format!("solc: {}", answer["errors"])),
        contracts => Ok(contracts.clone()),
    }
}

fn code(artifact: &Value) -> Outcome<String> {
    let code = artifact["evm"]["deployedBytecode"]["object"].as_str();
    code.map(str::to_owned).ok_or_else(|| "solc: a contract without code".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known to differ is in the contracts and in a pair that is proven.
    #[test]
    fn what_differs_is_there() {
        let source = read(&root().join("tests/trial/contracts.sol")).expect("the contracts");
        for (first, second, contract, signature) in KNOWN {
            assert!(PAIRS.contains(&(first, second)));
            assert!(source.contains(&format!("contract {contract} ")), "{contract}");
            let (name, _) = signature.split_once('(').expect("a signature");
            assert!(source.contains(&format!("function {name}(")), "{signature}");
        }
    }
}
