//! What continuous integration proves: programs of this repository, a sample of the semantic tests, and ten contracts
//! at three levels. A difference fails it, and so do fewer proofs than there should be.
//!
//! Functions have little time here: nearly all that are proven at all are proven in it, and no change of the compiler
//! or the prover loses many of them unseen.

use super::run;
use crate::project::{Outcome, is_installed};
use std::path::Path;

/// Processor time for a function, in seconds.
const SECONDS: usize = 1;

/// A sample.
struct Watched {
    suite: &'static str,
    level: &'static str,
    /// Functions of a hundred that have to be proven, whole or to the bound: what is reached, less what a busy machine
    /// may cost.
    floor: usize,
}

const WATCHED: [Watched; 5] = [
    Watched { suite: "own", level: "2", floor: 85 },
    Watched { suite: "semantic", level: "2", floor: 80 },
    Watched { suite: "real", level: "2", floor: 75 },
    Watched { suite: "real", level: "s", floor: 75 },
    Watched { suite: "real", level: "3", floor: 75 },
];

/// Proves all of them with this program; without a solver nothing.
///
/// # Errors
/// Says which samples fell short, once all are done.
pub(crate) fn run_watched(cairn: &Path) -> Outcome {
    if !["bitwuzla", "z3", "cvc5"].iter().any(|solver| is_installed(solver)) {
        println!("no solver (bitwuzla, z3, cvc5): skipped");
        return Ok(());
    }
    let mut faults = Vec::new();
    for Watched { suite, level, floor } in WATCHED {
        println!("\n== {suite} -O{level}");
        let numbers = [SECONDS, floor].map(|number| number.to_string());
        let cairn = cairn.to_string_lossy();
        let words = [
            "--suite",
            suite,
            "--level",
            level,
            "--timeout",
            &numbers[0],
            "--floor",
            &numbers[1],
            "--cairn",
            &cairn,
        ];
        let words = words.map(str::to_owned);
        if let Err(fault) = run(&words) {
            faults.push(format!("{suite} -O{level}: {fault}"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}
