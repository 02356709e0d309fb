//! Sources, spans and diagnostics: how every stage reports faults of its input; comments, which
//! formatters keep; and locations, which debuggers are told.
//!
//! Stages collect [`Diagnostic`]s in a [`Diagnostics`] and never print. Rendering is in
//! [`render`]; the command line decides where the text goes.

pub mod codes;
pub mod comments;
pub mod diagnostic;
pub mod location;
pub mod render;
pub mod source;
pub mod span;

pub use codes::FaultCode;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use location::{SharedPlaces, SourceLoc};
pub use source::{FileId, SourceFile, Sources};
pub use span::Span;
