//! Text of literals.

use std::borrow::Cow;
use std::fmt::Write;

use crate::ast::{Literal, LiteralKind};

/// How a literal is written: as in the source if it comes from there, else numbers in decimal.
pub fn literal_text(literal: &Literal) -> Cow<'_, str> {
    match (literal.kind, &literal.text) {
        (LiteralKind::Number, Some(text)) => String::from_utf8_lossy(text),
        (LiteralKind::Number, None) => literal.value.to_string().into(),
        (LiteralKind::String, Some(bytes)) => quoted(bytes).into(),
        (LiteralKind::String, None) => {
            let bytes: [u8; 32] = literal.value.to_be_bytes();
            let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            quoted(&bytes[..length]).into()
        }
        (LiteralKind::Bool, _) if literal.value.is_zero() => "false".into(),
        (LiteralKind::Bool, _) => "true".into(),
    }
}

/// A string literal of these bytes.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push('"');
    for byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            0x20..=0x7e => text.push(*byte as char),
            _ => write!(text, "\\x{byte:02x}").expect("invariant: writing to a string succeeds"),
        }
    }
    text.push('"');
    text
}
