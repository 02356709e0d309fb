//! What a compilation collects on its way: sources, diagnostics, times and remarks.
//!
//! A session decides nothing. Stages (`stages`) are functions of values and options; they write down
//! here what they found and how long they took.

use crate::input::Input;
use crate::timing::Timings;
use cairn_diag::{Diagnostic, Diagnostics, FileId, SourceFile, Sources};
use std::collections::BTreeSet;
use std::fmt;

/// Why a stage gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The input is faulty: see the session's diagnostics.
    Input,
    /// Cairn itself is faulty.
    Bug(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input => f.write_str("the input is faulty"),
            Failure::Bug(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl std::error::Error for Failure {}

/// A stage's result; diagnostics are in the session.
pub type Stage<T> = Result<T, Failure>;

/// What one compilation has collected.
#[derive(Debug, Default)]
pub struct Session {
    /// Texts that diagnostics point into.
    pub sources: Sources,
    /// Diagnostics so far.
    pub diagnostics: Diagnostics,
    /// Times so far.
    pub timings: Timings,
    /// With [`Options::remarks`](crate::Options::remarks): what was done or left and why, a line each.
    pub remarks: Vec<String>,
    /// Names of the modules of which the optimizer took something on trust, because they visibly keep the pointer to
    /// free memory (A17).
    pub pointer_keepers: BTreeSet<String>,
    known_remarks: BTreeSet<String>,
}

impl Session {
    /// Adds an input to the sources.
    pub(crate) fn load(&mut self, input: &Input) -> FileId {
        self.sources.add(SourceFile::new(input.name.clone(), input.text.clone()))
    }

    /// Takes the diagnostics of a stage; an error among them ends the compilation.
    pub(crate) fn take<T>(&mut self, result: Option<T>, diagnostics: Diagnostics) -> Stage<T> {
        let failed = diagnostics.has_errors();
        self.diagnostics.extend(diagnostics);
        result.filter(|_| !failed).ok_or(Failure::Input)
    }

    /// Ends the compilation with an error.
    pub(crate) fn error<T>(&mut self, diagnostic: Diagnostic) -> Stage<T> {
        self.diagnostics.push(diagnostic);
        Err(Failure::Input)
    }

    /// Ends the compilation with faults whose spans are places in `file`, unless they name another.
    pub(crate) fn error_in<T>(&mut self, file: Option<FileId>, faults: Diagnostics) -> Stage<T> {
        self.extend_in(file, faults);
        Err(Failure::Input)
    }

    /// Adds what a stage found, whose spans are places in `file`, unless they name another.
    pub(crate) fn extend_in(&mut self, file: Option<FileId>, found: Diagnostics) {
        let placed = found.into_iter().map(|one| Diagnostic { file: one.file.or(file), ..one });
        placed.for_each(|one| self.diagnostics.push(one));
    }

    /// Takes what another session of the same sources has collected.
    pub(crate) fn absorb(&mut self, other: Session) {
        self.diagnostics.extend(other.diagnostics);
        self.timings.add_all(&other.timings);
        self.pointer_keepers.extend(other.pointer_keepers);
        other.remarks.into_iter().for_each(|remark| self.add_remark(remark));
    }

    /// Adds a remark that was not made yet: passes run several times.
    pub(crate) fn add_remark(&mut self, remark: String) {
        if self.known_remarks.insert(remark.clone()) {
            self.remarks.push(remark);
        }
    }
}
