//! Scanning and decoding of numbers and strings.
//!
//! The scanner proves that a string is well-formed; the decoders run on scanned tokens only.

use super::{Lexer, LexicalFault, TokenKind, class, is};

impl Lexer<'_> {
    pub(super) fn scan_number(&mut self) -> TokenKind {
        if self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X') {
            self.pos += 2;
            if self.bytes[self.pos - 1] == b'X' || !is(self.peek(0), class::HEX_DIGIT) {
                return TokenKind::Illegal(LexicalFault::MissingHexDigits);
            }
            self.skip_digits(class::HEX_DIGIT);
            return self.end_number();
        }
        if self.peek(0) == b'0' && is(self.peek(1), class::DIGIT) {
            self.pos += 1;
            return TokenKind::Illegal(LexicalFault::OctalNumber);
        }
        self.skip_digits(class::DIGIT);
        if self.peek(0) == b'.' && is(self.peek(1), class::DIGIT) {
            self.pos += 1;
            self.skip_digits(class::DIGIT);
        }
        if matches!(self.peek(0), b'e' | b'E') {
            self.pos += 1;
            if self.peek(0) == b'-' {
                self.pos += 1;
            }
            if !is(self.peek(0), class::DIGIT) {
                return TokenKind::Illegal(LexicalFault::InvalidExponent);
            }
            self.skip_digits(class::DIGIT);
        }
        self.end_number()
    }

    /// Skips digits and the underscores that Solidity allows between them.
    fn skip_digits(&mut self, class: u8) {
        while is(self.peek(0), class) || self.peek(0) == b'_' {
            self.pos += 1;
        }
    }

    fn end_number(&mut self) -> TokenKind {
        if is(self.peek(0), class::NAME_START | class::DIGIT) {
            return TokenKind::Illegal(LexicalFault::IdentifierAfterNumber);
        }
        TokenKind::Number
    }

    pub(super) fn scan_string(&mut self, quote: u8) -> TokenKind {
        self.pos += 1;
        loop {
            let Some(&byte) = self.bytes.get(self.pos) else {
                return TokenKind::Illegal(LexicalFault::UnterminatedString);
            };
            match byte {
                b'\n' | b'\r' => return TokenKind::Illegal(LexicalFault::UnterminatedString),
                b'\\' => {
                    self.pos += 1;
                    let Some(length) = self.escape_length() else {
                        return TokenKind::Illegal(LexicalFault::InvalidEscape);
                    };
                    self.pos += length;
                }
                0x20..=0x7e => {
                    self.pos += 1;
                    if byte == quote {
                        return TokenKind::String;
                    }
                }
                _ => {
                    self.pos += 1;
                    self.skip_to_character();
                    return TokenKind::Illegal(LexicalFault::InvalidStringCharacter);
                }
            }
        }
    }

    /// Length of the escape sequence after the backslash.
    fn escape_length(&self) -> Option<usize> {
        let digits = |n: usize| (1..=n).all(|at| is(self.peek(at), class::HEX_DIGIT)).then_some(n + 1);
        match self.peek(0) {
            b'\'' | b'"' | b'\\' | b'n' | b'r' | b't' | b'\n' => Some(1),
            b'\r' => Some(if self.peek(1) == b'\n' { 2 } else { 1 }),
            b'x' => digits(2),
            b'u' => digits(4),
            _ => None,
        }
    }

    pub(super) fn scan_hex_string(&mut self) -> TokenKind {
        let quote = self.peek(0);
        self.pos += 1;
        let mut after_pair = false;
        loop {
            let byte = self.peek(0);
            if byte == quote {
                self.pos += 1;
                return TokenKind::HexString;
            }
            if byte == b'_' && after_pair {
                self.pos += 1;
            }
            if !is(self.peek(0), class::HEX_DIGIT) || !is(self.peek(1), class::HEX_DIGIT) {
                return TokenKind::Illegal(LexicalFault::InvalidHexString);
            }
            self.pos += 2;
            after_pair = true;
        }
    }
}

fn hex_value(digit: u8) -> u32 {
    (digit as char).to_digit(16).unwrap_or(0)
}

/// The bytes of a `"…"` token.
pub fn decode_string(token: &[u8]) -> Vec<u8> {
    let body = &token[1..token.len() - 1];
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body;
    while let [first, tail @ ..] = rest {
        if *first != b'\\' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        rest = decode_escape(tail, &mut bytes);
    }
    bytes
}

/// Decodes what follows a backslash; returns what comes after it.
fn decode_escape<'a>(escape: &'a [u8], bytes: &mut Vec<u8>) -> &'a [u8] {
    match escape {
        [b'n', tail @ ..] => push_and(bytes, b'\n', tail),
        [b'r', tail @ ..] => push_and(bytes, b'\r', tail),
        [b't', tail @ ..] => push_and(bytes, b'\t', tail),
        [b'\r', b'\n', tail @ ..] | [b'\n' | b'\r', tail @ ..] => tail,
        [b'x', high, low, tail @ ..] => {
            push_and(bytes, (hex_value(*high) << 4 | hex_value(*low)) as u8, tail)
        }
        [b'u', a, b, c, d, tail @ ..] => {
            let code = [a, b, c, d].into_iter().fold(0, |code, digit| code << 4 | hex_value(*digit));
            push_code_point(bytes, code);
            tail
        }
        [other, tail @ ..] => push_and(bytes, *other, tail),
        [] => escape,
    }
}

fn push_and<'a>(bytes: &mut Vec<u8>, byte: u8, tail: &'a [u8]) -> &'a [u8] {
    bytes.push(byte);
    tail
}

/// UTF-8 of a 16-bit code point; surrogates are encoded like any other.
fn push_code_point(bytes: &mut Vec<u8>, code: u32) {
    match code {
        0..0x80 => bytes.push(code as u8),
        0x80..0x800 => bytes.extend([0xc0 | (code >> 6) as u8, 0x80 | (code & 0x3f) as u8]),
        _ => bytes.extend([
            0xe0 | (code >> 12) as u8,
            0x80 | (code >> 6 & 0x3f) as u8,
            0x80 | (code & 0x3f) as u8,
        ]),
    }
}

/// The bytes of a `hex"…"` token.
pub fn decode_hex_string(token: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = token[4..token.len() - 1].iter().copied().filter(|byte| *byte != b'_').collect();
    digits.chunks_exact(2).map(|pair| (hex_value(pair[0]) << 4 | hex_value(pair[1])) as u8).collect()
}
