//! Numbers, strings and bytes of assembly text.

use super::{Parsed, Parser};
use crate::fault;
use crate::lex::Token;
use cairn_diag::Span;
use cairn_evm::{Word, hex};

impl Parser<'_> {
    /// A word in decimal or hexadecimal digits.
    pub(super) fn number(&mut self) -> Parsed<(Word, Span)> {
        let span = self.peek().map_or(Span::default(), |lexeme| lexeme.span);
        let text = self.expect(Token::Number, "a number")?;
        match number(text) {
            Some(value) => Ok((value, span)),
            None => self.fail(fault::INVALID_NUMBER, span, format!("`{text}` is no number of 256 bits")),
        }
    }

    /// A string without its quotes and escapes.
    pub(super) fn string(&mut self) -> Parsed<String> {
        let span = self.peek().map_or(Span::default(), |lexeme| lexeme.span);
        let quoted = self.expect(Token::String, "a string")?;
        match unescape(&quoted[1..quoted.len() - 1]) {
            Some(text) => Ok(text),
            None => self.fail(fault::INVALID_TEXT, span, format!("unknown escape in {quoted}")),
        }
    }

    /// The bytes of `hex"…"`; `_` may separate digits.
    pub(super) fn bytes(&mut self) -> Parsed<Vec<u8>> {
        let span = self.peek().map_or(Span::default(), |lexeme| lexeme.span);
        let text = self.expect(Token::Hex, "`hex\"…\"`")?;
        match bytes(text) {
            Some(bytes) => Ok(bytes),
            None => self.fail(fault::INVALID_TEXT, span, "expected pairs of hexadecimal digits".to_owned()),
        }
    }
}

/// The value of a number token.
pub(crate) fn number(text: &str) -> Option<Word> {
    match text.strip_prefix("0x") {
        Some("") => None,
        Some(digits) => Word::from_str_radix(digits, 16).ok(),
        None => Word::from_str_radix(text, 10).ok(),
    }
}

/// The bytes of a token `hex"…"`.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text["hex\"".len()..text.len() - 1].replace('_', "");
    hex::decode(&digits).ok().filter(|_| !digits.starts_with("0x"))
}

/// Resolves `\"`, `\\`, `\n`, `\r`, `\t` and `\u{…}`.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(backslash) = rest.find('\\') {
        plain.push_str(&rest[..backslash]);
        let escape = rest[backslash + 1..].chars().next()?;
        rest = &rest[backslash + 1 + escape.len_utf8()..];
        match escape {
            '"' | '\\' => plain.push(escape),
            'n' => plain.push('\n'),
            'r' => plain.push('\r'),
            't' => plain.push('\t'),
            'u' => {
                let (digits, after) = rest.strip_prefix('{')?.split_once('}')?;
                plain.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                rest = after;
            }
            _ => return None,
        }
    }
    plain.push_str(rest);
    Some(plain)
}
