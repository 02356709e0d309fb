//! Sources, spans and diagnostics: how every stage reports faults of its input; and comments, which
//! formatters keep.
//!
//! Stages collect [`Diagnostic`]s in a [`Diagnostics`] and never print. Rendering is in
//! [`render`]; the command line decides where the text goes.

pub mod codes;
pub mod comments;
pub mod diagnostic;
pub mod render;
pub mod source;
pub mod span;

pub use codes::FaultCode;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use source::{FileId, SourceFile, Sources};
pub use span::Span;
