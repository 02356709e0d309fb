//! Tokens and the faults a token can have.

use cairn_diag::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `.` that starts no number
    Period,
    /// `:=`
    Assign,
    /// `->`
    Arrow,
    /// A name, which may contain dots.
    Identifier,
    /// Digits and what follows them without a gap; the parser decides which are numbers of Yul.
    Number,
    /// `"…"` or `'…'`
    String,
    /// `hex"…"`
    HexString,
    /// A keyword.
    Keyword(Keyword),
    /// A character that is a token of Solidity and none of Yul.
    Other(u8),
    /// Something that is no token.
    Illegal(LexicalFault),
    /// The end of the text.
    EndOfSource,
}

/// A keyword of Yul.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is the keyword of that name")]
pub enum Keyword {
    Let,
    If,
    Switch,
    Case,
    Default,
    For,
    Break,
    Continue,
    Leave,
    Function,
    True,
    False,
}

impl Keyword {
    /// The keyword with this text.
    pub fn from_text(text: &[u8]) -> Option<Keyword> {
        match text {
            b"let" => Some(Keyword::Let),
            b"if" => Some(Keyword::If),
            b"switch" => Some(Keyword::Switch),
            b"case" => Some(Keyword::Case),
            b"default" => Some(Keyword::Default),
            b"for" => Some(Keyword::For),
            b"break" => Some(Keyword::Break),
            b"continue" => Some(Keyword::Continue),
            b"leave" => Some(Keyword::Leave),
            b"function" => Some(Keyword::Function),
            b"true" => Some(Keyword::True),
            b"false" => Some(Keyword::False),
            _ => None,
        }
    }

    /// Its text.
    pub fn text(self) -> &'static str {
        match self {
            Keyword::Let => "let",
            Keyword::If => "if",
            Keyword::Switch => "switch",
            Keyword::Case => "case",
            Keyword::Default => "default",
            Keyword::For => "for",
            Keyword::Break => "break",
            Keyword::Continue => "continue",
            Keyword::Leave => "leave",
            Keyword::Function => "function",
            Keyword::True => "true",
            Keyword::False => "false",
        }
    }
}

/// Why a piece of text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the message of each variant is its description")]
pub enum LexicalFault {
    InvalidToken,
    UnterminatedString,
    UnterminatedComment,
    InvalidStringCharacter,
    InvalidEscape,
    InvalidHexString,
    HexWithoutString,
    MissingHexDigits,
    OctalNumber,
    InvalidExponent,
    IdentifierAfterNumber,
    DirectionUnderflow,
    DirectionMismatch,
}

impl LexicalFault {
    /// What is wrong, in solc's words.
    pub fn message(self) -> &'static str {
        match self {
            LexicalFault::InvalidToken => "invalid token",
            LexicalFault::UnterminatedString => "expected string end-quote",
            LexicalFault::UnterminatedComment => "expected multi-line comment-terminator",
            LexicalFault::InvalidStringCharacter => "invalid character in string",
            LexicalFault::InvalidEscape => "invalid escape sequence",
            LexicalFault::InvalidHexString => "expected even number of hex-nibbles",
            LexicalFault::HexWithoutString => "`hex` must be followed by a string",
            LexicalFault::MissingHexDigits => "hexadecimal digit missing or invalid",
            LexicalFault::OctalNumber => "octal numbers not allowed",
            LexicalFault::InvalidExponent => "invalid exponent",
            LexicalFault::IdentifierAfterNumber => "identifier-start is not allowed at end of a number",
            LexicalFault::DirectionUnderflow => {
                "unicode direction override underflow in comment or string literal"
            }
            LexicalFault::DirectionMismatch => {
                "mismatching directional override markers in comment or string literal"
            }
        }
    }
}

/// The start of a text, without characters that act on a terminal.
fn shown(text: &str) -> String {
    const MAX_SHOWN: usize = 40;
    let start: String = text.chars().take(MAX_SHOWN).collect();
    let dots = if start.len() < text.len() { "…" } else { "" };
    start.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>() + dots
}

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

impl TokenKind {
    /// How messages call the token.
    pub fn describe(self) -> String {
        match self {
            TokenKind::LeftBrace => "`{`".into(),
            TokenKind::RightBrace => "`}`".into(),
            TokenKind::LeftParen => "`(`".into(),
            TokenKind::RightParen => "`)`".into(),
            TokenKind::Comma => "`,`".into(),
            TokenKind::Colon => "`:`".into(),
            TokenKind::Period => "`.`".into(),
            TokenKind::Assign => "`:=`".into(),
            TokenKind::Arrow => "`->`".into(),
            TokenKind::Identifier => "identifier".into(),
            TokenKind::Number => "number".into(),
            TokenKind::String => "string".into(),
            TokenKind::HexString => "hexadecimal string".into(),
            TokenKind::Keyword(keyword) => format!("reserved keyword `{}`", keyword.text()),
            TokenKind::Other(byte) => format!("`{}`", byte as char),
            TokenKind::Illegal(_) => "something that is no token".into(),
            TokenKind::EndOfSource => "end of source".into(),
        }
    }

    /// How messages call a token with this text, where one was found that does not fit.
    pub fn describe_found(self, text: &str) -> String {
        match self {
            TokenKind::Identifier | TokenKind::Number | TokenKind::String | TokenKind::HexString => {
                format!("{} `{}`", self.describe(), shown(text))
            }
            TokenKind::Illegal(_) => format!("`{}`", shown(text)),
            _ => self.describe(),
        }
    }
}
