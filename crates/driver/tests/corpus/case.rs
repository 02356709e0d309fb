//! One recorded case: sources, a deployment, calls, and what happened.

use cairn_exec::{Address, Environment, Message, Outcome, Run, Scenario, U256, account, run_scenario};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

#[derive(Deserialize, Default)]
struct RecordedEnvironment {
    #[serde(default)]
    number: u64,
    #[serde(default)]
    timestamp: u64,
    #[serde(default)]
    accounts: Vec<String>,
}

#[derive(Deserialize)]
struct RecordedLog {
    address: String,
    topics: Vec<String>,
    data: String,
}

#[derive(Deserialize)]
struct Expect {
    status: String,
    #[serde(default)]
    output: String,
    #[serde(default)]
    logs: Vec<RecordedLog>,
}

#[derive(Deserialize)]
struct Step {
    calldata: String,
    #[serde(default)]
    value: String,
    #[serde(default)]
    sender: String,
    expect: Expect,
}

/// A recorded case.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    #[serde(default)]
    environment: RecordedEnvironment,
    yul: String,
    yul_optimized: String,
    #[serde(default)]
    constructor_args: String,
    #[serde(default)]
    value: String,
    #[serde(default)]
    sender: String,
    deploy: Expect,
    steps: Vec<Step>,
    #[serde(default)]
    post_storage: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    post_balances: BTreeMap<String, String>,
}

fn lines(path: &Path) -> impl Iterator<Item = String> {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines().map(|line| line.expect("readable gzip"))
}

/// Reads all cases of a file.
pub(crate) fn read(path: &Path) -> Vec<Case> {
    lines(path).map(|line| serde_json::from_str(&line).expect("a case")).collect()
}

/// Reads names and Yul of all contracts of a file.
pub(crate) fn read_sources(path: &Path) -> Vec<(String, String)> {
    #[derive(Deserialize)]
    struct Contract {
        name: String,
        yul: String,
    }
    let contracts = lines(path).map(|line| serde_json::from_str::<Contract>(&line).expect("a contract"));
    contracts.map(|contract| (contract.name, contract.yul)).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    cairn_evm::hex::decode(hex).expect("hex in the record")
}

fn number(text: &str) -> U256 {
    if text.is_empty() { U256::ZERO } else { text.parse().expect("a number in the record") }
}

fn address(text: &str) -> Address {
    if text.is_empty() { account(0) } else { text.parse().expect("an address in the record") }
}

impl Case {
    /// The unoptimized Yul.
    pub(crate) fn yul(&self) -> &str {
        &self.yul
    }

    /// The Yul that solc optimized.
    pub(crate) fn yul_optimized(&self) -> &str {
        &self.yul_optimized
    }

    /// Deploys and calls `code`; an error says what differs from the record.
    pub(crate) fn judge(&self, code: &[u8]) -> Result<(), String> {
        let message = |data: &str, value: &str, sender: &str| {
            Message::new(bytes(data)).with_value(number(value)).from(address(sender))
        };
        let scenario = Scenario {
            environment: Environment {
                number: self.environment.number,
                timestamp: self.environment.timestamp,
                accounts: self.environment.accounts.iter().map(|text| address(text)).collect(),
                ..Environment::default()
            },
            deploy: message(&self.constructor_args, &self.value, &self.sender),
            calls: self.steps.iter().map(|step| message(&step.calldata, &step.value, &step.sender)).collect(),
        };
        let run = run_scenario(&scenario, code).map_err(|error| error.to_string())?;
        let expects = std::iter::once(&self.deploy).chain(self.steps.iter().map(|step| &step.expect));
        for (index, (outcome, expect)) in run.outcomes.iter().zip(expects).enumerate() {
            compare(outcome, expect).map_err(|what| format!("transaction {index}: {what}"))?;
        }
        self.compare_state(&run)
    }

    fn compare_state(&self, run: &Run) -> Result<(), String> {
        let last = run.observations.last().ok_or("nothing ran")?;
        let storage: BTreeMap<Address, BTreeMap<U256, U256>> = self
            .post_storage
            .iter()
            .map(|(account, slots)| {
                (address(account), slots.iter().map(|(key, value)| (number(key), number(value))).collect())
            })
            .collect();
        if last.storage != storage {
            return Err(format!("storage {:?} instead of {storage:?}", last.storage));
        }
        let balances: BTreeMap<Address, U256> =
            self.post_balances.iter().map(|(account, wei)| (address(account), number(wei))).collect();
        // The record lists what further accounts were given at the start, too.
        let further: Vec<Address> = self.environment.accounts.iter().map(|text| address(text)).collect();
        let is_unchanged =
            |account: &Address, wei: &U256| further.contains(account) && *wei == U256::from(1) << 100;
        let balances: BTreeMap<Address, U256> =
            balances.into_iter().filter(|(account, wei)| !is_unchanged(account, wei)).collect();
        if last.balances != balances {
            return Err(format!("balances {:?} instead of {balances:?}", last.balances));
        }
        Ok(())
    }
}

fn compare(outcome: &Outcome, expect: &Expect) -> Result<(), String> {
    if outcome.status.to_string() != expect.status {
        return Err(format!("{} ({}) instead of {}", outcome.status, outcome.halt_reason, expect.status));
    }
    if outcome.created.is_none() && outcome.output[..] != bytes(&expect.output)[..] {
        return Err(format!("output {} instead of 0x{}", outcome.output, expect.output));
    }
    let logs_agree = outcome.logs.len() == expect.logs.len()
        && outcome.logs.iter().zip(&expect.logs).all(|(log, wanted)| {
            log.address == address(&wanted.address)
                && log
                    .topics
                    .iter()
                    .map(|topic| topic[..].to_vec())
                    .eq(wanted.topics.iter().map(|t| bytes(t)))
                && log.data[..] == bytes(&wanted.data)[..]
        });
    if logs_agree { Ok(()) } else { Err(format!("logs {:?}", outcome.logs)) }
}
