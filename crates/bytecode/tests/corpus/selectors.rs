//! Selectors against the interfaces that compilers state.

use crate::common::{CpuTime, Rows, hex};
use cairn_bytecode::find_cases;
use cairn_evm::keccak256;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default, Debug)]
pub(crate) struct SelectorFigures {
    pub(crate) contracts: usize,
    truth: usize,
    found: usize,
    claimed: usize,
    seconds: f64,
    payable_known: usize,
    payable_right: usize,
    pub(crate) faults: Vec<String>,
}

impl SelectorFigures {
    pub(crate) fn recall(&self) -> f64 {
        self.found as f64 / self.truth as f64
    }

    pub(crate) fn precision(&self) -> f64 {
        self.found as f64 / self.claimed as f64
    }

    pub(crate) fn payable_right(&self) -> f64 {
        self.payable_right as f64 / self.payable_known as f64
    }

    pub(crate) fn line(&self) -> String {
        format!(
            "selectors of {} contracts: recall {:.3}% of {}, precision {:.3}% of {}; payable right for {:.3}% of {}; {:.0} contracts/s",
            self.contracts,
            100.0 * self.recall(),
            self.truth,
            100.0 * self.precision(),
            self.claimed,
            100.0 * self.payable_right(),
            self.payable_known,
            self.contracts as f64 / self.seconds,
        )
    }
}

/// Looks at every `step`-th contract with a stated interface.
pub(crate) fn measure(step: usize) -> Option<SelectorFigures> {
    let is_dev = |row: &serde_json::Value| row["split"] == "dev";
    let name_of = |row: &serde_json::Value| row["name"].as_str().expect("a name").to_owned();
    let codes = Rows::open("bytecodes")?.filter(is_dev);
    let codes: BTreeMap<String, Vec<u8>> =
        codes.map(|row| (name_of(&row), hex(row["runtime"].as_str().expect("digits")))).collect();
    let mut figures = SelectorFigures::default();
    for row in Rows::open("functions-truth")?.filter(is_dev).step_by(step) {
        let Some(abi) = row["abi"].as_array().filter(|abi| !abi.is_empty()) else { continue };
        let selector = |entry: &serde_json::Value| {
            let hash = keccak256(entry[0].as_str().expect("a signature"));
            u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]])
        };
        let payable: BTreeMap<u32, bool> =
            abi.iter().map(|entry| (selector(entry), entry[1] == "payable")).collect();
        let truth: BTreeSet<u32> = payable.keys().copied().collect();
        let name = name_of(&row);
        let code = &codes[&name];
        let start = CpuTime::now();
        let cases = find_cases(code, Default::default());
        figures.seconds += start.elapsed();
        let found: BTreeSet<u32> = cases.iter().map(|case| case.selector).collect();
        for case in cases.iter().filter(|case| payable.contains_key(&case.selector)) {
            figures.payable_known += 1;
            figures.payable_right += usize::from(payable[&case.selector] == case.payable);
        }
        figures.contracts += 1;
        figures.truth += truth.len();
        figures.claimed += found.len();
        figures.found += truth.intersection(&found).count();
        let list =
            |set: Vec<&u32>| set.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ");
        if truth != found {
            let (missed, wrong) =
                (list(truth.difference(&found).collect()), list(found.difference(&truth).collect()));
            figures.faults.push(format!("{name}: missed {missed}, wrong {wrong}"));
        }
    }
    Some(figures)
}
