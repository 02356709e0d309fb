//! Why a call gives nothing.

use crate::diagnostic::{self, Diagnostic};
use cairn_diag::Severity;
use cairn_driver::{Failure, Session};
use std::fmt;

/// Why a call gives nothing.
///
/// ```
/// use cairn::{Error, Options, Source, compile};
///
/// let source = Source::yul("broken.yul", "{ let x := foo(1) }");
/// let Err(Error::Input(faults)) = compile(&source, &Options::default()) else { panic!("it is faulty") };
/// assert_eq!(faults[0].to_string(), "broken.yul:1:12: function `foo` not found");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The input is faulty, or names in the options are not in it: every fault that was found, and
    /// warnings among them.
    Input(Vec<Diagnostic>),
    /// Options are faulty: what is wrong with them.
    Options(String),
    /// Bytecode cannot be lifted: why.
    NotLifted(String),
    /// A fault of Cairn's own, or no thread could be started. The input may be fine.
    Internal(String),
}

impl Error {
    /// The failure of a session with what the session has found.
    pub(crate) fn of(failure: Failure, session: &Session) -> Error {
        match failure {
            Failure::Input => Error::Input(diagnostic::all(&session.diagnostics, &session.sources)),
            Failure::Bug(message) => Error::Internal(message),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(all) => {
                let errors = all.iter().filter(|one| one.severity == Severity::Error);
                let lines: Vec<String> = errors.map(Diagnostic::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            Error::Options(message) => f.write_str(message),
            Error::NotLifted(reason) => write!(f, "the bytecode cannot be lifted: {reason}"),
            Error::Internal(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl std::error::Error for Error {}
