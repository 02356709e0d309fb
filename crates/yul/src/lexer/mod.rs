//! Text to tokens, on demand.
//!
//! The scanner is a loop over bytes: it never recurses, never fails, and each call of
//! [`Lexer::next_token`] moves forward, so that `EndOfSource` is reached after at most one token a
//! byte. Documentation comments (`///`, `/** */`) are kept until the next token is asked for,
//! because they carry source locations.

mod direction;
mod literal;
mod token;

pub use literal::{decode_hex_string, decode_string};
pub use token::{Keyword, LexicalFault, Token, TokenKind};

use cairn_diag::Span;

/// Longest text the lexer takes: offsets are 32 bits.
pub const MAX_SOURCE_BYTES: usize = u32::MAX as usize - 1;

/// What a byte can be inside or at the start of a token.
mod class {
    pub(super) const NAME_START: u8 = 1;
    pub(super) const NAME_PART: u8 = 2;
    pub(super) const DIGIT: u8 = 4;
    pub(super) const HEX_DIGIT: u8 = 8;
    pub(super) const SPACE: u8 = 16;
}

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphabetic() || b == b'_' || b == b'$' {
            classes[byte] |= class::NAME_START | class::NAME_PART;
        }
        if b.is_ascii_digit() {
            classes[byte] |= class::DIGIT | class::NAME_PART;
        }
        if b == b'.' {
            classes[byte] |= class::NAME_PART;
        }
        if b.is_ascii_hexdigit() {
            classes[byte] |= class::HEX_DIGIT;
        }
        if b == b' ' || b == b'\t' || b == b'\n' || b == b'\r' {
            classes[byte] |= class::SPACE;
        }
        byte += 1;
    }
    classes
};

fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

/// The scanner.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    pos: usize,
    doc_comments: Vec<Span>,
}

impl<'a> Lexer<'a> {
    /// A scanner at the start of `text`.
    ///
    /// # Panics
    /// If the text is longer than [`MAX_SOURCE_BYTES`].
    pub fn new(text: &'a str) -> Self {
        assert!(text.len() <= MAX_SOURCE_BYTES, "the text exceeds {MAX_SOURCE_BYTES} bytes");
        Lexer { bytes: text.as_bytes(), pos: 0, doc_comments: Vec::new() }
    }

    /// Contents of the documentation comments in front of the last token, in order, without their
    /// delimiters.
    pub fn doc_comments(&self) -> &[Span] {
        &self.doc_comments
    }

    /// The next token.
    pub fn next_token(&mut self) -> Token {
        if !self.doc_comments.is_empty() {
            self.doc_comments.clear();
        }
        if let Err(token) = self.skip_blank() {
            return token;
        }
        let start = self.pos;
        let kind = self.scan(start);
        debug_assert!(self.pos > start || kind == TokenKind::EndOfSource);
        Token { kind, span: Span::from(start..self.pos) }
    }

    /// Gives up the rest of the text: the next token is `EndOfSource`.
    pub fn skip_to_end(&mut self) {
        self.pos = self.bytes.len();
        self.doc_comments.clear();
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, class: u8) {
        while self.pos < self.bytes.len() && is(self.bytes[self.pos], class) {
            self.pos += 1;
        }
    }

    /// Skips white space, indentation eight bytes at a time.
    fn skip_space(&mut self) {
        while self.pos < self.bytes.len() && is(self.bytes[self.pos], class::SPACE) {
            self.pos += 1;
            while self.bytes[self.pos..].first_chunk() == Some(b"        ") {
                self.pos += 8;
            }
        }
    }

    /// Skips spaces and comments; a faulty comment is a token.
    fn skip_blank(&mut self) -> Result<(), Token> {
        loop {
            self.skip_space();
            if self.peek(0) != b'/' {
                return Ok(());
            }
            match self.peek(1) {
                b'/' => self.skip_line_comment()?,
                b'*' => self.skip_block_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_line_comment(&mut self) -> Result<(), Token> {
        let start = self.pos;
        let rest = &self.bytes[start..];
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.check_direction(start, start + 2, start + length)?;
        self.pos = start + length;
        if rest[..length].starts_with(b"///") && rest.get(3) != Some(&b'/') {
            self.doc_comments.push(Span::from(start + 3..self.pos));
        }
        Ok(())
    }

    fn skip_block_comment(&mut self) -> Result<(), Token> {
        let start = self.pos;
        let body = &self.bytes[start + 2..];
        let Some(length) = body.windows(2).position(|pair| pair == b"*/") else {
            self.pos = self.bytes.len();
            let kind = TokenKind::Illegal(LexicalFault::UnterminatedComment);
            return Err(Token { kind, span: Span::from(start..self.pos) });
        };
        self.check_direction(start, start + 2, start + 2 + length)?;
        self.pos = start + 2 + length + 2;
        if length > 0 && body[0] == b'*' {
            self.doc_comments.push(Span::from(start + 3..start + 2 + length));
        }
        Ok(())
    }

    /// Faults text that makes what follows it look different from what it is.
    fn check_direction(&mut self, start: usize, from: usize, to: usize) -> Result<(), Token> {
        let Err((fault, at)) = direction::check(&self.bytes[from..to]) else {
            return Ok(());
        };
        self.pos = to;
        Err(Token { kind: TokenKind::Illegal(fault), span: Span::from(start..from + at) })
    }

    fn scan(&mut self, start: usize) -> TokenKind {
        let Some(&byte) = self.bytes.get(start) else {
            return TokenKind::EndOfSource;
        };
        if is(byte, class::NAME_START) {
            return self.scan_name(start);
        }
        if is(byte, class::DIGIT) || byte == b'.' && is(self.peek(1), class::DIGIT) {
            return self.scan_number();
        }
        if byte == b'"' || byte == b'\'' {
            return self.scan_string(byte);
        }
        self.pos += 1;
        match byte {
            b'{' => TokenKind::LeftBrace,
            b'}' => TokenKind::RightBrace,
            b'(' => TokenKind::LeftParen,
            b')' => TokenKind::RightParen,
            b',' => TokenKind::Comma,
            b'.' => TokenKind::Period,
            b':' if self.peek(0) == b'=' => {
                self.pos += 1;
                TokenKind::Assign
            }
            b':' => TokenKind::Colon,
            b'-' if self.peek(0) == b'>' => {
                self.pos += 1;
                TokenKind::Arrow
            }
            b'-' | b'+' | b'*' | b'/' | b'%' | b'=' | b'<' | b'>' | b'!' | b'&' | b'|' | b'^' | b'~'
            | b'?' | b';' | b'[' | b']' => TokenKind::Other(byte),
            _ => {
                self.skip_to_character();
                TokenKind::Illegal(LexicalFault::InvalidToken)
            }
        }
    }

    fn scan_name(&mut self, start: usize) -> TokenKind {
        self.skip_while(class::NAME_PART);
        match &self.bytes[start..self.pos] {
            b"hex" if matches!(self.peek(0), b'"' | b'\'') => self.scan_hex_string(),
            b"hex" => TokenKind::Illegal(LexicalFault::HexWithoutString),
            text => Keyword::from_text(text).map_or(TokenKind::Identifier, TokenKind::Keyword),
        }
    }

    /// Moves to the start of a character, so that token ends never split one.
    fn skip_to_character(&mut self) {
        while self.pos < self.bytes.len() && self.bytes[self.pos] & 0xc0 == 0x80 {
            self.pos += 1;
        }
    }
}

#[cfg(test)]
mod tests;
