//! What is read of a function before its body.

use super::stream::Stream;
use crate::function::{FuncAttrs, Signature};
use crate::ids::Loc;
use crate::text::fault;
use crate::text::lex::{Kind, Token};
use cairn_diag::Span;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// `loc(!7)`.
#[derive(Clone, Copy)]
pub(super) struct LocRef {
    token: Token,
    number: Option<u64>,
}

impl LocRef {
    /// Reads it, if it stands here.
    pub(super) fn parse(stream: &mut Stream<'_>) -> Option<Option<LocRef>> {
        if !stream.is_word("loc") || stream.peek().starts_line {
            return Some(None);
        }
        stream.bump();
        stream.expect(Kind::OpenParen, "`(`")?;
        let token = stream.expect(Kind::Meta, "a location such as `!7`")?;
        let number = stream.text(token)[1..].parse().ok();
        stream.expect(Kind::CloseParen, "`)`")?;
        Some(Some(LocRef { token, number }))
    }

    /// What it means; a fault if it is not defined.
    pub(super) fn resolve(self, stream: &mut Stream<'_>, locs: &FxHashMap<u64, Loc>) -> Option<Loc> {
        let known = self.number.and_then(|number| locs.get(&number));
        if known.is_none() {
            let message = format!("location `{}` is not defined", stream.shown(self.token));
            return stream.fault(fault::NOT_DEFINED, self.token.span, message);
        }
        known.copied()
    }
}

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
