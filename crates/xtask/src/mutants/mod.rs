//! `mutants`: breaks the compiler in many small ways and asks whether the tests see it.
//!
//! Definitions: a *site* is a place in the code with one or more *mutants*: what else could stand
//! there. All mutants are compiled into one copy of the workspace at once; which one is active says an
//! environment variable (mutant schemata; Untch, Offutt and Harrold, 1993). So there is one build,
//! not one a mutant.
//!
//! 1. [`tree`] copies the workspace, [`sites`] finds the sites, [`weave`] writes the mutants in.
//!    Mutants that do not compile are dropped.
//! 2. The *probe* (`examples/fingerprint.rs` of the driver) compiles many inputs at every level.
//!    Mutants that no input reaches, or that change no byte of any output, are not counted: they
//!    change a remark, a time, or nothing.
//! 3. For each mutant that counts, test programs that reach it run until a test fails: then it is
//!    *caught*. Those of its crate come first, then the file tests about its pass, then the others, the
//!    quickest first. What survives must stand in the list of survivors that were looked at and found
//!    equivalent, or the task fails.
//! 4. With `--prove`, [`proof`] asks the prover of what survives.
//!
//! Cost: one build; for each mutant the probe on inputs that reach it, up to the first that changes or
//! some seconds, and the tests up to the first that fails.

mod judge;
mod plan;
mod probe;
mod proof;
mod reach;
mod report;
mod sites;
mod survivors;
mod tree;
mod watch;
mod weave;

use crate::project::Outcome;
use plan::Plan;

/// Where mutants are looked for: a folder or file of a crate, and the crate.
pub(super) const AREAS: &[(&str, &str)] = &[
    ("crates/opt/src/passes", "cairn-opt"),
    ("crates/legalize/src/passes", "cairn-legalize"),
    ("crates/stackify/src", "cairn-stackify"),
    ("crates/asm/src/passes", "cairn-asm"),
];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let plan = Plan::parse(arguments)?;
    let tree = tree::prepare(&plan)?;
    let probe = probe::Probe::new(&tree)?;
    let chosen = judge::choose(&tree, &plan, &probe)?;
    println!("{} are judged", chosen.len());
    if plan.list_only {
        chosen.iter().for_each(|mutant| println!("{}", tree.mutants[*mutant].key));
        return Ok(());
    }
    let verdicts = judge::judge_all(&tree, &plan, &probe, &chosen)?;
    report::print(&tree, &plan, &verdicts)
}
