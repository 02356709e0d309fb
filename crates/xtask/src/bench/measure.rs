//! One case at one level.

use super::cases::{Case, Expected};
use crate::project::Outcome;
use cairn_exec::{Run, Status, run_scenario};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The figures of one case at one level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// Case and level: `examples/loop.yul -O2`.
    pub(crate) key: String,
    pub(crate) suite: String,
    pub(crate) level: String,
    pub(crate) creation: u64,
    pub(crate) runtime: u64,
    pub(crate) deploy_gas: Option<u64>,
    pub(crate) call_gas: Option<u64>,
    /// Runtime size and gas of calls divided by solc's.
    pub(crate) size_ratio: Option<f64>,
    pub(crate) gas_ratio: Option<f64>,
    /// The first line of what went wrong.
    pub(crate) fault: Option<String>,
}

/// Builds, runs and compares.
pub(crate) fn measure(case: &Case, level: &str, binary: &Path) -> Row {
    let row = Row {
        key: format!("{} -O{level}", case.name),
        suite: case.name.split('/').next().unwrap_or("").to_owned(),
        level: level.to_owned(),
        ..Row::default()
    };
    let fault = |message: String, row: Row| Row { fault: message.lines().next().map(str::to_owned), ..row };
    let creation = match build(case, level, binary, "bin") {
        Ok(code) => code,
        Err(message) => return fault(message, row),
    };
    let runtime = match build(case, level, binary, "runtime") {
        Ok(code) => code.len() as u64,
        Err(message) => return fault(message, row),
    };
    let size_ratio = case.reference.map(|reference| ratio(runtime, reference.runtime));
    let row = Row { creation: creation.len() as u64, runtime, size_ratio, ..row };
    let Some((scenario, expected)) = &case.scenario else { return row };
    match run_scenario(scenario, &creation) {
        Ok(run) => {
            let difference = differs(&run, expected);
            let row = with_gas(row, case, &run);
            Row { fault: difference, ..row }
        }
        Err(rejected) => fault(rejected.to_string(), row),
    }
}

fn ratio(ours: u64, theirs: u64) -> f64 {
    ours.max(1) as f64 / theirs.max(1) as f64
}

fn with_gas(row: Row, case: &Case, run: &Run) -> Row {
    let gas: Vec<u64> = run.outcomes.iter().map(|outcome| outcome.gas.execution).collect();
    let Some((deploy, calls)) = gas.split_first() else { return row };
    let calls: u64 = calls.iter().sum();
    let reference = case.reference.and_then(|reference| reference.gas).filter(|gas| *gas > 0);
    let gas_ratio = reference.map(|reference| ratio(calls, reference));
    Row { deploy_gas: Some(*deploy), call_gas: Some(calls), gas_ratio, ..row }
}

/// The first transaction whose status or output is not the recorded one.
fn differs(run: &Run, expected: &[Expected]) -> Option<String> {
    let deployed = expected.first().is_some_and(|first| first.status == "success");
    let expected = if deployed { expected } else { &expected[..expected.len().min(1)] };
    if run.outcomes.len() != expected.len() {
        return Some(format!("{} transactions instead of {}", run.outcomes.len(), expected.len()));
    }
    run.outcomes.iter().zip(expected).enumerate().find_map(|(index, (outcome, expected))| {
        let status = match outcome.status {
            Status::Success => "success",
            Status::Revert => "revert",
            Status::Halt => "halt",
        };
        // The output of a deployment is code.
        let same_output = (index == 0 && status == "success") || outcome.output == expected.output;
        let same = status == expected.status && same_output;
        (!same)
            .then(|| format!("transaction {index}: {status} instead of {}, or other output", expected.status))
    })
}

/// The code that `cairn build` prints. Unlinked libraries have the address zero.
fn build(case: &Case, level: &str, binary: &Path, emit: &str) -> Outcome<Vec<u8>> {
    let file = tempfile::Builder::new().suffix(&format!(".{}", case.extension)).tempfile();
    let mut file = file.map_err(|error| error.to_string())?;
    file.write_all(case.text.as_bytes()).map_err(|error| error.to_string())?;
    let mut command = Command::new(binary);
    command.args(["--quiet", "build", &format!("-O{level}"), "--emit", emit]).arg(file.path());
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let digits = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    cairn_evm::hex::decode(without_placeholders(&digits)).map_err(|error| error.to_string())
}

/// Zeros instead of `__$…$__`.
fn without_placeholders(digits: &str) -> String {
    let mut plain = digits.to_owned();
    while let Some(start) = plain.find("__$") {
        let end = plain.len().min(start + 40);
        plain.replace_range(start..end, &"0".repeat(end - start));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_become_zeros() {
        let hash = "0123456789abcdef0123456789abcdef01";
        assert_eq!(without_placeholders(&format!("73__${hash}$__00")), format!("73{}00", "0".repeat(40)));
    }
}
