//! What the prover says of all functions of a program together.

use serde_json::Value;

/// From what is wanted to what is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Proven,
    Bounded,
    Undecided,
    Different,
}

impl Verdict {
    fn named(name: &str) -> Option<Verdict> {
        Some(match name {
            "proven" => Verdict::Proven,
            "bounded" => Verdict::Bounded,
            "undecided" => Verdict::Undecided,
            "different" => Verdict::Different,
            _ => return None,
        })
    }
}

/// The weakest of the verdicts in a report, or a difference; `None` if it is no report.
pub(crate) fn weakest(report: &str) -> Option<(Verdict, String)> {
    let report: Value = serde_json::from_str(report).ok()?;
    let functions = report["functions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let verdicts = functions.iter().filter_map(|function| {
        let verdict = Verdict::named(function["verdict"].as_str()?)?;
        Some((verdict, function["reason"].as_str().unwrap_or("").to_owned()))
    });
    verdicts.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_function_says_what_all_do() {
        let report = |verdicts: &[&str]| {
            let functions: Vec<Value> = verdicts
                .iter()
                .map(|verdict| serde_json::json!({ "verdict": verdict, "reason": verdict }))
                .collect();
            weakest(&serde_json::json!({ "functions": functions }).to_string())
        };
        let found = |verdicts: &[&str]| report(verdicts).map(|(verdict, _)| verdict);
        assert_eq!(found(&["proven", "bounded"]), Some(Verdict::Bounded));
        assert_eq!(found(&["different", "undecided", "proven"]), Some(Verdict::Different));
        assert_eq!(found(&["proven"]), Some(Verdict::Proven));
        // A prover that ends without a report says nothing, and the others are tried all the same.
        assert_eq!((found(&[]), weakest("")), (None, None));
    }
}
