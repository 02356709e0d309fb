//! What is measured, and what was recorded of other compilers.
//!
//! Recorded figures are those of the corpus: `solc`'s modes and `solar` on the same contracts.

use crate::project::{Outcome, corpus, files, read, root};
use cairn_exec::{Address, Bytes, Environment, Message, Scenario, U256};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// A program with what it is compared with.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Suite and name: `examples/loop.yul`.
    pub(crate) name: String,
    /// `yul` or `eir`.
    pub(crate) extension: String,
    pub(crate) text: String,
    /// Calls with their recorded results.
    pub(crate) scenario: Option<(Scenario, Vec<Expected>)>,
    /// Recorded figures of other compilers by name.
    pub(crate) recorded: BTreeMap<String, Figures>,
}

impl Case {
    /// `real` of `real/uniswap/v2-core/UniswapV2Pair`.
    pub(crate) fn suite(&self) -> &str {
        self.name.split('/').next().unwrap_or("")
    }
}

/// What a transaction did when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) status: String,
    pub(crate) output: Bytes,
}

/// The figures of one code of one case.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) creation: u64,
    pub(crate) runtime: u64,
    /// What the deployment pays.
    pub(crate) deploy: Option<u64>,
    /// What execution spends in each call.
    pub(crate) calls: Vec<u64>,
    /// Gas of stack operations and its lower bound, by estimated frequencies.
    pub(crate) stack: Option<(u64, u64)>,
    /// Processor seconds of the compiler, where recorded.
    pub(crate) seconds: Option<f64>,
}

/// Suites of the corpus: name and file. All are JSON rows.
const SUITES: [(&str, &str); 3] = [
    ("real", "real/real-dev.jsonl.gz"),
    ("scenario", "real/scenarios-dev.jsonl.gz"),
    ("semantic", "semantic/semantic-dev.jsonl.gz"),
];

/// Everything that is on this machine.
pub(crate) fn load() -> Outcome<Vec<Case>> {
    let mut cases = Vec::new();
    for path in files(&root().join("examples"), &["yul", "eir"])? {
        let part = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        cases.push(Case {
            name: format!("examples/{}", part(path.file_name()).unwrap_or_default()),
            extension: part(path.extension()).unwrap_or_default(),
            text: read(&path)?,
            scenario: None,
            recorded: BTreeMap::new(),
        });
    }
    let Some(folder) = corpus() else {
        let suites: Vec<&str> = SUITES.iter().map(|(suite, _)| *suite).collect();
        println!(
            "no corpus (CAIRN_CORPUS): skipped are {}; only the examples are measured",
            suites.join(", ")
        );
        return Ok(cases);
    };
    for (suite, file) in SUITES {
        let path = folder.join(file);
        if !path.is_file() {
            println!("no {}: skipped is {suite}", path.display());
            continue;
        }
        for row in rows(&path)? {
            cases.push(case(suite, &row)?);
        }
    }
    Ok(cases)
}

fn rows(path: &Path) -> Outcome<Vec<Value>> {
    let explain = |error: String| format!("{}: {error}", path.display());
    let file = std::fs::File::open(path).map_err(|error| explain(error.to_string()))?;
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(file);
    decoder.read_to_string(&mut text).map_err(|error| explain(error.to_string()))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| explain(error.to_string()))).collect()
}

fn case(suite: &str, row: &Value) -> Outcome<Case> {
    let name = format!("{suite}/{}", text(row, "name"));
    let explain = |what: String| format!("{name}: {what}");
    let scenario = row.get("steps").map(|steps| scenario(row, steps)).transpose().map_err(explain)?;
    let text = text(row, "yul").to_owned();
    Ok(Case { name, extension: "yul".to_owned(), text, scenario, recorded: recorded(row) })
}

/// Figures of `solc`'s modes, of `solar`, and of the native `solc` (which has only a time).
fn recorded(row: &Value) -> BTreeMap<String, Figures> {
    let modes = row["solc"].as_object().into_iter().flatten();
    let mut recorded: BTreeMap<String, Figures> =
        modes.filter_map(|(mode, given)| Some((mode.clone(), figures(given)?))).collect();
    let solar = &row["solar_0_3_0"];
    for (name, given) in [("solar", solar), ("solar_size", &solar["mode_size"])] {
        if let (Some(creation), Some(runtime)) = (given["creation"].as_u64(), given["runtime"].as_u64()) {
            let seconds = given["cpu"].as_f64();
            let found = Figures { creation, runtime, seconds, ..Figures::default() };
            recorded.entry(name.to_owned()).or_insert(found);
        }
    }
    if let Some(seconds) = row["solc_native_0_8_29"]["optimize"]["cpu"].as_f64() {
        let found = Figures { seconds: Some(seconds), ..Figures::default() };
        recorded.insert("solc native 0.8.29".to_owned(), found);
    }
    recorded
}

fn figures(given: &Value) -> Option<Figures> {
    Some(Figures {
        creation: given["creation_size"].as_u64()?,
        runtime: given["runtime_size"].as_u64()?,
        deploy: given["deploy_gas"].as_u64(),
        calls: given["step_exec_gas"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect(),
        stack: None,
        seconds: given["compile_seconds"].as_f64(),
    })
}

fn scenario(row: &Value, steps: &Value) -> Outcome<(Scenario, Vec<Expected>)> {
    let steps = steps.as_array().map(Vec::as_slice).unwrap_or_default();
    let calls: Outcome<Vec<Message>> = steps.iter().map(|step| message(step, "calldata")).collect();
    let mut expected = vec![expectation(&row["deploy"])?];
    for step in steps {
        expected.push(expectation(&step["expect"])?);
    }
    let deploy = message(row, "constructor_args")?;
    Ok((Scenario { environment: environment(row)?, deploy, calls: calls? }, expected))
}

fn environment(row: &Value) -> Outcome<Environment> {
    let mut environment = Environment::default();
    let given = &row["environment"];
    environment.number = given["number"].as_u64().unwrap_or(environment.number);
    environment.timestamp = given["timestamp"].as_u64().unwrap_or(environment.timestamp);
    for account in given["accounts"].as_array().map(Vec::as_slice).unwrap_or_default() {
        environment.accounts.push(address(account.as_str().unwrap_or(""))?);
    }
    Ok(environment)
}

fn message(value: &Value, data: &str) -> Outcome<Message> {
    let wei = text(value, "value");
    let wei = wei.parse::<U256>().map_err(|_| format!("`{wei}` is no number"))?;
    Ok(Message {
        data: bytes(text(value, data))?,
        value: wei,
        sender: address(text(value, "sender"))?,
        is_static: false,
    })
}

fn expectation(value: &Value) -> Outcome<Expected> {
    Ok(Expected { status: text(value, "status").to_owned(), output: bytes(text(value, "output"))? })
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or("")
}

fn bytes(digits: &str) -> Outcome<Bytes> {
    digits.parse().map_err(|_| format!("`{digits}` is no hex"))
}

fn address(digits: &str) -> Outcome<Address> {
    digits.parse().map_err(|_| format!("`{digits}` is no address"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mode_that_failed_has_no_figures() {
        let row = json!({
            "solc": {
                "via_ir": { "error": "stack too deep" },
                "legacy": { "creation_size": 12, "runtime_size": 10, "compile_seconds": 0.5 },
            },
            "solar_0_3_0": { "ok": true, "creation": 9, "runtime": 8, "cpu": 0.1 },
            "solc_native_0_8_29": { "optimize": { "error": "stack too deep", "cpu": 2.5 } },
        });
        let recorded = recorded(&row);
        let names: Vec<&str> = recorded.keys().map(String::as_str).collect();
        assert_eq!(names, ["legacy", "solar", "solc native 0.8.29"]);
        assert_eq!((recorded["legacy"].runtime, recorded["solar"].runtime), (10, 8));
        assert_eq!(recorded["solc native 0.8.29"].seconds, Some(2.5));
    }
}
