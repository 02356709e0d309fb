//! `--examples`: the projects below `examples/` as a user would run them, at each level, what slither finds in
//! one of them, what coverage counts in that and in a project of all kinds of statements (`tests/coverage`), and
//! what traces show of a project of all kinds of calls (`tests/traces`).
//!
//! They run in copies below `target/projects`, such that nothing is written into the repository.

use super::coverage;
use super::hardhat;
use super::one_example::{copy_from, copy_of, test};
use super::options::Request;
use super::slither::Slither;
use super::tools::Tools;
use super::traces;
use crate::project::Outcome;
use std::path::Path;

/// How the library of `examples/foundry` is linked.
struct Linking {
    /// Said behind the example's name.
    name: &'static str,
    arguments: &'static [&'static str],
    variable: Option<(&'static str, &'static str)>,
}

/// Where forge does not deploy the library itself, the tests below `linked` demand that it is called at the
/// given address.
const LINKINGS: [Linking; 3] = [
    Linking { name: "", arguments: &[], variable: None },
    Linking {
        name: ", linked by foundry.toml",
        arguments: &[],
        variable: Some(("FOUNDRY_PROFILE", "linked")),
    },
    Linking {
        name: ", linked by --libraries",
        arguments: &["--libraries", "src/Schedule.sol:Schedule:0x00000000000000000000000000000000000A11B1"],
        variable: Some(("FOUNDRY_TEST", "linked")),
    },
];

/// Tests of `tests/coverage` that are counted together: what ways are taken shows where not all are.
const RUNS: [&str; 4] = ["", "test_taken", "test_other", "test_neither"];

/// Runs the examples.
///
/// # Errors
/// A test fails. What can't be installed is skipped with a word.
pub(crate) fn run(request: &Request, tools: &Tools, compiler: &Path, folder: &Path) -> Outcome {
    let mut failed = Vec::new();
    let foundry = copy_of("foundry", folder)?;
    for level in &request.levels {
        for linking in &LINKINGS {
            let mut forge = tools.command("forge");
            forge.args(["test", "--root", ".", "--force"]).args(linking.arguments).envs(linking.variable);
            forge.current_dir(&foundry).env("FOUNDRY_SOLC", compiler);
            failed.extend(test(forge, tools, &format!("examples/foundry{} -O{level}", linking.name), level)?);
        }
    }
    failed.extend(coverage::compare_example("examples/foundry", &foundry, "", tools, compiler));
    let statements = copy_from("tests", "coverage", folder)?;
    for tests in RUNS {
        failed.extend(coverage::compare_example("tests/coverage", &statements, tests, tools, compiler));
    }
    let calls = copy_from("tests", "traces", folder)?;
    failed.extend(traces::compare_example("tests/traces", &calls, tools, compiler));
    if let Some(slither) = Slither::install(tools, compiler, folder) {
        failed.extend(slither.compare_example(&foundry)?);
    }
    failed.extend(hardhat::run(request, tools, compiler, folder)?);
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}
