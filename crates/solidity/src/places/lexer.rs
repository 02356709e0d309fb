//! Words of Solidity, of its inline assembly, and of Yul: as much of them as tells where something stands.

use std::ops::Range;

/// A word, a literal or a sign; comments are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    /// Where it stands.
    pub(super) at: Range<usize>,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier with its dots, a number.
    Word,
    /// A text in quotes.
    Text,
    Sign,
}

/// The tokens of a text, in order.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += blank(&text[at..]);
        let rest = &text[at..];
        let (kind, length) = match rest.chars().next()? {
            '"' | '\'' => (Kind::Text, quoted(rest)),
            first if is_word(first) => {
                let length = rest.find(|next| !is_word(next) && next != '.').unwrap_or(rest.len());
                let is_text = rest[..length] == *"hex" && rest[length..].starts_with(['"', '\'']);
                if is_text { (Kind::Text, length + quoted(&rest[length..])) } else { (Kind::Word, length) }
            }
            _ if rest.starts_with(":=") || rest.starts_with("->") => (Kind::Sign, 2),
            first => (Kind::Sign, first.len_utf8()),
        };
        let token = Token { kind, text: &rest[..length], at: at..at + length };
        at += length;
        Some(token)
    })
}

/// A brace around statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brace {
    Open,
    Close,
}

/// The braces of a line, in order. Most lines have none and are not read further.
pub(super) fn braces(line: &str) -> impl Iterator<Item = Brace> {
    let line = if line.contains(['{', '}']) { line } else { "" };
    tokens(line).filter_map(|token| match token.text {
        "{" => Some(Brace::Open),
        "}" => Some(Brace::Close),
        _ => None,
    })
}

/// The depth of braces behind a line, from that before it.
pub(super) fn depth_behind(line: &str, depth: usize) -> usize {
    braces(line).fold(depth, |depth, brace| match brace {
        Brace::Open => depth + 1,
        Brace::Close => depth.saturating_sub(1),
    })
}

pub(super) fn is_word(next: char) -> bool {
    next.is_ascii_alphanumeric() || next == '_' || next == '$'
}

/// Bytes of white space and comments at the start of a text.
fn blank(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let white = rest.len() - rest.trim_start().len();
        let rest = &rest[white..];
        let comment = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            return at + white;
        };
        at += white + comment;
    }
}

/// Bytes of the quoted text at the start of a text.
fn quoted(text: &str) -> usize {
    let mut characters = text.char_indices();
    let quote = characters.next().map(|(_, quote)| quote);
    while let Some((at, next)) = characters.next() {
        if next == '\\' {
            characters.next();
        } else if Some(next) == quote {
            return at + 1;
        }
    }
    text.len()
}
