//! Internal functions against what solc says of them.

use crate::common::{Rows, hex};
use cairn_bytecode::analyze;
use std::collections::BTreeMap;

#[derive(Default, Debug)]
pub(crate) struct FunctionFigures {
    truth: usize,
    found: usize,
    exact: usize,
    claimed: usize,
    true_claims: usize,
    missed: Vec<String>,
    false_claims: Vec<String>,
    wrong: Vec<String>,
}

impl FunctionFigures {
    pub(crate) fn recall(&self) -> f64 {
        self.found as f64 / self.truth as f64
    }

    pub(crate) fn precision(&self) -> f64 {
        self.true_claims as f64 / self.claimed as f64
    }

    pub(crate) fn line(&self) -> String {
        format!(
            "functions {}: entry recall {:.2}%, precision {:.2}% of {}, arity exact {:.2}%",
            self.truth,
            100.0 * self.recall(),
            100.0 * self.precision(),
            self.claimed,
            100.0 * self.exact as f64 / self.found as f64
        )
    }

    pub(crate) fn print_faults(&self) {
        let lists = [("missed", &self.missed), ("false", &self.false_claims), ("wrong", &self.wrong)];
        for (title, list) in lists {
            list.iter().for_each(|line| println!("{title}: {line}"));
        }
    }
}

/// solc 0.7 and later, by the corpus' note of the compiler.
fn is_new_solc(compiler: Option<&str>) -> bool {
    let Some(version) = compiler.and_then(|text| text.strip_prefix("solc ")) else { return false };
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next(), parts.next()) >= (Some(0), Some(7))
}

/// Looks at every `step`-th contract with facts.
pub(crate) fn measure(step: usize) -> Option<FunctionFigures> {
    let mut codes = BTreeMap::new();
    for row in Rows::open("bytecodes")? {
        let name = row["name"].as_str().expect("a name").to_owned();
        codes.insert(
            name,
            (row["runtime"].as_str().expect("hex").to_owned(), row["compiler"].as_str().map(str::to_owned)),
        );
    }
    let mut figures = FunctionFigures::default();
    for row in Rows::open("functions-truth")?.step_by(step) {
        let name = row["name"].as_str().expect("a name");
        let (code, compiler) = &codes[name];
        if !is_new_solc(compiler.as_deref()) {
            continue;
        }
        compare_functions(name, &hex(code), &row, &mut figures);
    }
    Some(figures)
}

fn compare_functions(name: &str, code: &[u8], row: &serde_json::Value, figures: &mut FunctionFigures) {
    let analysis = analyze(code);
    let found: BTreeMap<u64, _> = analysis
        .functions
        .iter()
        .map(|function| (u64::from(analysis.blocks.get(function.entry).start), function))
        .collect();
    let list = row["functions"].as_array().expect("a list");
    let truth: BTreeMap<u64, &serde_json::Value> =
        list.iter().map(|item| (item["entry"].as_u64().expect("an offset"), item)).collect();
    if truth.is_empty() {
        return;
    }
    for (entry, item) in &truth {
        figures.truth += 1;
        let Some(function) = found.get(entry) else {
            figures
                .missed
                .push(format!("{name} {:#x} {} {}/{}", entry, item["name"], item["params"], item["rets"]));
            continue;
        };
        figures.found += 1;
        let rets = item["rets"].as_u64();
        let same = item["params"].as_u64() == Some(u64::from(function.params))
            && (function.rets.is_none() || rets == function.rets.map(u64::from));
        figures.exact += usize::from(same);
        if !same {
            figures.wrong.push(format!(
                "{name} {entry:#x} {} {}/{} found {}/{:?}",
                item["name"], item["params"], item["rets"], function.params, function.rets
            ));
        }
    }
    for (entry, function) in &found {
        figures.claimed += 1;
        figures.true_claims += usize::from(truth.contains_key(entry));
        if !truth.contains_key(entry) {
            figures.false_claims.push(format!("{name} {entry:#x} {}/{:?}", function.params, function.rets));
        }
    }
}
