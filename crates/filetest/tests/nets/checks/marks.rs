//! Marks in front of the ends of checks, by which it is seen in which check a call ended.

use crate::harness::{Case, outcome};
use cairn_exec::{Observation, Status, U256};

/// Stands in front of each end of a check, with the number of the check and a semicolon behind it.
pub(super) const MARK: char = '@';
/// Checks of a row have numbers from a multiple of this on.
pub(super) const ROW: usize = 1000;
/// What marked programs return where a check ends them, with the number of the check added.
const MARKED: U256 = U256::from_limbs([0, 0, 0, 0x4d00_0000_0000_0000]);

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// Behind all checks.
    Passed,
    /// In the check with this number.
    Failed(usize),
    /// In a static frame.
    Halted,
}

impl End {
    fn of(observation: &Observation) -> Self {
        if observation.status == Status::Halt {
            return Self::Halted;
        }
        let word = U256::try_from_be_slice(&observation.output).filter(|_| observation.output.len() == 32);
        let number =
            word.and_then(|word| word.checked_sub(MARKED)).filter(|number| *number < U256::from(u32::MAX));
        number.map_or(Self::Passed, |number| Self::Failed(number.to()))
    }
}

/// How the calls of a program with marks end.
pub(super) fn ends(case: &Case) -> Option<Vec<End>> {
    let text = replaced(&case.text, |number| format!("mstore(0, add({MARKED}, {number})) return(0, 0x20) "));
    let observed = outcome(&Case { text, calls: case.calls.clone(), ..*case })?;
    Some(observed.iter().map(End::of).collect())
}

/// The text without its marks.
pub(super) fn removed(text: &str) -> String {
    replaced(text, |_| String::new())
}

/// The text with something in the place of each mark.
pub(super) fn replaced(text: &str, mut with: impl FnMut(&str) -> String) -> String {
    let (mut done, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once(MARK) {
        let (number, after) = behind.split_once(';').expect("stands behind a mark");
        done += before;
        done += &with(number);
        rest = after;
    }
    done + rest
}
