//! What became of a changed byte: by the calls, and by the prover.

use super::programs::Deployed;
use super::site::{Change, Kind};
use crate::prove::verdict::Verdict;
use cairn_exec::Machine;
use std::collections::BTreeMap;
use std::fmt;

/// Whether calls tell the changed code from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tests {
    Differ,
    Agree,
}

/// Runs the calls with this selector (all of them without one), each on the chain before it.
pub(super) fn run(deployed: &Deployed, changed: &[u8], selector: Option<&[u8]>) -> Tests {
    let chosen = |data: &[u8]| selector.is_none_or(|selector| data.starts_with(selector));
    let calls = deployed.calls.iter().filter(|call| chosen(&call.message.data));
    for call in calls {
        let observe = |code: &[u8]| {
            let mut chain: Machine = call.chain.clone();
            chain.set_code(deployed.address, code.to_vec());
            let outcome = chain.call(deployed.address, &call.message).ok()?;
            // Gas is not compared.
            (!outcome.is_out_of_gas()).then(|| chain.observe(&outcome))
        };
        if let (Some(a), Some(b)) = (observe(&deployed.code), observe(changed))
            && a != b
        {
            return Tests::Differ;
        }
    }
    Tests::Agree
}

/// What a change is, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    /// Not equivalent, and found so: runs of both differ.
    Found,
    /// Not equivalent, and not decided.
    Missed,
    /// Not equivalent, and the same up to the bound.
    BeyondBound,
    /// Not equivalent, and yet proven: a fault of the prover.
    Fault,
    /// Proven, and no call shows anything else.
    Equivalent,
    /// Neither calls nor the prover say anything.
    Open,
}

impl Fate {
    pub(super) fn of(tests: Tests, verdict: Verdict) -> Fate {
        match (verdict, tests) {
            (Verdict::Different, _) => Fate::Found,
            (Verdict::Proven, Tests::Differ) => Fate::Fault,
            (Verdict::Bounded, Tests::Differ) => Fate::BeyondBound,
            (Verdict::Undecided, Tests::Differ) => Fate::Missed,
            (Verdict::Proven, Tests::Agree) => Fate::Equivalent,
            (Verdict::Bounded | Verdict::Undecided, Tests::Agree) => Fate::Open,
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Fate::Found => "not equivalent: found",
            Fate::Missed => "not equivalent: undecided",
            Fate::BeyondBound => "not equivalent: equal to the bound",
            Fate::Fault => "not equivalent, but proven",
            Fate::Equivalent => "proven equal",
            Fate::Open => "undecided, calls agree",
        }
    }
}

/// Fates counted.
#[derive(Default)]
pub(super) struct Fates {
    counts: BTreeMap<(Fate, Kind), usize>,
}

impl Fates {
    pub(super) fn add(&mut self, fate: Fate, change: &Change) {
        *self.counts.entry((fate, change.kind)).or_default() += 1;
    }

    pub(super) fn count(&self, fate: Fate) -> usize {
        [Kind::Near, Kind::Any].into_iter().filter_map(|kind| self.counts.get(&(fate, kind))).sum()
    }

    /// Of a hundred that are not equivalent those that were found.
    pub(super) fn share(&self) -> f64 {
        let found = self.count(Fate::Found) as f64;
        let missed = [Fate::Missed, Fate::BeyondBound, Fate::Fault].map(|fate| self.count(fate));
        100.0 * found / (found + missed.iter().sum::<usize>() as f64).max(1.0)
    }
}

impl fmt::Display for Fates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| changed byte | {} | {} | all |", Kind::Near.name(), Kind::Any.name())?;
        writeln!(f, "|---|---|---|---|")?;
        let all = [Fate::Found, Fate::Missed, Fate::BeyondBound, Fate::Fault, Fate::Equivalent, Fate::Open];
        for fate in all {
            let count = |kind| self.counts.get(&(fate, kind)).copied().unwrap_or(0);
            let (near, any) = (count(Kind::Near), count(Kind::Any));
            writeln!(f, "| {} | {near} | {any} | {} |", fate.sentence(), near + any)?;
        }
        write!(f, "\n{:.1}% of those that are not equivalent were found", self.share())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_of_what_differs_is_a_fault() {
        assert_eq!(Fate::of(Tests::Differ, Verdict::Proven), Fate::Fault);
        assert_eq!(Fate::of(Tests::Agree, Verdict::Different), Fate::Found);
        let mut fates = Fates::default();
        let change = Change { kind: Kind::Any, offset: 0, byte: 0 };
        for fate in [Fate::Found, Fate::Found, Fate::Found, Fate::Missed, Fate::Equivalent] {
            fates.add(fate, &change);
        }
        assert_eq!(fates.share(), 75.0);
    }
}
