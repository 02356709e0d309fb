//! A function is tried in several manners, one after the other, in the time that there is for it.
//!
//! First plainly, and if A17 may be taken, only as long as it is proven: what needs the assumption is tried again with it,
//! and has the rest of the time. Where paths are many, ways are joined at last. What is proven lists what its own attempt
//! used.

use crate::assume::Assumption;
use crate::machine::{Limits, Trust, Ways};
use crate::pair::{Manner, Program, Proof, Request, Verdict, Zeal, attempt};
use crate::smt::Solver;
use std::time::Duration;

/// With more paths than that another attempt is made, which joins ways.
const MANY_PATHS: usize = 500;

/// Tries to prove a function: first plainly, then with what makes other things easier. The solver comes back for the
/// next one.
pub fn prove(request: &Request<'_>, solver: Solver) -> (Proof, Solver) {
    let limits = request.limits;
    let few = Limits { paths: limits.paths.min(MANY_PATHS), ..limits };
    let (mut best, mut solver, mut trust) = (None, solver, Trust::Nothing);
    let mut has_many_paths = false;
    if may_trust(request) {
        let manner = Manner { trust, ways: Ways::Apart, zeal: Zeal::WhileProven };
        // A difference that is not found soon ends the attempt all the same, mostly long before its time. A function
        // that is still proven then keeps most of it: another attempt would begin anew.
        let brief = Limits { time: limits.time * 9 / 10, difference: limits.question, ..few };
        let (first, back) = attempt(request, solver, manner, brief);
        if is_proven_whole(&first) {
            return (first, back);
        }
        // Where paths are many, they are so with trust, too.
        has_many_paths = first.paths > few.paths;
        (best, solver, trust) = (Some(first), back, Trust::Pointer);
    }
    if !has_many_paths {
        let manner = Manner { trust, ways: Ways::Apart, zeal: Zeal::ToTheEnd };
        let (plain, back) = attempt(request, solver, manner, rest(&few, best.as_ref()));
        has_many_paths = plain.paths > few.paths;
        (best, solver) = (Some(stronger(best, plain)), back);
    }
    match best {
        Some(best) if !has_many_paths || is_proven_whole(&best) => (best, solver),
        // Words that are choices are less plain: that pays where paths are many.
        best => {
            let manner = Manner { trust, ways: Ways::Joined, zeal: Zeal::ToTheEnd };
            let (last, solver) = attempt(request, solver, manner, rest(&limits, best.as_ref()));
            (stronger(best, last), solver)
        }
    }
}

/// Whether A17 may be taken for the reference.
fn may_trust(request: &Request<'_>) -> bool {
    match &request.reference {
        Program::Source(_, image) => image.keeps_pointer && request.assumptions.has(Assumption::POINTER),
        Program::Code(_) => false,
    }
}

fn is_proven_whole(proof: &Proof) -> bool {
    matches!(proof.verdict, Verdict::Proven)
}

/// The limits of an attempt behind another one.
fn rest(limits: &Limits, before: Option<&Proof>) -> Limits {
    let taken = before.map_or(Duration::ZERO, |proof| proof.time);
    Limits { time: limits.time.saturating_sub(taken), ..*limits }
}

/// The stronger of two proofs of the same function, with what both cost; the later one, if both are as strong.
fn stronger(first: Option<Proof>, second: Proof) -> Proof {
    let Some(first) = first else { return second };
    let rank = |proof: &Proof| match proof.verdict {
        Verdict::Proven => 2,
        Verdict::ProvenToBound(_) => 1,
        Verdict::Undecided(_) | Verdict::Suspicion(_) => 0,
    };
    let time = first.time + second.time;
    let mut statistics = first.statistics;
    statistics.add(&second.statistics);
    let (mut best, other) = if rank(&second) >= rank(&first) { (second, first) } else { (first, second) };
    match (&mut best.verdict, other.verdict) {
        // All are run.
        (Verdict::Suspicion(all), Verdict::Suspicion(more)) => all.extend(more),
        (Verdict::Undecided(_), suspicion @ Verdict::Suspicion(_)) => best.verdict = suspicion,
        _ => {}
    }
    let samples = [best.samples, other.samples].into_iter().max_by_key(Vec::len).unwrap_or_default();
    Proof { time, statistics, samples, ..best }
}
