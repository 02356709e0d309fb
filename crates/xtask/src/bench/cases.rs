//! What is measured.

use crate::project::{Outcome, corpus, files, read, root};
use cairn_exec::{Address, Bytes, Environment, Message, Scenario, U256};
use serde_json::Value;
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
    /// Runtime size and gas of all calls, as recorded for solc.
    pub(crate) reference: Option<Reference>,
}

/// What a transaction did when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) status: String,
    pub(crate) output: Bytes,
}

/// solc's figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    pub(crate) runtime: u64,
    pub(crate) gas: Option<u64>,
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
            reference: None,
        });
    }
    let Some(folder) = corpus() else {
        println!("no corpus: only the examples are measured");
        return Ok(cases);
    };
    for (suite, file) in SUITES {
        for row in rows(&folder.join(file))? {
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
    let via_ir = &row["solc"]["via_ir"];
    let gas = via_ir["step_exec_gas"].as_array().map(|steps| steps.iter().filter_map(Value::as_u64).sum());
    let reference = via_ir["runtime_size"].as_u64().map(|runtime| Reference { runtime, gas });
    let text = text(row, "yul").to_owned();
    Ok(Case { name, extension: "yul".to_owned(), text, scenario, reference })
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
    Ok(Message { data: bytes(text(value, data))?, value: wei, sender: address(text(value, "sender"))? })
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
