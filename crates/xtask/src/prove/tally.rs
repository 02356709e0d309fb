//! Verdicts counted, with the reasons for those that are none.

use crate::project::Outcome;
use serde_json::Value;
use std::collections::BTreeMap;

/// Share of the time from which on it is the solver's.
const SOLVER_SHARE: f64 = 0.6;

/// What was found so far.
#[derive(Default)]
pub(super) struct Tally {
    verdicts: BTreeMap<String, usize>,
    /// Functions by the cause for which they are not proven whole, with one of them.
    causes: BTreeMap<String, (usize, String)>,
    seconds: Vec<f64>,
    megabytes: f64,
    skipped: Vec<String>,
}

impl Tally {
    /// Adds a report and the memory that it took; these functions are known to differ.
    pub(super) fn add(&mut self, name: &str, report: &Value, megabytes: f64, differs: &[String]) {
        self.megabytes = self.megabytes.max(megabytes);
        for function in report["functions"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let mut verdict = function["verdict"].as_str().unwrap_or("?").to_owned();
            let reason = function["reason"].as_str().unwrap_or("");
            let selector = function["function"].as_str().unwrap_or("?");
            if verdict == "different" && differs.iter().any(|known| known == selector) {
                verdict = "different, as known".to_owned();
            }
            let seconds = function["seconds"].as_f64().unwrap_or(0.0);
            let questions = function["questions"].as_u64().unwrap_or(0);
            println!("{verdict:9} {seconds:6.2} s {questions:6}  {name} {selector} {reason}");
            if verdict != "proven" {
                let cause = format!("{verdict}: {}", cause(function));
                let entry = self.causes.entry(cause).or_insert((0, format!("{name} {selector}")));
                entry.0 += 1;
            }
            *self.verdicts.entry(verdict).or_default() += 1;
            self.seconds.push(seconds);
        }
    }

    /// A program of which nothing is proven, and why.
    pub(super) fn skip(&mut self, name: &str, why: &str) {
        println!("{why}  {name}");
        self.skipped.push(format!("{name}: {why}"));
    }

    /// Prints tables.
    ///
    /// # Errors
    /// A function differs, or fewer are proven than the floor, in functions of a hundred.
    pub(super) fn report(mut self, floor: usize) -> Outcome {
        self.seconds.sort_by(f64::total_cmp);
        let all = self.seconds.len();
        let share = |count: usize| 100.0 * count as f64 / all.max(1) as f64;
        let median = self.seconds.get(all / 2).copied().unwrap_or(0.0);
        println!("\n| verdict | functions | % |\n|---|---|---|");
        for (verdict, count) in &self.verdicts {
            println!("| {verdict} | {count} | {:.1} |", share(*count));
        }
        println!("\n| not proven whole, because | functions | such as |\n|---|---|---|");
        let mut causes: Vec<_> = self.causes.iter().collect();
        causes.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        causes.iter().for_each(|(cause, (count, example))| println!("| {cause} | {count} | {example} |"));
        let sum: f64 = self.seconds.iter().sum();
        let memory = self.megabytes;
        println!("\n{all} functions: median {median:.2} s, together {sum:.0} s; peak memory {memory:.0} MB");
        self.skipped.iter().for_each(|skipped| println!("without a report: {skipped}"));
        let count = |verdict: &str| self.verdicts.get(verdict).copied().unwrap_or(0);
        if count("different") > 0 {
            return Err(format!("{} functions are different", count("different")));
        }
        let proven = count("proven") + count("bounded");
        if proven * 100 < floor * all {
            return Err(format!("{proven} of {all} functions are proven, below {floor} of a hundred"));
        }
        Ok(())
    }
}

/// The kind of reason, without what is particular to a function: of what is proven to a bound, why no more of its loops.
fn cause(function: &Value) -> String {
    let bounded = function["loops"].as_str().filter(|_| function["verdict"] == "bounded");
    let reason = bounded.or(function["reason"].as_str()).unwrap_or("");
    let seconds = function["seconds"].as_f64().unwrap_or(0.0);
    let solver = function["solver_seconds"].as_f64().unwrap_or(0.0);
    match reason.split(':').next().unwrap_or("") {
        "time" if solver > SOLVER_SHARE * seconds => "time, most of it the solver's".to_owned(),
        "time" => "time, most of it not the solver's".to_owned(),
        // Terms and numbers are one function's.
        short => short.chars().map(|c| if c.is_ascii_digit() { '_' } else { c }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn causes_are_kinds() {
        let cause =
            |reason: &str| cause(&json!({ "reason": reason, "seconds": 10.0, "solver_seconds": 7.0 }));
        assert_eq!(cause("operand 1 of log1, event 3: t"), "operand _ of log_, event _");
        assert_eq!(cause("time"), "time, most of it the solver's");
    }

    #[test]
    fn what_is_bounded_says_why_its_loops_are() {
        let function = |verdict: &str| json!({ "verdict": verdict, "reason": "loops of at most 2 rounds", "loops": "storage before a loop" });
        assert_eq!(cause(&function("bounded")), "storage before a loop");
        assert_eq!(cause(&function("undecided")), "loops of at most _ rounds");
    }

    #[test]
    fn differences_and_floors_fail() {
        let report = |verdict: &str| json!({ "functions": [{ "verdict": verdict, "seconds": 0.1 }] });
        let mut tally = Tally::default();
        tally.add("a", &report("proven"), 1.0, &[]);
        tally.add("b", &report("undecided"), 2.0, &[]);
        assert!(tally.report(50).is_ok());
        let mut tally = Tally::default();
        tally.add("b", &report("undecided"), 2.0, &[]);
        assert!(tally.report(50).is_err());
        let mut tally = Tally::default();
        tally.add("c", &report("different"), 2.0, &[]);
        assert!(tally.report(0).is_err());
        let known = json!({ "functions": [{ "verdict": "different", "function": "0x00000001" }] });
        let mut tally = Tally::default();
        tally.add("d", &known, 1.0, &["0x00000001".to_owned()]);
        assert!(tally.report(0).is_ok());
    }
}
