//! What models of the stack share: how far it is reached, and what they know of the variables of a function.

use cairn_yul::{Case, Switch, YulName};
use rustc_hash::FxHashSet;

/// Words that `DUP` reaches.
pub(super) const REACH: usize = 16;

/// Variables out of reach and by how many words at most.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unreachable {
    /// In the order in which they are met.
    pub(crate) variables: Vec<YulName>,
    pub(crate) deficit: usize,
}

/// What is out of reach, while it is looked for.
#[derive(Debug, Default)]
pub(super) struct Misses {
    found: Unreachable,
    names: FxHashSet<YulName>,
}

impl Misses {
    /// Something is too deep by so many words.
    pub(super) fn add(&mut self, deficit: usize) {
        self.found.deficit = self.found.deficit.max(deficit);
    }

    /// A variable is reached at a depth, which may be `limit` at most.
    pub(super) fn reach(&mut self, name: YulName, depth: usize, limit: usize) {
        if depth > limit {
            self.add(depth - limit);
            if self.names.insert(name) {
                self.found.variables.push(name);
            }
        }
    }

    pub(super) fn into_unreachable(self) -> Unreachable {
        self.found
    }
}

/// What is found about the variables of one function, by name, in memory for all functions.
#[derive(Debug)]
pub(crate) struct Tables {
    /// When a variable is used for the last time; uses in a loop last to its end. Zero for never.
    pub(super) last: Vec<u32>,
    /// One more than the time when it was declared.
    pub(super) declared: Vec<u32>,
    /// One more than its place on the stack.
    pub(super) places: Vec<u32>,
    /// The variables that the tables tell something about.
    pub(super) variables: Vec<YulName>,
}

impl Tables {
    /// Tables for code that uses the first `n_names` names.
    pub(crate) fn new(n_names: usize) -> Tables {
        let table = || vec![0; n_names];
        Tables { last: table(), declared: table(), places: table(), variables: Vec::new() }
    }

    /// When a variable is used for the last time, zero for never.
    pub(super) fn last_use(&self, name: YulName) -> u32 {
        self.last[name.0 as usize]
    }

    /// It is a variable of the function that is looked at.
    pub(super) fn is_declared(&self, name: YulName) -> bool {
        self.declared[name.0 as usize] > 0
    }

    pub(super) fn place(&self, name: YulName) -> Option<usize> {
        (self.places[name.0 as usize] as usize).checked_sub(1)
    }

    pub(super) fn set_place(&mut self, name: YulName, place: usize) {
        self.places[name.0 as usize] = place as u32 + 1;
    }

    pub(super) fn clear(&mut self) {
        for name in self.variables.drain(..) {
            for table in [&mut self.last, &mut self.declared, &mut self.places] {
                table[name.0 as usize] = 0;
            }
        }
    }
}

/// The cases of a switch in the order of their code: the default comes first.
pub(super) fn cases_as_laid_out(switch: &Switch) -> impl Iterator<Item = &Case> {
    let is_default = |case: &&Case| case.value.is_none();
    let cases = || switch.cases.iter();
    cases().filter(is_default).chain(cases().filter(move |case| !is_default(case)))
}
