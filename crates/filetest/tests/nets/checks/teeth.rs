//! In which checks calls end, whether the passes that join and decide checks have something to do, and whether checks
//! that decide otherwise would be seen.

use super::marks::{End, ROW, ends};
use super::{HELPERS, case, with_marks};
use crate::harness::setting;
use crate::teeth::{self, Kind};

/// How calls end.
#[derive(Debug, Default)]
struct Counts {
    /// Behind all checks.
    passed: u32,
    /// In the first check of a row, the second, and one behind it.
    first: u32,
    second: u32,
    later: u32,
    /// In a static frame, by what it may not do.
    halted: u32,
    /// Programs, those some calls of which passed, and those in which others failed in several checks besides.
    programs: u32,
    programs_passed: u32,
    programs_varied: u32,
}

impl Counts {
    /// Counts the calls of one program.
    fn count(&mut self, seed: u64) -> Option<()> {
        let ends = ends(&with_marks(seed))?;
        for end in &ends {
            match end {
                End::Halted => self.halted += 1,
                End::Passed => self.passed += 1,
                End::Failed(number) => match number % ROW {
                    0 => self.first += 1,
                    1 => self.second += 1,
                    _ => self.later += 1,
                },
            }
        }
        let has_passed = ends.contains(&End::Passed);
        let mut different = ends;
        different.sort();
        different.dedup();
        self.programs += 1;
        self.programs_passed += u32::from(has_passed);
        self.programs_varied += u32::from(has_passed && different.len() > 3);
        Some(())
    }
}

#[test]
fn calls_end_in_all_checks() {
    let mut ends = Counts::default();
    let first = setting("CAIRN_NETS_SEED").unwrap_or(0);
    for seed in first..first + setting("CAIRN_NETS_PROGRAMS").unwrap_or(60) {
        ends.count(seed);
    }
    eprintln!("{ends:?}");
    let all = ends.passed + ends.first + ends.second + ends.later + ends.halted;
    assert!(all >= 25 * ends.programs, "{ends:?}");
    assert!(ends.passed * 10 >= all && ends.first * 10 >= all, "{ends:?}");
    assert!(ends.second * 20 >= all && ends.later * 10 >= all, "{ends:?}");
    assert!(ends.programs_passed * 2 >= ends.programs, "{ends:?}");
    assert!(ends.programs_varied * 3 >= ends.programs, "{ends:?}");
}

#[test]
fn passes_have_something_to_do() {
    teeth::passes_have_something_to_do(case, &["merge-guards"], 40, 2);
}

/// Checks that hold too often or too seldom, the other way round, of another sign, or of a sum that is one more.
const KINDS: [Kind; 8] = [
    ("gt(", "and(0, gt("),
    ("lt(", "or(1, lt("),
    ("slt(", "iszero(slt("),
    ("gt(", "lt("),
    ("eq(", "iszero(eq("),
    ("add(", "add(1, add("),
    ("and(", "or("),
    ("iszero(", "iszero(iszero("),
];

#[test]
fn faults_are_seen() {
    teeth::faults_are_seen(case, HELPERS, &KINDS, 40);
}
