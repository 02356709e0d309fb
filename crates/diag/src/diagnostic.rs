//! One message to the user, and the list of them that a stage collects.

use crate::source::FileId;
use crate::span::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is produced.
    Error,
    /// Something is probably not what its author meant.
    Warning,
    /// Information.
    Note,
}

/// A place with an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there; may be empty.
    pub message: String,
}

/// A message with its place. Wording: lower case, no full stop, backticks around code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable code for scripts, such as `E0101`; empty if none.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// The file, if it concerns one.
    pub file: Option<FileId>,
    /// The main place, if it concerns one.
    pub span: Option<Span>,
    /// Further places.
    pub labels: Vec<Label>,
    /// Lines below the snippet.
    pub notes: Vec<String>,
    /// What the user can write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code: "",
            message: message.into(),
            file: None,
            span: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(message) }
    }

    /// Sets the code.
    #[must_use]
    pub fn with_code(self, code: &'static str) -> Self {
        Diagnostic { code, ..self }
    }

    /// Sets the main place.
    #[must_use]
    pub fn at(self, file: FileId, span: Span) -> Self {
        Diagnostic { file: Some(file), span: Some(span), ..self }
    }

    /// Sets the main place where only others know the file, and add it.
    #[must_use]
    pub fn with_span(self, span: Option<Span>) -> Self {
        Diagnostic { span, ..self }
    }

    /// Adds a further place.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds a line below the snippet.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Diagnostic { help: Some(help.into()), ..self }
    }
}

/// The diagnostics that a stage collects, in order of discovery.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    num_left_out: usize,
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds all of `other`.
    pub fn extend(&mut self, other: Diagnostics) {
        self.list.extend(other.list);
        self.num_left_out += other.num_left_out;
    }

    /// Counts errors that were found and are not in the list, for there are too many.
    pub fn leave_out(&mut self, count: usize) {
        self.num_left_out += count;
    }

    /// How many errors are not in the list.
    pub fn num_left_out(&self) -> usize {
        self.num_left_out
    }

    /// True when there is an error among them.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// True when there is none at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them, in order of discovery.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(only: Diagnostic) -> Self {
        Diagnostics { list: vec![only], num_left_out: 0 }
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
