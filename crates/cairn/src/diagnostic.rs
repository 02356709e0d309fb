//! Messages about an input, as values.

use cairn_diag::render::{Color, render_text};
use cairn_diag::{Diagnostics, Severity, Sources};
use std::fmt;
use std::ops::Range;

/// A message about an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable code for scripts, such as `Y7000`; empty if none. docs/faults.md lists them.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// Where, if it concerns a place.
    pub place: Option<Place>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
    /// All of it as text for people, with the lines of the source.
    pub rendered: String,
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the source.
    pub file: String,
    /// Bytes of the text.
    pub bytes: Range<usize>,
    /// Line of the first byte, counted from 1.
    pub line: usize,
    /// Column of the first byte in bytes, counted from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// `a.yul:3:14: the message`, in one line.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// The diagnostics of a compilation, in order of discovery.
pub(crate) fn all(diagnostics: &Diagnostics, sources: &Sources) -> Vec<Diagnostic> {
    diagnostics.iter().map(|one| of(one, sources)).collect()
}

fn of(one: &cairn_diag::Diagnostic, sources: &Sources) -> Diagnostic {
    let place = one.file.zip(one.span).map(|(file, span)| {
        let file = sources.get(file);
        let (line, column) = file.line_column(span.start);
        Place { file: file.name.clone(), bytes: span.start as usize..span.end as usize, line, column }
    });
    Diagnostic {
        severity: one.severity,
        code: one.code,
        message: one.message.clone(),
        place,
        notes: one.notes.clone(),
        help: one.help.clone(),
        rendered: render_text(one, sources, Color::Plain),
    }
}
