//! What is read of a function before its body.

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
    pub(super) body: (usize, usize),
}
