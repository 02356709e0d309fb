//! Tokens of EVM-IR text.
//!
//! The lexer never fails: bytes that begin no token become [`Kind::Error`] tokens, runs of them
//! one token. Comments run from `//` or `;` to the end of the line. Linear.

use cairn_diag::Span;
use logos::Logos;

/// What a token is; its text is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(skip r"[ \t\r\f]+")]
#[logos(skip(r"(//|;)[^\n]*", allow_greedy = true))]
pub enum Kind {
    /// End of a line; not kept as a token, see [`Token::starts_line`].
    #[token("\n")]
    Newline,
    /// Keyword, type or operation.
    #[regex(r"[A-Za-z_][A-Za-z0-9_.]*")]
    Word,
    /// `%name` or `%"name"`.
    #[regex(r"%[A-Za-z0-9_$.]+")]
    #[regex(r#"%"([^"\\\n]|\\[^\n])*""#)]
    Value,
    /// `^name` or `^"name"`.
    #[regex(r"\^[A-Za-z0-9_$.]+")]
    #[regex(r#"\^"([^"\\\n]|\\[^\n])*""#)]
    Block,
    /// `@name` or `@"name"`.
    #[regex(r"@[A-Za-z0-9_$.]+")]
    #[regex(r#"@"([^"\\\n]|\\[^\n])*""#)]
    Symbol,
    /// `!7` or `!loc`.
    #[regex(r"![A-Za-z0-9_]+")]
    Meta,
    /// Decimal, perhaps with a fraction and an exponent, or hexadecimal; with or without a minus sign; checked
    /// where it is used.
    #[regex(r"-?[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?", priority = 3)]
    #[regex(r"-?[0-9]+[eE][+-]?[0-9]+", priority = 3)]
    #[regex(r"-?[0-9][A-Za-z0-9_]*")]
    Number,
    /// `"…"`.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    String,
    /// `hex"…"`.
    #[regex(r#"hex"[^"\n]*""#)]
    Hex,
    /// `->` or `→`.
    #[token("->")]
    #[token("→")]
    Arrow,
    /// `(`
    #[token("(")]
    OpenParen,
    /// `)`
    #[token(")")]
    CloseParen,
    /// `{`
    #[token("{")]
    OpenBrace,
    /// `}`
    #[token("}")]
    CloseBrace,
    /// `[`
    #[token("[")]
    OpenBracket,
    /// `]`
    #[token("]")]
    CloseBracket,
    /// `<`
    #[token("<")]
    Less,
    /// `>`
    #[token(">")]
    Greater,
    /// `,`
    #[token(",")]
    Comma,
    /// `:`
    #[token(":")]
    Colon,
    /// `=`
    #[token("=")]
    Equals,
    /// `+`
    #[token("+")]
    Plus,
    /// Bytes that begin no token.
    Error,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// True for the first token of a line.
    pub starts_line: bool,
    /// Where it is.
    pub span: Span,
}

/// All tokens of `text`, the last one [`Kind::End`].
pub fn lex(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 5);
    let mut starts_line = true;
    for (kind, range) in Kind::lexer(text).spanned() {
        let kind = kind.unwrap_or(Kind::Error);
        if kind == Kind::Newline {
            starts_line = true;
            continue;
        }
        let span = Span::from(range);
        let starts_line = std::mem::take(&mut starts_line);
        match tokens.last_mut() {
            Some(last) if kind == Kind::Error && last.kind == Kind::Error && last.span.end == span.start => {
                last.span.end = span.end;
            }
            _ => tokens.push(Token { kind, starts_line, span }),
        }
    }
    let end = Span::from(text.len()..text.len());
    tokens.push(Token { kind: Kind::End, starts_line: true, span: end });
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        lex(text).iter().map(|token| token.kind).collect()
    }

    #[test]
    fn an_instruction() {
        use Kind::*;
        assert_eq!(
            kinds("%x = evm.constant -1 : u256 // x\n; y\n"),
            [Value, Equals, Word, Number, Colon, Word, End]
        );
        assert_eq!(kinds("case 0 → ^b0 -> ^\"a b\""), [Word, Number, Arrow, Block, Arrow, Block, End]);
        assert_eq!(kinds("data @x = hex\"00\" \"a\\\"b\""), [Word, Symbol, Equals, Hex, String, End]);
        assert_eq!(kinds("loc(!3)"), [Word, OpenParen, Meta, CloseParen, End]);
        assert_eq!(kinds("%p+4, 5"), [Value, Plus, Number, Comma, Number, End]);
        assert_eq!(kinds("1.5 -2e-7 0x1e-7 3.x"), [Number, Number, Number, Number, Number, Error, Word, End]);
    }

    #[test]
    fn lines_are_marked() {
        let marks: Vec<bool> = lex("a b\n  c // d\n\ne").iter().map(|token| token.starts_line).collect();
        assert_eq!(marks, [true, false, true, true, true]);
    }

    #[test]
    fn faults_become_tokens() {
        assert_eq!(kinds("a #?& b"), [Kind::Word, Kind::Error, Kind::Word, Kind::End]);
        assert_eq!(kinds("\"open\n%"), [Kind::Error, Kind::Error, Kind::End]);
        assert_eq!(lex("é").len(), 2);
    }
}
