//! What is proven: fixed samples of the corpus, and programs of our own.

use super::peers;
use crate::project::{Outcome, files, read, root, shown};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suite {
    /// Functions that the semantic tests call, compiled.
    Semantic,
    /// Contracts that are in use, all functions.
    Real,
    /// Code of the chain and what Cairn makes of it, all functions.
    Chain,
    /// Programs of this repository, all functions.
    Own,
    /// What solc's optimizer makes of contracts of our own, all functions.
    Trial,
    /// What Cairn makes of the contracts of [`Suite::Real`], against solc without its optimizer, all functions.
    Solc,
    /// What solar makes of them, against the same.
    Solar,
}

/// Folders with programs of our own; of file tests those that are run.
const OWN: [&str; 2] = ["examples", "tests/filetests/build"];

/// Of the semantic tests those whose number has this remainder.
const SEMANTIC: (usize, usize) = (3, 8);
/// Of the codes of the chain those whose number among them has this remainder.
const CHAIN: (usize, usize) = (5, 15);
/// The folder that is a uniform sample of the chain.
const CHAIN_ORIGIN: &str = "elipmoc-contracts";

/// Tokens of three houses, an exchange, rates, a wallet, a governor.
const REAL: [&str; 10] = [
    "openzeppelin/contracts/OZERC20",
    "openzeppelin/contracts/OZERC721",
    "openzeppelin/contracts/OZERC1155",
    "solmate/SolmateERC20",
    "solmate/SolmateERC721",
    "solady/SoladyERC721",
    "uniswap/v2-core/UniswapV2Pair",
    "aave/core-v3/DefaultReserveInterestRateStrategy",
    "openzeppelin/contracts/VestingWallet",
    "openzeppelin/contracts/OZGovernor",
];

impl Suite {
    pub(super) fn named(name: &str) -> Outcome<Suite> {
        match name {
            "semantic" => Ok(Suite::Semantic),
            "real" => Ok(Suite::Real),
            "chain" => Ok(Suite::Chain),
            "own" => Ok(Suite::Own),
            "trial" => Ok(Suite::Trial),
            "solc" => Ok(Suite::Solc),
            "solar" => Ok(Suite::Solar),
            _ => {
                let known = "semantic, real, chain, own, trial, solc and solar";
                Err(format!("no sample `{name}`; there are {known}"))
            }
        }
    }

    /// How much of it is proven if nobody says: functions or contracts.
    pub(super) fn size(self) -> usize {
        match self {
            Suite::Semantic => 200,
            Suite::Real | Suite::Solc | Suite::Solar => REAL.len(),
            Suite::Chain => 50,
            Suite::Own | Suite::Trial => usize::MAX,
        }
    }

    /// Seconds for each function if nobody says.
    pub(super) fn seconds(self) -> usize {
        match self {
            Suite::Semantic | Suite::Chain | Suite::Trial => 15,
            Suite::Real => 20,
            Suite::Solc | Suite::Solar => 6,
            Suite::Own => 2,
        }
    }

    pub(super) fn counts_functions(self) -> bool {
        self == Suite::Semantic
    }

    fn file(self) -> &'static str {
        match self {
            Suite::Semantic => "semantic/semantic-dev.jsonl.gz",
            Suite::Real | Suite::Solc | Suite::Solar => "real/real-dev.jsonl.gz",
            Suite::Chain => "bytecode/bytecodes.jsonl.gz",
            Suite::Own | Suite::Trial => "",
        }
    }
}

/// A program and its functions.
pub(super) struct Subject {
    pub(super) name: String,
    /// Yul, or code in hex.
    pub(super) text: String,
    pub(super) other: Other,
    /// Selectors; all functions if there are none.
    pub(super) functions: Vec<String>,
    /// Selectors of functions that are known to differ.
    pub(super) differs: Vec<String>,
}

/// What a program is proven against.
pub(super) enum Other {
    /// What Cairn compiles it to; the program is Yul.
    Compiled,
    /// What Cairn makes of its code.
    Recompiled,
    /// Another code, in hex.
    Code(String),
    /// What Cairn compiles other Yul to.
    Built(String),
}

impl Subject {
    /// Yul and its own compile.
    fn yul(name: String, text: String, functions: Vec<String>) -> Self {
        Subject { name, text, other: Other::Compiled, functions, differs: Vec::new() }
    }

    /// A code in hex, all functions.
    fn code(name: String, text: String, other: Other) -> Self {
        Subject { name, text, other, functions: Vec::new(), differs: Vec::new() }
    }

    pub(super) fn file_name(&self) -> &'static str {
        match self.other {
            Other::Compiled => "program.yul",
            Other::Recompiled | Other::Code(_) | Other::Built(_) => "program.hex",
        }
    }
}

/// Calls `visit` on each program of this repository that is Yul.
pub(super) fn each_own(visit: &mut dyn FnMut(Subject) -> Outcome<bool>) -> Outcome {
    for folder in OWN {
        for path in files(&root().join(folder), &["yul"])? {
            let text = read(&path)?;
            let is_run = text.contains("\n//! exec:") || folder == "examples";
            let subject = Subject::yul(shown(&path), text, Vec::new());
            if is_run && !visit(subject)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Calls `visit` on each program of a sample until it says that it has enough.
pub(super) fn each(
    corpus: &Path,
    suite: Suite,
    filter: &str,
    visit: &mut dyn FnMut(Subject) -> Outcome<bool>,
) -> Outcome {
    let file = std::fs::File::open(corpus.join(suite.file())).map_err(|error| error.to_string())?;
    let mut number = 0;
    for row in BufReader::new(GzDecoder::new(file)).lines() {
        let row: Value = serde_json::from_str(&row.map_err(|error| error.to_string())?)
            .map_err(|error| format!("{}: {error}", suite.file()))?;
        let Some(subject) = chosen(suite, &row, &mut number) else { continue };
        if subject.name.contains(filter) && !visit(subject)? {
            break;
        }
    }
    Ok(())
}

/// The program of a row, if it is in the sample; `number` counts the rows that could be.
fn chosen(suite: Suite, row: &Value, number: &mut usize) -> Option<Subject> {
    let name = row["name"].as_str()?.to_owned();
    let text = |key: &str| row[key].as_str().unwrap_or("").to_owned();
    let mut is_next = |(remainder, stride): (usize, usize)| {
        *number += 1;
        (*number - 1) % stride == remainder
    };
    match suite {
        Suite::Semantic => {
            let functions: Vec<String> = selectors(row).into_iter().collect();
            let is_chosen = is_next(SEMANTIC) && !functions.is_empty();
            is_chosen.then(|| Subject::yul(name, text("yul"), functions))
        }
        Suite::Real => {
            let is_chosen = REAL.contains(&name.as_str());
            is_chosen.then(|| Subject::yul(name, text("yul"), Vec::new()))
        }
        Suite::Solc | Suite::Solar if !REAL.contains(&name.as_str()) => None,
        Suite::Solc => Some(Subject::code(name, peers::unoptimized(row)?, Other::Built(text("yul")))),
        Suite::Solar => Some(Subject::code(name, peers::unoptimized(row)?, Other::Code(peers::solar(row)?))),
        Suite::Own | Suite::Trial => None,
        Suite::Chain => {
            let is_chosen = row["origin"].as_str()?.contains(CHAIN_ORIGIN) && is_next(CHAIN);
            is_chosen.then(|| Subject::code(name, text("runtime"), Other::Recompiled))
        }
    }
}

/// Selectors of the functions that the corpus calls.
fn selectors(row: &Value) -> BTreeSet<String> {
    let steps = row["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let calls = steps.iter().filter(|step| step["signature"].as_str() != Some("()"));
    calls.filter_map(|step| step["calldata"].as_str()?.get(..8).map(str::to_owned)).collect()
}
