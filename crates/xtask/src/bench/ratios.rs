//! Figures of one compiler divided by those of another, over many cases.
//!
//! Gas of a case is the execution gas of its calls; calls that halt, and those in which the base
//! burns [`BURNED`] gas or more (an inner call that takes all but a 64th with it), are left out on
//! both sides. Means are geometric, over cases that both have.

use super::cases::{Case, Figures};
use std::collections::BTreeMap;

/// A call with so much gas says nothing about code.
const BURNED: u64 = 20_000_000;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Execution gas of calls.
    Gas,
    /// Size of runtime code.
    Size,
    /// Gas of the deployment.
    Deployment,
}

/// The figure of a case for two compilers, where both have one.
pub(crate) fn pair(case: &Case, measure: Measure, ours: &Figures, base: &Figures) -> Option<(u64, u64)> {
    let pair = match measure {
        Measure::Gas => calls(case, ours, base),
        Measure::Size => (ours.runtime, base.runtime),
        Measure::Deployment => (ours.deploy?, base.deploy?),
    };
    (pair.0 > 0 && pair.1 > 0).then_some(pair)
}

fn calls(case: &Case, ours: &Figures, base: &Figures) -> (u64, u64) {
    let expected = case.scenario.iter().flat_map(|(_, expected)| expected.iter().skip(1));
    let counted = expected
        .zip(ours.calls.iter().zip(&base.calls))
        .filter(|(expected, (_, base))| expected.status != "halt" && **base < BURNED);
    counted.fold((0, 0), |sum, (_, (ours, base))| (sum.0 + ours, sum.1 + base))
}

/// A ratio by case, in order of cases.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ratios {
    pub(crate) by_case: BTreeMap<usize, (u64, u64)>,
}

impl Ratios {
    /// Number of cases.
    pub(crate) fn len(&self) -> usize {
        self.by_case.len()
    }

    /// The geometric mean.
    pub(crate) fn mean(&self) -> Option<f64> {
        let logarithms: f64 = self.by_case.values().map(|pair| ratio(*pair).ln()).sum();
        (!self.by_case.is_empty()).then(|| (logarithms / self.by_case.len() as f64).exp())
    }

    /// Sum of ours over sum of theirs.
    pub(crate) fn of_sums(&self) -> Option<f64> {
        let sums = self.by_case.values().fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        (sums.1 > 0).then(|| ratio(sums))
    }

    /// The largest ratio and its case.
    pub(crate) fn worst(&self) -> Option<(usize, f64)> {
        let all = self.by_case.iter().map(|(case, pair)| (*case, ratio(*pair)));
        all.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// The quotient.
pub(crate) fn ratio((ours, base): (u64, u64)) -> f64 {
    ours as f64 / base as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::cases::Expected;
    use cairn_exec::{Bytes, Environment, Message, Scenario};

    fn ratios(pairs: &[(u64, u64)]) -> Ratios {
        Ratios { by_case: pairs.iter().copied().enumerate().collect() }
    }

    #[test]
    fn means_are_geometric() {
        assert_eq!(Ratios::default().mean(), None);
        let found = ratios(&[(1, 2), (4, 2)]);
        assert!((found.mean().expect("two ratios") - 1.0).abs() < 1e-12);
        assert_eq!((found.of_sums(), found.worst()), (Some(1.25), Some((1, 2.0))));
    }

    #[test]
    fn calls_that_say_nothing_are_left_out_on_both_sides() {
        let expected = |status: &str| Expected { status: status.to_owned(), output: Bytes::new() };
        let scenario = Scenario {
            environment: Environment::default(),
            deploy: Message::new(vec![]),
            calls: vec![Message::new(vec![]); 3],
        };
        let outcomes = ["success", "success", "halt", "revert"].map(expected).to_vec();
        let case = Case {
            name: "a/b".into(),
            extension: "yul".into(),
            text: String::new(),
            scenario: Some((scenario, outcomes)),
            recorded: BTreeMap::new(),
        };
        let figures = |calls: [u64; 3]| Figures { calls: calls.to_vec(), ..Figures::default() };
        let (ours, base) = (figures([10, 500, 7]), figures([20, 5, BURNED]));
        assert_eq!(pair(&case, Measure::Gas, &ours, &base), Some((10, 20)));
        assert_eq!(pair(&case, Measure::Size, &ours, &base), None);
    }
}
