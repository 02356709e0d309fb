//! Whether ways of divisions are joined, and where that was tried in vain.

use super::Role;
use crate::term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// How often it is tried at a division where it was never of use.
const MAX_TRIES: u32 = 3;

/// Whether ways are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ways {
    /// Each is looked at by itself, so words are plainer.
    #[default]
    Apart,
    /// Those that only make words are one.
    Joined,
}

/// At which divisions it was tried in vain to join their ways.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    /// Whether it is tried.
    pub(crate) ways: Ways,
    /// How often, by the place of the division; `None` of those that were joined.
    failed: FxHashMap<u64, Option<u32>>,
    /// Conditions by which the reference chooses words.
    choices: FxHashSet<Term>,
}

impl Joins {
    /// True if the ways of the division at this place, by a condition or its negation, may come together. The tested
    /// program chooses only as the reference does: what that has looked at apart need not be one path.
    pub(crate) fn are_promising(&self, site: u64, role: Role, conditions: [Term; 2]) -> bool {
        let failed = self.failed.get(&site).copied().unwrap_or(Some(0));
        let may_choose = match role {
            Role::Reference => true,
            Role::Tested => conditions.iter().any(|condition| self.choices.contains(condition)),
        };
        self.ways == Ways::Joined && may_choose && failed.is_none_or(|tries| tries < MAX_TRIES)
    }

    /// They did.
    pub(crate) fn note_joined(&mut self, site: u64, condition: Term) {
        self.failed.insert(site, None);
        self.choices.insert(condition);
    }

    /// They did not.
    pub(crate) fn note_failed(&mut self, site: u64) {
        let tries = self.failed.entry(site).or_insert(Some(0));
        *tries = tries.map(|tries| tries + 1);
    }
}
