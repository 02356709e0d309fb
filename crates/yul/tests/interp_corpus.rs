//! Runs of programs: trace, memory and storage as in solc's interpreter tests.

#[allow(dead_code, reason = "shared by several test binaries")]
mod common;

use cairn_diag::FileId;
use cairn_yul::interp::{ExternalCalls, Limits, World, run};
use cairn_yul::parse;
use common::{Case, cases, corpus};

fn dump(case: &Case) -> Vec<String> {
    let dialect = case.dialect();
    let parsed = parse(&case.source, FileId(0), &dialect);
    let object = parsed.object.unwrap_or_else(|| panic!("{}: {:?}", case.name, parsed.diagnostics));
    let external_calls = match case.setting("simulateExternalCall") {
        Some("true") => ExternalCalls::RunOwnCode,
        _ => ExternalCalls::Ignore,
    };
    let world = World { external_calls, ..World::default() };
    let limits = Limits { expression: 64, ..Limits::default() };
    run(&object, &dialect, &world, &limits).dump().lines().map(str::to_owned).collect()
}

#[test]
fn runs_are_those_of_solc() {
    let Some(corpus) = corpus() else { return };
    let cases = cases(&corpus, "yul/yulInterpreterTests");
    let is_different = |case: &&Case| dump(case) != case.expectation;
    let different: Vec<String> = cases
        .iter()
        .filter(is_different)
        .map(|case| {
            format!("{}:\n{}\nexpected\n{}", case.name, dump(case).join("\n"), case.expectation.join("\n"))
        })
        .collect();
    assert!(different.is_empty(), "{} of {} differ:\n{}", different.len(), cases.len(), different.join("\n"));
}
