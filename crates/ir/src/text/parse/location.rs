//! Locations behind instructions and functions.

use super::stream::Stream;
use crate::ids::Loc;
use crate::text::fault;
use crate::text::lex::{Kind, Token};
use rustc_hash::FxHashMap;

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
