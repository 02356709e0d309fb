//! What is read of a function before its body.

use super::location::LocRef;
use crate::function::{FuncAttrs, Signature};
use cairn_diag::Span;
use std::borrow::Cow;

/// A function whose body was not read yet.
pub(super) struct Header<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) name_span: Span,
    pub(super) signature: Signature,
    pub(super) param_names: Vec<Option<(Cow<'a, str>, Span)>>,
    pub(super) attrs: FuncAttrs,
    pub(super) is_entry: bool,
    /// The location behind it: what it means is known when all items are read.
    pub(super) loc: Option<LocRef>,
    pub(super) body: (usize, usize),
}
