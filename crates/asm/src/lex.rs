//! Tokens of assembly text.

use cairn_diag::Span;
use logos::Logos;

/// A token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r]+")]
#[logos(skip(r"(;|//)[^\n]*", allow_greedy = true))]
pub(crate) enum Token {
    /// Statements may begin anywhere; lines matter for going on after an error.
    #[token("\n")]
    Newline,
    /// A mnemonic, keyword or label.
    #[regex(r"[A-Za-z_.$][A-Za-z0-9_.$]*")]
    Word,
    /// A decimal or hexadecimal number, perhaps negative.
    #[regex(r"-?[0-9][0-9A-Za-z_]*")]
    Number,
    /// A string in quotes, escapes not yet resolved.
    #[regex(r#""([^"\\\n]|\\.)*""#)]
    String,
    /// Bytes.
    #[regex(r#"hex"[^"\n]*""#, priority = 20)]
    Hex,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(":")]
    Colon,
}

/// A token with its place; `None` for characters that begin no token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme {
    pub(crate) token: Option<Token>,
    pub(crate) span: Span,
    pub(crate) first_on_line: bool,
}

/// All tokens of a text.
pub(crate) fn lex(text: &str) -> Vec<Lexeme> {
    let mut lexemes = Vec::new();
    let mut first_on_line = true;
    for (token, range) in Token::lexer(text).spanned() {
        if token == Ok(Token::Newline) {
            first_on_line = true;
            continue;
        }
        lexemes.push(Lexeme { token: token.ok(), span: range.into(), first_on_line });
        first_on_line = false;
    }
    lexemes
}
