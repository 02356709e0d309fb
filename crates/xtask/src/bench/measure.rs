//! One case compiled in one way.

use super::cases::{Case, Expected, Figures};
use crate::project::Outcome;
use cairn_exec::{Run, Status, run_scenario};
use std::ffi::OsString;
use std::io::Write;
use std::process::{Command, Stdio};

/// A way to compile: a command that takes a file and prints creation code in hex as its last line.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    /// `-O2`, `without inline`, `solc (npm)`.
    pub(crate) name: String,
    pub(crate) command: Vec<OsString>,
    /// Whether the command is the program of this repository.
    pub(crate) kind: Kind,
}

/// Whose compiler it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Cairn at a level.
    Level,
    /// Cairn at the default level without one pass.
    WithoutPass,
    /// Another compiler; it takes Yul only.
    Peer,
}

/// The figures of one case compiled in one way.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Index of the case.
    pub(crate) case: usize,
    /// Name of the compiler.
    pub(crate) compiler: String,
    pub(crate) figures: Figures,
    /// The first line of what went wrong.
    pub(crate) fault: Option<String>,
}

/// Builds, runs and compares with what is recorded.
pub(crate) fn measure(index: usize, case: &Case, compiler: &Compiler) -> Row {
    let row = Row { case: index, compiler: compiler.name.clone(), figures: Figures::default(), fault: None };
    let fault = |message: String| message.lines().next().map(str::to_owned);
    let (creation, figures) = match build(case, compiler) {
        Ok(code) => code,
        Err(message) => return Row { fault: fault(message), ..row },
    };
    let Some((scenario, expected)) = &case.scenario else { return Row { figures, ..row } };
    match run_scenario(scenario, &creation) {
        Ok(run) => Row { fault: differs(&run, expected), figures: with_gas(figures, &run), ..row },
        Err(rejected) => Row { fault: fault(rejected.to_string()), figures, ..row },
    }
}

fn with_gas(figures: Figures, run: &Run) -> Figures {
    let calls = run.outcomes.iter().skip(1).map(|outcome| outcome.gas.execution).collect();
    Figures {
        runtime: run.runtime.len() as u64,
        deploy: run.outcomes.first().map(|deploy| deploy.gas.total),
        calls,
        ..figures
    }
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

/// Creation code, and what else is said of it.
fn build(case: &Case, compiler: &Compiler) -> Outcome<(Vec<u8>, Figures)> {
    let file = tempfile::Builder::new().suffix(&format!(".{}", case.extension)).tempfile();
    let mut file = file.map_err(|error| error.to_string())?;
    file.write_all(case.text.as_bytes()).map_err(|error| error.to_string())?;
    let (program, arguments) = compiler.command.split_first().ok_or("a compiler without a command")?;
    let output = Command::new(program).args(arguments).arg(file.path()).stdin(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(if text.is_empty() { output.status.to_string() } else { text });
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (text, stats) = text.split_once("======= stats =======").unwrap_or((&text, "{}"));
    let stats: serde_json::Value = serde_json::from_str(stats).map_err(|error| error.to_string())?;
    let creation = code(text)?;
    let stack = |field: &str| Some(stats["stack"][field].as_f64()?.round() as u64);
    let figures = Figures {
        creation: creation.len() as u64,
        runtime: stats["runtime_size"].as_u64().unwrap_or(0),
        stack: stack("gas").zip(stack("gas_bound")),
        ..Figures::default()
    };
    Ok((creation, figures))
}

/// The last line that is not empty. Unlinked libraries have the address zero.
fn code(text: &str) -> Outcome<Vec<u8>> {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let digits = without_placeholders(line.trim_start_matches("0x"));
    cairn_evm::hex::decode(digits).map_err(|error| error.to_string())
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

    #[test]
    fn code_is_the_last_line() {
        assert_eq!(code("Binary representation:\n0x6001\n\n"), Ok(vec![0x60, 1]));
        assert!(code("no hex\n").is_err());
    }
}
