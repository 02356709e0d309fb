//! What `forge test --decode-internal` shows of a project's tests with solc's code and with Cairn's, test by test: the
//! calls, the functions of the source that the code goes through, events, results, where it fails; with `-vvvv` the
//! arguments of those functions, with `-vvvvv` changes of storage.
//!
//! Compared is code without optimizer, whose frames have to be those of the source. Gas, sizes of code, times and
//! addresses are left out of the comparison: they are of who compiled it.

use super::list::EXAMPLES_SOLC;
use super::tools::{Tools, parsed};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines by suite and test.
type Traces = BTreeMap<String, Vec<String>>;

/// What is shown of arguments depends on it.
const VERBOSITIES: [&str; 2] = ["-vvvv", "-vvvvv"];

/// Lines of one test that are shown where they differ.
const MAX_SHOWN: usize = 6;

/// Compares a project of this repository, of which this is a copy; what is wrong, if anything.
pub(crate) fn compare_example(name: &str, place: &Path, tools: &Tools, compiler: &Path) -> Option<String> {
    let run = |verbosity: &str, solc: &Path| {
        let mut command = tools.command("forge");
        command.args(["test", "--root", ".", "--force", verbosity, "--decode-internal", "--allow-failure"]);
        command.current_dir(place).env("NO_COLOR", "1").env("FOUNDRY_OPTIMIZER", "false");
        command.env("FOUNDRY_SOLC", solc).env("CAIRN_SOLC", tools.soljson(EXAMPLES_SOLC));
        parsed(command, traces)
    };
    let mut faults = Vec::new();
    for verbosity in VERBOSITIES {
        match (run(verbosity, &tools.solc(EXAMPLES_SOLC)), run(verbosity, compiler)) {
            (Ok(solc), Ok(cairn)) => faults.extend(differing(&solc, &cairn)),
            (Err(fault), _) | (_, Err(fault)) => faults.push(fault),
        }
    }
    let verdict = if faults.is_empty() { "the same with solc and Cairn".into() } else { faults.join("\n") };
    println!("traces: {name}: {verdict}");
    (!faults.is_empty()).then(|| format!("traces of {name}"))
}

/// The traces that forge prints.
fn traces(text: &str) -> Traces {
    let mut traces = Traces::new();
    let mut suite = "";
    let mut test = None;
    for line in text.lines() {
        if let Some(ran) = line.strip_prefix("Ran ") {
            // What follows the last says again which tests fail.
            let Some((_, next)) = ran.split_once(" for ") else { break };
            suite = next;
        } else if line.starts_with("Suite result") {
            test = None;
        } else if let Some(name) = name_of_test(line) {
            test = Some(format!("{suite} {name}"));
        }
        if let Some(test) = &test {
            traces.entry(test.clone()).or_default().push(without_costs(line));
        }
    }
    traces.values_mut().for_each(|lines| sort_changes(lines));
    traces
}

/// `[PASS] test_sum() (gas: 300)`, `[FAIL: too low] test_sum() (gas: 300)`: what stands before the parameters.
fn name_of_test(line: &str) -> Option<&str> {
    let (_, name) = line.strip_prefix("[PASS").or_else(|| line.strip_prefix("[FAIL"))?.split_once("] ")?;
    name.split_once('(').map(|(name, _)| name)
}

/// The line without numbers that depend on the code.
fn without_costs(line: &str) -> String {
    let line = line.split(" (gas: ").next().unwrap_or(line);
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_cost = |word: &str| {
        let inner = word.strip_prefix('[').and_then(|word| word.strip_suffix(']'));
        inner.is_some_and(is_number)
    };
    let is_size = line.ends_with(" bytes of code");
    let words = line.split(' ').map(|word| match word.split_once("@0x") {
        _ if is_cost(word) || (is_size && is_number(word)) => "…",
        Some((contract, _)) => contract,
        None => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Puts changes of storage that stand together in an order: that of the slots depends on the code.
fn sort_changes(lines: &mut [String]) {
    let is_change = |line: &String| line.contains(" @ ") && line.contains(" → ");
    lines.chunk_by_mut(|a, b| is_change(a) && is_change(b)).for_each(<[String]>::sort);
}

/// What differs, test by test: the first lines of each.
fn differing(solc: &Traces, cairn: &Traces) -> Vec<String> {
    let tests = solc.keys().chain(cairn.keys().filter(|test| !solc.contains_key(*test)));
    let nothing = Vec::new();
    let of_test = |test: &String| {
        let [solc, cairn] = [solc, cairn].map(|traces| traces.get(test).unwrap_or(&nothing));
        if solc == cairn {
            return None;
        }
        let n_same = solc.iter().zip(cairn).take_while(|(a, b)| a == b).count();
        let shown = |who: &str, lines: &[String]| {
            let lines = lines.iter().skip(n_same).take(MAX_SHOWN);
            lines.map(|line| format!("    {who}: {line}\n")).collect::<String>()
        };
        Some(format!("  {test} differs:\n{}{}", shown("solc", solc), shown("cairn", cairn)))
    };
    tests.filter_map(of_test).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Ran 2 tests for test/All.t.sol:All\n[PASS] test_a() (gas: 9)\nTraces:\n  [912] All::test_a()\n    \
                        ├─ [90] → new B@0x5615dEB798BB3E4dFa0139dFa1b3D433Cc23b72f\n    │   └─ ← [Return] 44 bytes of code\n    \
                        ├─ [7] All::f(912)\n    ├─  storage changes:\n    │   @ 2: 0 → 1\n    │   @ 1: 0 → 9\n    \
                        └─ ← [Stop]\n\n[FAIL: low] test_b(uint256) (runs: 2, μ: 3, ~: 3)\nSuite result: FAILED. 1 passed\n\n\
                        Ran 1 test suite in 2ms\n[FAIL: low] test_b(uint256) (runs: 2, μ: 3, ~: 3)\n";

    #[test]
    fn traces_are_read_without_what_depends_on_the_code() {
        let found = traces(TEXT);
        let names: Vec<_> = found.keys().map(String::as_str).collect();
        assert_eq!(names, ["test/All.t.sol:All test_a", "test/All.t.sol:All test_b"]);
        let lines = &found["test/All.t.sol:All test_a"];
        assert_eq!(lines[0], "[PASS] test_a()");
        assert_eq!(lines[2], "  … All::test_a()");
        assert_eq!(lines[3], "    ├─ … → new B");
        assert_eq!(lines[4], "    │   └─ ← [Return] … bytes of code");
        assert_eq!(lines[5], "    ├─ … All::f(912)", "an argument is none");
        assert_eq!(&lines[7..9], ["    │   @ 1: 0 → 9", "    │   @ 2: 0 → 1"]);
    }

    #[test]
    fn a_frame_less_is_told() {
        let solc = traces(TEXT);
        assert_eq!(differing(&solc, &traces(&TEXT.replace("[912]", "[5]"))), Vec::<String>::new());
        let cairn = traces(&TEXT.replace("    ├─ [7] All::f(912)\n", ""));
        let found = differing(&solc, &cairn).join("\n");
        assert!(found.contains("test_a differs") && found.contains("solc:     ├─ … All::f(912)"), "{found}");
        assert!(!found.contains("test_b"), "{found}");
        assert_eq!(differing(&solc, &Traces::new()).len(), 2);
    }
}
