//! What the legalizer did: counts for each pass, and on request every rewrite with its reason.

use cairn_diag::{Diagnostics, Span};
use std::collections::BTreeMap;
use std::fmt;

/// One rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Name of the pass that made it.
    pub pass: &'static str,
    /// The function it was made in, without `@`.
    pub func: String,
    /// What was rewritten and why.
    pub what: String,
    /// Its place in the input text. What the legalizer made itself has none.
    pub span: Option<Span>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: @{}: {}", self.pass, self.func, self.what)
    }
}

/// What the legalizer did to a module and the modules nested in it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Rewrites by name of the pass.
    counts: BTreeMap<&'static str, usize>,
    /// The most rounds that a function took; in the last one nothing was left to do, if
    /// [`validate`](crate::Options::validate) asked for it.
    pub rounds: usize,
    /// Every rewrite in order; empty unless `Options::explain` is set.
    pub changes: Vec<Change>,
    /// Findings that do not stop compilation, such as code after a terminator.
    pub warnings: Diagnostics,
}

impl Report {
    /// Number of rewrites of the pass with this name.
    pub fn count(&self, pass: &str) -> usize {
        self.counts.get(pass).copied().unwrap_or(0)
    }

    /// Number of rewrites of all passes.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }

    /// True when the input was canonical already.
    pub fn is_unchanged(&self) -> bool {
        self.total() == 0
    }

    pub(crate) fn add(&mut self, pass: &'static str, rewrites: usize) {
        *self.counts.entry(pass).or_default() += rewrites;
    }

    pub(crate) fn merge(&mut self, other: Report) {
        other.counts.into_iter().for_each(|(pass, count)| self.add(pass, count));
        self.rounds = self.rounds.max(other.rounds);
        self.changes.extend(other.changes);
        self.warnings.extend(other.warnings);
    }
}
